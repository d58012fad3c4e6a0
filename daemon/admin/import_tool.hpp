#pragma once

#include "daemon/serve/memory_host.hpp"
#include "protocol/mcp/describe.hpp"
#include "protocol/mcp/tool_registry.hpp"

#include <cstdint>
#include <string>

namespace memd::admin {

struct ImportParams {
  std::string path;
};

struct ImportReport {
  std::string path;
  std::uint64_t bytes = 0;
  std::uint64_t bytes_done = 0;  // less than bytes: the last line is not finished
  std::int64_t events = 0;       // new in the store, those memd concluded included
  std::int64_t known = 0;        // in the store already
};
std::string render_text(const ImportReport& r);

// "import": takes an events.v1 file in as a source of platform imported. The host must outlive the registry.
void register_import_tool(mcp::ToolRegistry& registry, MemoryHost& host);

}  // namespace memd::admin

namespace memd::mcp {

template <>
struct Describe<admin::ImportParams> {
  static constexpr auto fields = std::make_tuple(
      field("path", &admin::ImportParams::path, "Absolute path of the file.", required, length(1, 4096)));
};
template <>
struct Describe<admin::ImportReport> {
  using T = admin::ImportReport;
  static constexpr auto fields =
      std::make_tuple(field("path", &T::path, "The file."), field("bytes", &T::bytes, "Its size."),
                      field("bytes_done", &T::bytes_done, "Bytes accounted for."),
                      field("events", &T::events, "Events that are new in the store, those memd concluded included."),
                      field("known", &T::known, "Events that were in the store already."));
};

}  // namespace memd::mcp
