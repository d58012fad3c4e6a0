#include "daemon/admin/recall_tool.hpp"

#include "daemon/host/memory_host.hpp"
#include "schemas/base/harmless.hpp"
#include "schemas/ids.hpp"
#include "store/reader.hpp"
#include "store/text/redaction/redactor.hpp"
#include "store/text/token_budget.hpp"

#include <chrono>

namespace memd::admin {
namespace {

std::string_view words_for(RecalledKind kind) {
  switch (kind) {
    case RecalledKind::failed_attempt: return "After the last edits of it this failed: ";
    case RecalledKind::test_command: return "Tests that passed after edits of it: ";
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
  if (params.path.empty() && params.error.empty()) return RecallReport();
  MEMD_TRY_ASSIGN(const auto reader, host.readers().acquire(100ms));
  const RecallScope scope{params.cwd, params.session_id};
  if (!params.path.empty()) {
    MEMD_TRY_ASSIGN(const auto found, reader->ask(FileRecallQuery{scope, params.path}));
    return RecallReport{recall_lines(found)};
  }
  MEMD_TRY_ASSIGN(const auto found, reader->ask(ErrorRecallQuery{scope, params.error}));
  return RecallReport{recall_lines(found)};
}

std::string render_text(const RecallReport& report) {
  std::string out;
  for (const std::string& line : report.lines)
    append_recorded(out, line + "\n", Lines::kept);
  return out;
}

}  // namespace memd::admin
