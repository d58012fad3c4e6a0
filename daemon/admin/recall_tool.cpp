#include "daemon/admin/recall_tool.hpp"

#include "daemon/admin/session_recall.hpp"
#include "daemon/host/memory_host.hpp"
#include "schemas/base/harmless.hpp"
#include "schemas/ids.hpp"
#include "store/files/git_place.hpp"
#include "store/reader_pool.hpp"
#include "store/text/redaction/redactor.hpp"
#include "store/text/token_budget.hpp"

#include <chrono>

namespace memd::admin {
namespace {

std::string_view words_for(RecalledKind kind) {
  switch (kind) {
    case RecalledKind::met_error: return "The same error was met before by: ";
    case RecalledKind::solved: return "It went away after ";
  }
  return {};
}

}  // namespace

std::vector<std::string> recall_lines(const std::vector<Recalled>& found) {
  std::vector<std::string> out;
  TokenBudget budget(kRecallTokens);
  for (const Recalled& r : found) {
    std::string line = std::string(words_for(r.kind)) + r.text;
    if (r.exchange != 0) line += " [" + format_exchange_id(r.exchange) + "]";
    redact(line);
    if (budget.take_text(line + "\n")) out.push_back(std::move(line));
  }
  return out;
}

void ToldLines::keep_new(const std::string& session_id, std::vector<std::string>& lines) {
  if (session_id.empty()) return;
  constexpr std::size_t kMostSessions = 1000;
  const std::lock_guard lock(mutex_);
  if (told_.size() >= kMostSessions) told_.clear();
  std::set<std::string>& told = told_[session_id];
  std::erase_if(lines, [&](const std::string& line) { return !told.insert(line).second; });
}

void ToldLines::forget(const std::string& session_id) {
  const std::lock_guard lock(mutex_);
  told_.erase(session_id);
}

Result<RecallReport> recall(MemoryHost& host, ToldLines& told, const RecallParams& params) {
  using namespace std::chrono_literals;
  MEMD_TRY_ASSIGN(const auto reader, host.readers().acquire(100ms));
  SessionPlace place{params.cwd, params.session_id, params.branch};
  if (const auto git = place.branch.empty() ? files::git_place_of(params.cwd) : std::nullopt)
    place.branch = git->branch;
  const TimeMs now = params.at != 0 ? params.at : host.clock().now();
  RecallReport out;
  if (params.moment == "start") {
    MEMD_TRY_ASSIGN(out.lines, lines_at_start(*reader, place, now));
  } else if (params.moment == "standing" || params.moment == "subagent") {
    MEMD_TRY_ASSIGN(out.lines, standing_lines(*reader, place, now));
    // A subagent's context is its own, so it is told whatever the session was told.
    if (params.moment == "subagent") return out;
  } else if (params.moment == "compact") {
    told.forget(params.session_id);
    MEMD_TRY_ASSIGN(out.lines, lines_after_compaction(*reader, place));
  } else if (params.moment == "prompt") {
    MEMD_TRY_ASSIGN(out.lines, line_at_prompt(*reader, place, params.text, now));
  } else if (!params.text.empty()) {
    MEMD_TRY_ASSIGN(const auto found, reader->ask(ErrorRecallQuery{{params.cwd, params.session_id}, params.text}));
    out.lines = recall_lines(found);
  }
  told.keep_new(params.session_id, out.lines);
  return out;
}

std::string render_text(const RecallReport& report) {
  std::string out;
  for (const std::string& line : report.lines)
    append_recorded(out, line + "\n", Lines::kept);
  return out;
}

}  // namespace memd::admin
