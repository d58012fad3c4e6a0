#include "daemon/resources/resource_list.hpp"

#include "daemon/resources/resources.hpp"
#include "daemon/tools/answer.hpp"
#include "store/text/token_budget.hpp"

#include <set>

namespace memd::resources {
namespace {

constexpr int kPageSessions = 50;
constexpr std::size_t kMaxProjects = 10;
constexpr std::size_t kTitleTokens = 30;

mcp::ResourceEntry session_entry(const SessionRow& row) {
  mcp::ResourceEntry entry;
  entry.uri = session_uri(row.uid);
  entry.name = tools::short_line(row.title, kTitleTokens);
  if (entry.name.empty()) entry.name = row.uid;
  entry.description = std::string(to_string(row.platform)) + " in " +
                      (row.project_name.empty() ? row.cwd : row.project_name) + ", " +
                      tools::short_time(row.started_at) + " to " + tools::short_time(row.ended_at) + ", " +
                      tools::counted(row.exchanges, "exchange");
  entry.last_modified = format_rfc3339(row.ended_at);
  return entry;
}

mcp::ResourceEntry project_entry(const SessionRow& newest) {
  mcp::ResourceEntry entry;
  entry.uri = project_uri(newest.project_key);
  entry.name = "Recent work on " + newest.project_name;
  entry.description = newest.project_key;
  entry.last_modified = format_rfc3339(newest.ended_at);
  return entry;
}

}  // namespace

Result<mcp::ResourcePage> list_resources(const tools::ToolServices& services, const std::optional<std::string>& cursor,
                                         mcp::ToolContext& context) {
  const auto question = tools::question_key({"resources/list"});
  MEMD_TRY_ASSIGN(const tools::PageCursor at, tools::decode_cursor(cursor, question));
  MEMD_TRY_ASSIGN(const tools::Scope scope, tools::resolve_scope(services, {}));
  MEMD_TRY_ASSIGN(const auto reader, tools::lease_reader(services, context.stop));
  SessionListQuery query;
  query.filter = scope.filter;
  query.filter.include_subagents = false;
  query.limit = kPageSessions;
  query.offset = static_cast<int>(at.offset);
  MEMD_TRY_ASSIGN(const SessionList list, reader->sessions(query));

  mcp::ResourcePage page;
  std::set<std::string_view> projects;
  for (const SessionRow& row : list.sessions) {
    if (at.offset > 0 || projects.size() >= kMaxProjects) break;
    if (row.project_key.empty() || !projects.insert(row.project_key).second) continue;
    page.entries.push_back(project_entry(row));
  }
  for (const SessionRow& row : list.sessions)
    page.entries.push_back(session_entry(row));
  const std::int64_t end = at.offset + static_cast<std::int64_t>(list.sessions.size());
  if (end < list.total && !list.sessions.empty()) page.next = tools::encode_cursor({end, 0}, question);
  return page;
}

}  // namespace memd::resources
