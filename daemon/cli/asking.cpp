#include "daemon/cli/asking.hpp"

#include "schemas/base/error.hpp"
#include "schemas/base/json_writer.hpp"

namespace memd::cli {

Error error_of(const mcp::ToolOutcome& outcome) {
  return {outcome.is_usage ? Errc::invalid_argument : Errc::not_found, outcome.text};
}

std::string titled_schema(std::string_view command, std::string_view schema) {
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.member("$schema", "https://json-schema.org/draft/2020-12/schema");
  w.member("$id", "memd:cli/" + std::string(command));
  w.member("title", "What `memd --json " + std::string(command) + "` prints");
  w.end_object();
  out.back() = ',';
  return out.append(schema.substr(1));  // both are objects
}

Result<int> finish(Screen& screen) {
  MEMD_TRY(screen.finish());
  return kOk;
}

}  // namespace memd::cli
