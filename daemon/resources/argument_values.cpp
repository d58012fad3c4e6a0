#include "daemon/resources/argument_values.hpp"

#include "daemon/tools/reading.hpp"
#include "daemon/tools/scope.hpp"
#include "daemon/tools/tool_services.hpp"
#include "schemas/base/ascii.hpp"
#include "store/read/sessions.hpp"
#include "store/search/topic_index.hpp"

#include <string>
#include <utility>
#include <vector>

namespace memd::resources {
namespace {

constexpr int kTopicsLookedAt = 1000;

// Returns what a query finds of main sessions for typed text.
template <class Query>
Result<mcp::ArgumentValues> typed_values(const tools::ToolServices& services, std::string_view typed,
                                         mcp::ToolContext& context, std::vector<std::string> Query::Found::*values) {
  MEMD_TRY_ASSIGN(const tools::Scope scope, tools::resolve_scope(services, {}));
  MEMD_TRY_ASSIGN(const auto reader, tools::lease_reader(services, context.stop));
  Query query;
  query.filter = scope.filter;
  query.filter.include_subagents = false;
  query.typed = typed;
  query.limit = static_cast<int>(mcp::kMaxArgumentValues);
  MEMD_TRY_ASSIGN(auto found, reader->ask(query));
  const bool more = found.total > static_cast<std::int64_t>((found.*values).size());
  return mcp::ArgumentValues{std::move(found.*values), found.total, more};
}

// Adds a value up to the limit of an answer, and notes that there are more.
void offer(mcp::ArgumentValues& out, const std::string& value) {
  if (out.values.size() < mcp::kMaxArgumentValues)
    out.values.push_back(value);
  else
    out.more = true;
}

}  // namespace

mcp::Completer session_values(const tools::ToolServices& services) {
  return [services](std::string_view typed, mcp::ToolContext& context) {
    return typed_values<TypedSessionsQuery>(services, typed, context, &TypedSessionsQuery::Found::uids);
  };
}

mcp::Completer project_values(const tools::ToolServices& services) {
  return [services](std::string_view typed, mcp::ToolContext& context) {
    return typed_values<TypedProjectsQuery>(services, typed, context, &TypedProjectsQuery::Found::names);
  };
}

mcp::Completer topic_values(const tools::ToolServices& services) {
  return [services](std::string_view typed, mcp::ToolContext& context) -> Result<mcp::ArgumentValues> {
    MEMD_TRY_ASSIGN(const tools::Scope scope, tools::resolve_scope(services, {}));
    MEMD_TRY_ASSIGN(const auto reader, tools::lease_reader(services, context.stop));
    TopicListQuery query;
    query.filter = scope.filter;
    query.limit = kTopicsLookedAt;
    MEMD_TRY_ASSIGN(const TopicList list, reader->ask(query));
    const std::string wanted = ascii::lowered(typed);
    mcp::ArgumentValues out;
    for (const TopicCount& topic : list.topics)
      if (ascii::lowered(topic.topic).find(wanted) != std::string::npos) offer(out, topic.topic);
    out.more = out.more || list.total > static_cast<std::int64_t>(list.topics.size());
    return out;
  };
}

}  // namespace memd::resources
