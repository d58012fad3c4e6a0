#pragma once

#include "daemon/tools/file_history.hpp"
#include "daemon/tools/line_trace.hpp"
#include "schemas/file_history.hpp"
#include "store/read/file_history.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace memd::tools {

// The store query of a file_history call, with its arguments resolved.
struct FileQuestion {
  FileHistoryQuery query;
  bool nothing = false;        // nothing can be found; `notes` say why
  bool several_files = false;  // the answer names the files of each exchange
  std::vector<CommitOut> commits;
  std::map<ExchangeId, std::vector<TracedEdit>> traced;  // of exchanges, when lines or a symbol are asked for
  std::vector<AnswerText> notes;                         // sentences for the answer's notice
};

// invalid_argument says what to send instead.
Result<FileQuestion> understand(const ToolServices& services, Reader& reader, const FileHistoryParams& params,
                                const Scope& scope, const mcp::ToolContext& context);

// "120-180" or "120".
Result<LineRange> parse_lines(std::string_view text);

}  // namespace memd::tools
