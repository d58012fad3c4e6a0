#pragma once

#include "daemon/tools/file_history.hpp"
#include "daemon/tools/line_trace.hpp"
#include "store/read/file_history.hpp"

#include <map>
#include <vector>

namespace memd {
class Reader;
}
namespace memd::mcp {
class ToolContext;
}

namespace memd::tools {

// The store query of a file_history call, with its arguments resolved.
struct FileQuestion {
  FileHistoryQuery query;
  bool nothing = false;        // nothing can be found; `notes` say why
  bool several_files = false;  // the answer names the files of each exchange
  std::vector<CommitOut> commits;
  std::map<ExchangeId, std::vector<TracedEdit>> traced;  // by exchange, if lines or a symbol are given
  std::vector<AnswerText> notes;                         // sentences for the answer's notice
};

// Resolves the arguments of a call. Errc::invalid_argument says what to send instead.
Result<FileQuestion> understand(const ToolServices& services, Reader& reader, const FileHistoryParams& params,
                                const Scope& scope, const mcp::ToolContext& context);

// Parses "120-180" or "120"; "," and ":" separate, too. Errc::invalid_argument for anything else.
Result<LineRange> parse_lines(std::string_view text);

}  // namespace memd::tools
