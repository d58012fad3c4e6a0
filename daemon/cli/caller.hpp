#pragma once

#include "daemon/host/settings.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/error.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace memd::cli {

// Who answers a command: the running daemon, or this process when none runs. Either way the same tools.
class Caller {
 public:
  using OnProgress = std::function<void(double done, double total, std::string_view message)>;
  virtual ~Caller() = default;
  // `arguments` is the JSON text of an object.
  virtual Result<mcp::ToolOutcome> tool(std::string_view name, std::string_view arguments) = 0;
  // "ingest", "status", "coverage", "import"
  virtual Result<mcp::ToolOutcome> admin(std::string_view name, std::string_view arguments,
                                         const OnProgress& on_progress) = 0;
  virtual Result<std::string> tool_list() = 0;  // {"tools": […]}
};

enum class Need {
  read,    // questions to the store
  ingest,  // writing to it: in this process only under the instance lock
};
Result<std::unique_ptr<Caller>> open_caller(const Settings& settings, Need need);

}  // namespace memd::cli
