#include "daemon/resources/resources.hpp"

#include "daemon/resources/argument_values.hpp"
#include "daemon/resources/resource_list.hpp"
#include "daemon/resources/resource_versions.hpp"
#include "daemon/tools/scope.hpp"
#include "daemon/tools/tool_arguments.hpp"
#include "daemon/tools/toolset.hpp"

#include <utility>

namespace memd::resources {

struct IdVariable {
  std::string id;
};
struct KeyVariable {
  std::string key;
};

}  // namespace memd::resources

template <>
struct memd::mcp::Describe<memd::resources::IdVariable> {
  static constexpr auto fields =
      std::make_tuple(field("id", &memd::resources::IdVariable::id, "Which one.", required, length(1, 300)));
};
template <>
struct memd::mcp::Describe<memd::resources::KeyVariable> {
  static constexpr auto fields =
      std::make_tuple(field("key", &memd::resources::KeyVariable::key, "Which project.", required, length(1, 500)));
};

namespace memd::resources {
namespace {

constexpr std::int64_t kMaxTokens = 4000;

using tools::ToolArguments;

// Says which call it stands for, so that a reader knows how to get the rest.
Result<std::string> read_as(const mcp::ToolRegistry& tools, std::string_view tool, ToolArguments& asked,
                            mcp::ToolContext& context) {
  const std::string arguments = asked.add("max_tokens", kMaxTokens).finish();
  MEMD_TRY_ASSIGN(const std::string text, tools::tool_text(tools, tool, arguments, context));
  return "The answer of " + std::string(tool) + " with " + arguments + ".\n\n" + text;
}

// A session that cannot be told from others, or an id that is none: there is nothing to read under that URI.
Error as_missing(const Error& error) {
  return error.is(Errc::invalid_argument) ? Error(Errc::not_found, error.message()) : error;
}

}  // namespace

std::string session_uri(std::string_view uid) { return "memd://session/" + mcp::percent_encoded(uid); }
std::string project_uri(std::string_view key) { return "memd://project/" + mcp::percent_encoded(key) + "/recent"; }

void add_resources(mcp::ResourceRegistry& registry, const tools::ToolServices& services,
                   const mcp::ToolRegistry& tools) {
  using mcp::ResourceRegistry;
  using mcp::ToolContext;

  mcp::ResourceInfo session;
  session.uri_template = "memd://session/{id}";
  session.name = "session";
  session.title = "Session";
  session.description =
      "The last exchanges of a session of a coding agent: what was asked and done, with ids. The id is that of "
      "list_sessions, or \"latest\".";
  session.completers["id"] = session_values(services);
  registry.add<IdVariable>(
      std::move(session),
      [services, &tools](const IdVariable& v, ToolContext& context) -> Result<std::string> {
        const auto version = session_version(services, v.id, context);
        if (!version) return as_missing(version.error());
        ToolArguments asked;
        return read_as(tools, "recent_turns", asked.add("session_id", v.id).add("n_turns", 30), context);
      },
      [services](const IdVariable& v, ToolContext& context) -> ResourceRegistry::Version {
        auto version = session_version(services, v.id, context);
        if (!version) return as_missing(version.error());
        return version;
      });

  mcp::ResourceInfo exchange;
  exchange.uri_template = "memd://exchange/{id}";
  exchange.name = "exchange";
  exchange.title = "Exchange";
  exchange.description = "One user turn with all the work that followed, as a search names it: x42.";
  registry.add<IdVariable>(
      std::move(exchange),
      [services, &tools](const IdVariable& v, ToolContext& context) -> Result<std::string> {
        MEMD_TRY(exchange_version(services, v.id, context));
        ToolArguments asked;
        return read_as(tools, "get_exchange", asked.add_list("ids", {v.id}).add_flag("include_tools", true), context);
      },
      [services](const IdVariable& v, ToolContext& context) { return exchange_version(services, v.id, context); });

  mcp::ResourceInfo project;
  project.uri_template = "memd://project/{key}/recent";
  project.name = "project-recent";
  project.title = "Recent work on a project";
  project.description = "The sessions of a project, newest first, and the last exchanges of the newest one.";
  project.completers["key"] = project_values(services);
  registry.add<KeyVariable>(
      std::move(project),
      [&tools](const KeyVariable& v, ToolContext& context) -> Result<std::string> {
        ToolArguments list;
        list.add("project", v.key).add("n_results", 10);
        MEMD_TRY_ASSIGN(std::string text, read_as(tools, "list_sessions", list, context));
        ToolArguments recent;
        recent.add("project", v.key);
        // Without a session there is nothing recent: the list says so.
        if (auto turns = read_as(tools, "recent_turns", recent, context)) text += "\n" + *turns;
        return text;
      },
      [services](const KeyVariable& v, ToolContext& context) { return project_version(services, v.key, context); });

  registry.set_list([services](const std::optional<std::string>& cursor,
                               ToolContext& context) { return list_resources(services, cursor, context); },
                    [services](ToolContext& context) { return list_version(services, context); });
}

}  // namespace memd::resources
