#include "daemon/admin/recall_tool.hpp"

#include "daemon/host/memory_host.hpp"
#include "schemas/harmless.hpp"
#include "schemas/ids.hpp"
#include "store/reader.hpp"
#include "store/text/redaction/redactor.hpp"
#include "store/text/token_budget.hpp"

#include <chrono>
#include <limits>

namespace memd::admin {
namespace {

std::string_view words_for(RecalledKind kind) {
  switch (kind) {
    case RecalledKind::decision: return "Decided about this file: ";
    case RecalledKind::failed_attempt: return "After the last edits of it this failed: ";
    case RecalledKind::test_command: return "Tests that passed after edits of it: ";
    case RecalledKind::failed_command: return "This command failed here the last time: ";
    case RecalledKind::worked: return "What worked then: ";
    case RecalledKind::met_error: return "The same error was met before by: ";
    case RecalledKind::solved: return "It went away after ";
  }
  return {};
}

// Kinds that are measured but not shown: at 1,658 moments of real sessions none of their output was used
// (docs/benchmarks.md#recall-at-work).
bool is_silent(RecalledKind kind) {
  return kind == RecalledKind::decision || kind == RecalledKind::failed_command || kind == RecalledKind::worked;
}

}  // namespace

std::vector<std::string> recall_lines(const std::vector<Recalled>& found) {
  std::vector<std::string> out;
  TokenBudget budget(kRecallTokens);
  for (const Recalled& r : found) {
    if (is_silent(r.kind)) continue;
    std::string line = std::string(words_for(r.kind)) + r.text;
    if (r.exchange != 0) line += " [" + format_exchange_id(r.exchange) + "]";
    redact(line);
    if (budget.take_text(line + "\n")) out.push_back(std::move(line));
  }
  return out;
}

Result<std::vector<Recalled>> recall_from(Reader& reader, const RecallParams& params, TimeMs before) {
  const RecallScope scope{params.cwd, params.session_id, before};
  if (!params.path.empty()) return reader.ask(FileRecallQuery{scope, params.path});
  if (!params.error.empty()) return reader.ask(ErrorRecallQuery{scope, params.error});
  if (!params.command.empty()) return reader.ask(CommandRecallQuery{scope, params.command});
  return std::vector<Recalled>();
}

Result<RecallReport> recall(MemoryHost& host, const RecallParams& params) {
  using namespace std::chrono_literals;
  if (params.path.empty() && params.error.empty()) return RecallReport();  // all recall for commands is silent
  MEMD_TRY_ASSIGN(const auto reader, host.readers().acquire(100ms));
  MEMD_TRY_ASSIGN(const auto found, recall_from(*reader, params, std::numeric_limits<TimeMs>::max()));
  return RecallReport{recall_lines(found)};
}

std::string render_text(const RecallReport& report) {
  std::string out;
  for (const std::string& line : report.lines)
    append_recorded(out, line + "\n", Lines::kept);
  return out;
}

}  // namespace memd::admin
