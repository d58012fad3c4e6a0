#include "store/write/tool_calls.hpp"

#include "schemas/base/hash.hpp"
#include "schemas/base/utf8.hpp"
#include "store/insight/continuity/working_state.hpp"
#include "store/text/event_summary.hpp"
#include "store/text/path_names.hpp"
#include "store/text/run_outcome.hpp"
#include "store/write/git_rows.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace memd::assembly {
namespace {

constexpr std::size_t kErrorTextBytes = 400;  // part of a tool's error text that goes into the full-text index

// Marks that adapters give to results of commands that did not end.
bool has_ended(const Event& result) {
  constexpr std::array kMarks{kInterruptedMark, kBackgroundMark, kCancelledMark, kRejectedMark};
  return std::find(kMarks.begin(), kMarks.end(), result.summary) == kMarks.end();
}

}  // namespace

// Usually found in the session's cache; otherwise queried among the rows without a pair.
std::optional<OpenCall> ToolCalls::find_call(const SessionWork& s, const Event& result) {
  const std::uint64_t key = hash64(result.call_id);
  if (const auto it = s.open_calls.find(key); it != s.open_calls.end()) return it->second;
  if (!result.id_is_local && rows_.place_of(result.event_id)) return std::nullopt;  // a second record of it
  return rows_.find_open_call(s.pk, key);
}

void ToolCalls::judge_run(const OpenCall& call, Event& result) {
  const CommandPurpose purpose = call.is_test ? CommandPurpose::test : call.tries;
  if (purpose == CommandPurpose::other || continuity::is_refusal(result.text)) return;
  const bool ended = !call.in_background && has_ended(result);
  const CommandEnd end{result.facts.exit_code, result.is_error, ended, result.text, result.text_end};
  result.facts.outcome = run_outcome(call.tried, purpose, end);
}

void ToolCalls::note_call(SessionWork& s, const Event& e, std::int64_t seq, AssemblyContext& context) {
  ++s.tool_calls;
  exchange_.add_call(s, e);

  OpenCall call;
  call.seq = seq;
  call.tool = e.tool;
  call.summary = e.summary;
  call.input_hash = e.input_hash;
  if (!e.files.empty()) {
    call.path = e.files.front().path;
    call.path_pk = paths_.intern(call.path);
    call.modifies = e.files.front().access == FileAccess::modified;
  }
  call.is_test = e.is_test;
  note_tried(call, tried_by(e.facts.commands));
  call.is_echo = e.is_echo;
  if (e.is_echo) take_commands_from_script(s, e);
  if (!e.call_id.empty()) s.open_calls[hash64(e.call_id)] = std::move(call);
  plan_edits(s, e, seq, context);

  if (e.input_hash != 0 && s.draft.failed_inputs.contains(e.input_hash)) {
    ++s.retries;
    events_.derive(s, e, seq, {.kind = EventKind::retry, .summary = "again: " + e.summary}, context);
  }
}

void ToolCalls::note_result(SessionWork& s, const Event& e, std::int64_t seq, const std::optional<OpenCall>& call,
                            AssemblyContext& context) {
  if (call) {
    s.open_calls.erase(hash64(e.call_id));
    rows_.pair(s.pk, call->seq, seq);
    if (!call->answered) ++s.tool_pairs;
  }

  if (e.is_error) {
    ++s.tool_errors;
    if (s.has_draft) {
      ++s.draft.tool_errors;
      add_tool_line(s.draft, utf8_prefix(e.text, kErrorTextBytes));
      if (call && call->input_hash != 0) s.draft.failed_inputs.insert(call->input_hash);
    }
    events_.derive(s, e, seq, {.kind = EventKind::error, .summary = e.text, .flags = kFlagError}, context);
  }
  if (!call) return;
  save_commits(db_, rows_, s, *call, e, seq);
  save_pull_requests(db_, rows_, s, *call, e, seq);
  if (e.is_error && call->modifies) rows_.fail_planned_edits(s.pk, call->seq);
  if (call->is_test && e.facts.outcome) note_test_run(s, e, seq, *call, context);
  if (call->modifies && !e.is_error) make_edits(s, e, seq, *call, context);
  observations_.note_result(s, e, seq, *call);
}

void ToolCalls::note_test_run(SessionWork& s, const Event& result, std::int64_t seq, const OpenCall& call,
                              AssemblyContext& context) {
  const RunOutcome outcome = *result.facts.outcome;
  events_.derive(s, result, seq,
                 {.kind = EventKind::test_run,
                  .summary = test_run_summary(outcome, call.summary),
                  .flags = outcome == RunOutcome::failed ? kFlagError : 0u},
                 context);
}

// A call that only an echo tells was made by the script of an open call, whose text may contain the same command.
void ToolCalls::take_commands_from_script(SessionWork& s, const Event& e) {
  if (e.facts.commands.empty()) return;
  const auto may_be_script = [&](const OpenCall& call) { return !call.is_echo && call.seq >= s.draft.first_seq; };
  if (std::none_of(s.open_calls.begin(), s.open_calls.end(), [&](const auto& c) { return may_be_script(c.second); }))
    for (auto& [key, call] : rows_.newest_open_calls(s.pk))
      s.open_calls.try_emplace(key, std::move(call));
  for (const ShellCommand& command : e.facts.commands)
    for (auto& [key, call] : s.open_calls)
      if (may_be_script(call) && rows_.take_command(s.pk, command.line, call)) break;
}

void ToolCalls::note_edit(SessionWork& s, const Event& e) {
  if (!s.has_draft) return;
  exchange_.touch_files(s, e);
  for (const auto& file : e.files)
    exchange_.add_changed_lines(s, paths_.intern(file.path), file.lines_added, file.lines_removed);
}

// Stores the edits that a call intends. A call such as a patch can give line counts that its result lacks. The planned
// edits are rows of their own, so that the result finds them whenever it comes and marks them as made or failed.
void ToolCalls::plan_edits(SessionWork& s, const Event& e, std::int64_t seq, AssemblyContext& context) {
  const bool counted = std::any_of(e.files.begin(), e.files.end(), [](const FileTouch& f) {
    return f.access == FileAccess::modified && (f.deletes || f.lines_added + f.lines_removed > 0);
  });
  if (!counted) return;
  for (const auto& file : e.files)
    events_.derive(s, e, seq,
                   {.kind = EventKind::edit,
                    .summary = file.deletes ? deletion_summary(file.path, file.lines_removed)
                                            : edit_summary(file.path, file.lines_added, file.lines_removed),
                    .flags = kFlagPlanned,
                    .path_pk = paths_.intern(file.path)},
                   context);
}

void ToolCalls::make_edits(SessionWork& s, const Event& result, std::int64_t seq, const OpenCall& call,
                           AssemblyContext& context) {
  if (const auto planned = rows_.take_planned_edits(s.pk, call.seq); !planned.empty()) {
    if (!s.has_draft) return;
    for (const auto& edit : planned)
      exchange_.add_changed_lines(s, edit.path_pk, edit.lines_added, edit.lines_removed);
    return;
  }
  std::int32_t added = 0;
  std::int32_t removed = 0;
  for (const auto& file : result.files) {
    added += file.lines_added;
    removed += file.lines_removed;
  }
  if (s.has_draft) exchange_.add_changed_lines(s, call.path_pk, added, removed);
  const std::string summary = edit_summary(call.path, added, removed);
  events_.derive(s, result, seq, {.kind = EventKind::edit, .summary = summary, .path_pk = call.path_pk}, context);
}

}  // namespace memd::assembly
