#include "daemon/admin/recall_tool.hpp"

#include "daemon/admin/session_recall.hpp"
#include "daemon/host/memory_host.hpp"
#include "schemas/base/harmless.hpp"
#include "schemas/ids.hpp"
#include "store/files/git_place.hpp"
#include "store/reader.hpp"
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

Result<RecallReport> recall(MemoryHost& host, const RecallParams& params) {
  using namespace std::chrono_literals;
  MEMD_TRY_ASSIGN(const auto reader, host.readers().acquire(100ms));
  SessionPlace place{params.cwd, params.session_id, params.branch};
  if (const auto git = place.branch.empty() ? files::git_place_of(params.cwd) : std::nullopt)
    place.branch = git->branch;
  const TimeMs now = params.at != 0 ? params.at : host.clock().now();
  RecallReport out;
  if (params.moment == "start") {
    MEMD_TRY_ASSIGN(out.lines, lines_at_start(*reader, place, now));
  } else if (params.moment == "compact") {
    MEMD_TRY_ASSIGN(out.lines, lines_after_compaction(*reader, place));
  } else if (!params.error.empty()) {
    MEMD_TRY_ASSIGN(const auto found, reader->ask(ErrorRecallQuery{{params.cwd, params.session_id}, params.error}));
    out.lines = recall_lines(found);
  }
  return out;
}

std::string render_text(const RecallReport& report) {
  std::string out;
  for (const std::string& line : report.lines)
    append_recorded(out, line + "\n", Lines::kept);
  return out;
}

}  // namespace memd::admin
