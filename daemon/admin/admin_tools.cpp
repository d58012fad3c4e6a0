#include "daemon/admin/admin_tools.hpp"

#include "daemon/host/memory_host.hpp"
#include "schemas/base/json_writer.hpp"

#include <utility>

namespace memd::admin {

void register_admin_tools(mcp::ToolRegistry& registry, const AdminService& service) {
  service.each([&registry]<class Method>(const Method& method) {
    registry.add<typename Method::Params, typename Method::Report>(method.info, method.run);
  });
}

void register_admin_tools(mcp::ToolRegistry& registry, MemoryHost& host, ProcessFacts facts) {
  register_admin_tools(registry, AdminService(host, std::move(facts)));
}

void add_admin_methods(mcp::ServerProfile& profile, const mcp::ToolRegistry& registry, std::string_view prefix) {
  for (const auto& tool : registry.tools()) {
    const std::string name = tool.info.name;
    profile.add_method(std::string(prefix) + name,
                       [&registry, name](std::string_view params, mcp::ToolContext& context) -> Result<std::string> {
                         const auto outcome = registry.call(name, params, context);
                         std::string out;
                         json::Writer w(out);
                         w.begin_object();
                         w.member("text", outcome.text);
                         w.member_bool("is_error", outcome.is_error);
                         if (outcome.is_usage) w.member_bool("is_usage", true);
                         if (!outcome.structured.empty()) w.member_raw("structured", outcome.structured);
                         w.end_object();
                         return out;
                       });
  }
}

}  // namespace memd::admin
