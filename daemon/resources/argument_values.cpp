#include "daemon/resources/argument_values.hpp"

#include "daemon/tools/scope.hpp"
#include "schemas/ascii.hpp"
#include "store/read/sessions.hpp"
#include "store/search/topic_index.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace memd::resources {
namespace {

// Projects are looked for in the newest sessions only.
constexpr int kSessionsLookedAt = 1000;
constexpr int kTopicsLookedAt = 1000;

Result<SessionList> newest_sessions(const tools::ToolServices& services, mcp::ToolContext& context) {
  MEMD_TRY_ASSIGN(const tools::Scope scope, tools::resolve_scope(services, {}));
  MEMD_TRY_ASSIGN(const auto reader, tools::lease_reader(services, context.stop));
  SessionListQuery query;
  query.filter = scope.filter;
  query.filter.include_subagents = false;
  query.limit = kSessionsLookedAt;
  return reader->ask(query);
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
  return [services](std::string_view typed, mcp::ToolContext& context) -> Result<mcp::ArgumentValues> {
    MEMD_TRY_ASSIGN(const tools::Scope scope, tools::resolve_scope(services, {}));
    MEMD_TRY_ASSIGN(const auto reader, tools::lease_reader(services, context.stop));
    TypedSessionsQuery query;
    query.filter = scope.filter;
    query.filter.include_subagents = false;
    query.typed = typed;
    query.limit = static_cast<int>(mcp::kMaxArgumentValues);
    MEMD_TRY_ASSIGN(TypedSessionsQuery::Found found, reader->ask(query));
    const bool more = found.total > static_cast<std::int64_t>(found.uids.size());
    return mcp::ArgumentValues{std::move(found.uids), found.total, more};
  };
}

mcp::Completer project_values(const tools::ToolServices& services) {
  return [services](std::string_view typed, mcp::ToolContext& context) -> Result<mcp::ArgumentValues> {
    MEMD_TRY_ASSIGN(const SessionList list, newest_sessions(services, context));
    const std::string wanted = ascii::lowered(typed);
    mcp::ArgumentValues out;
    for (const SessionRow& row : list.sessions) {
      if (row.project_name.empty() ||
          ascii::lowered(row.project_name + "\n" + row.project_key).find(wanted) == std::string::npos)
        continue;
      if (std::find(out.values.begin(), out.values.end(), row.project_name) == out.values.end())
        offer(out, row.project_name);
    }
    out.more = out.more || list.total > static_cast<std::int64_t>(list.sessions.size());
    return out;
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
