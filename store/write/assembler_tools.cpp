// Tool calls and what follows from them: pairs, errors, retries, edits, test runs.
#include "schemas/hash.hpp"
#include "store/write/exchange_text.hpp"
#include "store/text/path_text.hpp"
#include "store/write/assembler.hpp"
#include "store/write/commit_rows.hpp"
#include "store/write/pull_request_rows.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace memd::assembly {
namespace {

constexpr std::size_t kErrorTextBytes = 400;  // of a tool's error that go into the full-text index

std::string error_excerpt(std::string_view text) {
  if (text.size() <= kErrorTextBytes) return std::string(text);
  std::size_t end = kErrorTextBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
    --end;
  return std::string(text.substr(0, end));
}

}  // namespace

void Assembler::on_tool_call(SessionWork& s, const Event& e, std::int64_t seq, Context& context) {
  ExchangeDraft& d = s.draft;
  ++s.tool_calls;
  ++d.tool_calls;
  if (!e.tool.empty() && !d.tools.contains(e.tool)) d.tools.insert(e.tool);
  add_tool_line(d, e.search_text);
  touch_files(d, e);

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
  if (!e.call_id.empty()) s.open_calls[hash64(e.call_id)] = std::move(call);
  plan_edits(s, e, seq, context);

  if (e.input_hash != 0 && d.failed_inputs.contains(e.input_hash)) {
    ++s.retries;
    insert_derived(s, e, seq, EventKind::retry, "again: " + e.summary, 0, 0, context);
  }
}

// The call a result answers: mostly remembered, else looked up among the rows without a pair.
std::optional<OpenCall> Assembler::find_call(const SessionWork& s, const Event& result) {
  const std::uint64_t key = hash64(result.call_id);
  if (const auto it = s.open_calls.find(key); it != s.open_calls.end()) return it->second;
  return events_.find_open_call(s.pk, key);
}

void Assembler::on_tool_result(SessionWork& s, const Event& e, std::int64_t seq, const std::optional<OpenCall>& call,
                               Context& context) {
  if (call) {
    s.open_calls.erase(hash64(e.call_id));
    events_.pair(s.pk, call->seq, seq);
    ++s.tool_pairs;
  }

  if (e.is_error) {
    ++s.tool_errors;
    if (s.has_draft) {
      ++s.draft.tool_errors;
      add_tool_line(s.draft, error_excerpt(e.text));
      if (call && call->input_hash != 0) s.draft.failed_inputs.insert(call->input_hash);
    }
    insert_derived(s, e, seq, EventKind::error, e.text, kFlagError, 0, context);
  }
  if (!call) return;
  save_commits(db_, events_, s, *call, e, seq);
  save_pull_requests(db_, events_, s, *call, e, seq);
  if (e.is_error && call->modifies) events_.drop_planned_edits(s.pk, call->seq);
  if (call->is_test) {
    s.last_test_failed = e.is_error;
    insert_derived(s, e, seq, EventKind::test_run, (e.is_error ? "failed: " : "passed: ") + call->summary,
                   e.is_error ? kFlagError : 0u, 0, context);
  }
  if (call->modifies && !e.is_error) on_edit(s, e, seq, *call, context);
  note_recovery(s, e, seq, *call);
}

// A call can say how many lines it means to change (a patch) where its result does not. What it means to do stands
// in rows of its own, so that the result, whenever it comes, finds it: then the edits are made, or forgotten.
void Assembler::plan_edits(SessionWork& s, const Event& e, std::int64_t seq, Context& context) {
  const bool counted = std::any_of(e.files.begin(), e.files.end(), [](const FileTouch& f) {
    return f.access == FileAccess::modified && f.lines_added + f.lines_removed > 0;
  });
  if (!counted) return;
  for (const auto& file : e.files)
    insert_derived(s, e, seq, EventKind::edit, edit_summary(file.path, file.lines_added, file.lines_removed),
                   kFlagPlanned, paths_.intern(file.path), context);
}

void Assembler::add_changes(ExchangeDraft& d, std::int64_t path_pk, std::int64_t added, std::int64_t removed) {
  d.lines_added += added;
  d.lines_removed += removed;
  FileTotals& totals = d.files[{path_pk, FileAccess::modified}];
  totals.lines_added += added;
  totals.lines_removed += removed;
  d.dirty = true;
}

// An edit that the platform tells as a fact of its own.
void Assembler::on_change(SessionWork& s, const Event& e) {
  if (!s.has_draft) return;
  touch_files(s.draft, e);
  for (const auto& file : e.files)
    add_changes(s.draft, paths_.intern(file.path), file.lines_added, file.lines_removed);
}

void Assembler::on_edit(SessionWork& s, const Event& result, std::int64_t seq, const OpenCall& call, Context& context) {
  if (const auto planned = events_.take_planned_edits(s.pk, call.seq); !planned.empty()) {
    if (!s.has_draft) return;
    for (const auto& edit : planned)
      add_changes(s.draft, edit.path_pk, edit.lines_added, edit.lines_removed);
    return;
  }
  std::int32_t added = 0;
  std::int32_t removed = 0;
  for (const auto& file : result.files) {
    added += file.lines_added;
    removed += file.lines_removed;
  }
  if (s.has_draft) add_changes(s.draft, call.path_pk, added, removed);
  insert_derived(s, result, seq, EventKind::edit, edit_summary(call.path, added, removed), 0, call.path_pk, context);
}

void Assembler::on_lifecycle(SessionWork& s, const Event& e, std::int64_t seq) {
  if (e.lifecycle == "compaction") ++s.compactions;
  if (e.lifecycle == "pr_link") save_linked_pull_request(db_, events_, s, e, seq);
}

}  // namespace memd::assembly
