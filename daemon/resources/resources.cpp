#include "daemon/resources/resources.hpp"

#include "daemon/resources/argument_values.hpp"
#include "daemon/resources/memory_resources.hpp"
#include "daemon/tools/answer.hpp"
#include "daemon/tools/diagnostics.hpp"
#include "daemon/tools/get_exchange.hpp"
#include "daemon/tools/list_sessions.hpp"
#include "daemon/tools/reading.hpp"
#include "daemon/tools/recent_turns.hpp"
#include "daemon/tools/scope.hpp"
#include "daemon/tools/tool_services.hpp"
#include "daemon/tools/toolset.hpp"
#include "protocol/mcp/described_json.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/harmless.hpp"
#include "schemas/base/time.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/ingestion.hpp"
#include "store/read/sessions.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>

namespace memd::resources {

struct IdVariable {
  std::string id;
};
struct KeyVariable {
  std::string key;
};
struct PlatformVariable {
  std::string platform;
};

}  // namespace memd::resources

MEMD_DESCRIBE(memd::resources::IdVariable,
              field<&memd::resources::IdVariable::id>("Which one.", required, length(1, 300)));
MEMD_DESCRIBE(memd::resources::KeyVariable,
              field<&memd::resources::KeyVariable::key>("Which project.", required, length(1, 500)));

MEMD_DESCRIBE(memd::resources::PlatformVariable,
              field<&memd::resources::PlatformVariable::platform>("Platform key, or all.", required, length(1, 40)));

namespace memd::resources {

std::string session_uri(std::string_view uid) { return "memd://session/" + mcp::percent_encoded(uid); }
std::string project_uri(std::string_view key) { return "memd://project/" + mcp::percent_encoded(key) + "/recent"; }

namespace {

// The list: the main sessions, newest first, in pages. The first page begins with their projects, the diagnostics and
// the memories. Inaccessible platforms are left out, as in the answers of tools.

constexpr int kPageSessions = 50;
constexpr std::size_t kMaxProjects = 10;
constexpr std::size_t kTitleTokens = 30;

// Returns a name as one short line. Names have no room for the markers of quoted history.
std::string recorded_name(std::string_view name) {
  std::string out;
  append_recorded(out, tools::short_line(name, kTitleTokens), Lines::joined);
  return out;
}

mcp::ResourceEntry session_entry(const SessionRow& row) {
  using tools::AnswerText;
  mcp::ResourceEntry entry;
  entry.uri = session_uri(row.uid);
  entry.name = recorded_name(row.title.empty() ? row.uid : row.title);
  entry.description =
      AnswerText()
          .add(row.platform, " in ", AnswerText::Quoted{row.project_name.empty() ? row.cwd : row.project_name}, ", ",
               AnswerText::Time{format_rfc3339(row.started_at)}, " to ", AnswerText::Time{format_rfc3339(row.ended_at)},
               ", ", tools::counted_words(row.exchanges, "turn"))
          .str();
  entry.last_modified = format_rfc3339(row.ended_at);
  return entry;
}

mcp::ResourceEntry project_entry(const SessionRow& newest) {
  mcp::ResourceEntry entry;
  entry.uri = project_uri(newest.project_key);
  entry.name = "Recent work on " + recorded_name(newest.project_name);
  entry.description = recorded(newest.project_key);
  entry.last_modified = format_rfc3339(newest.ended_at);
  return entry;
}

constexpr int kDiagnostics = 50;

// Returns the diagnostics of a platform, or of all accessible ones. not_found: no such platform, or a closed one.
Result<DiagnosticList> diagnostics_of(const tools::ToolServices& services, std::string_view platform,
                                      mcp::ToolContext& context) {
  MEMD_TRY_ASSIGN(const tools::Scope scope, tools::resolve_scope(services, {}));
  DiagnosticQuery query;
  query.limit = kDiagnostics;
  query.platforms = scope.filter.platforms;
  if (platform != "all") {
    const auto one = parse_platform(platform);
    if (!one || !scope.includes(*one))
      return Error(Errc::not_found, "\"" + std::string(platform) + "\" is no platform that memd reads");
    query.platforms = {*one};
  } else if (scope.filter.no_platform) {
    return DiagnosticList{};
  }
  MEMD_TRY_ASSIGN(const auto reader, tools::lease_reader(services, context.stop));
  return reader->ask(query);
}

mcp::ResourceEntry diagnostics_entry(const DiagnosticList& list) {
  mcp::ResourceEntry entry;
  entry.uri = "memd://diagnostics/all";
  entry.name = "Diagnostics";
  entry.description = tools::counted(list.total, "diagnostic") + " of the last 30 days";
  entry.last_modified = format_rfc3339(list.diagnostics.front().time);
  return entry;
}

Result<mcp::ResourcePage> list_resources(const tools::ToolServices& services, const std::optional<std::string>& cursor,
                                         mcp::ToolContext& context) {
  const auto question = tools::question_key({"resources/list"});
  MEMD_TRY_ASSIGN(const tools::PageCursor at, tools::decode_cursor(cursor, question));
  MEMD_TRY_ASSIGN(const DiagnosticList diagnostics, diagnostics_of(services, "all", context));
  MEMD_TRY_ASSIGN(const tools::Scope scope, tools::resolve_scope(services, {}));
  MEMD_TRY_ASSIGN(const auto reader, tools::lease_reader(services, context.stop));
  SessionListQuery query;
  query.filter = scope.filter;
  query.filter.include_subagents = false;
  query.limit = kPageSessions;
  query.offset = static_cast<int>(at.offset);
  MEMD_TRY_ASSIGN(const SessionList list, reader->ask(query));

  mcp::ResourcePage page;
  std::set<std::string_view> projects;
  for (const SessionRow& row : list.sessions) {
    if (at.offset > 0 || projects.size() >= kMaxProjects) break;
    if (row.project_key.empty() || !projects.insert(row.project_key).second) continue;
    page.entries.push_back(project_entry(row));
  }
  if (at.offset == 0 && !diagnostics.diagnostics.empty()) page.entries.push_back(diagnostics_entry(diagnostics));
  if (at.offset == 0)
    for (mcp::ResourceEntry& memory : memory_entries(services, context))
      page.entries.push_back(std::move(memory));
  for (const SessionRow& row : list.sessions)
    page.entries.push_back(session_entry(row));
  const std::int64_t end = at.offset + static_cast<std::int64_t>(list.sessions.size());
  if (end < list.total && !list.sessions.empty()) page.next = tools::encode_cursor({end, 0}, question);
  return page;
}

// Versions: numbers computed from a few rows, which change when the text of a resource changes. A live tail queries
// them after each commit.

using Version = mcp::ResourceRegistry::Version;

constexpr int kProjectSessions = 10;

class Fingerprint {
 public:
  Fingerprint& add(std::string_view text) {
    (text_ += text) += '\n';
    return *this;
  }
  Fingerprint& add(std::int64_t number) { return add(std::to_string(number)); }
  Fingerprint& add(const SessionRow& row) {
    return add(row.uid)
        .add(row.title)
        .add(row.ended_at)
        .add(row.exchanges)
        .add(row.tool_calls)
        .add(row.life.stopped_at)
        .add(row.watermarks.analyzed_at);  // a silent end appears once it has been analysed
  }
  Fingerprint& add(const ExchangeRow& row) {
    return add(row.id)
        .add(row.last_seq)
        .add(row.ended_at)
        .add(row.user_message)
        .add(row.interventions)
        .add(row.assistant_response);
  }
  // Even and not 0, so that the value differs from those that the protocol reserves for "gone" and "unknown".
  std::uint64_t value() const { return std::max<std::uint64_t>(std::hash<std::string>()(text_) & ~1ULL, 2); }

 private:
  std::string text_;
};

// Errors as for Reader::session.
Version session_version(const tools::ToolServices& services, std::string_view reference, mcp::ToolContext& context) {
  MEMD_TRY_ASSIGN(const auto reader, tools::lease_reader(services, context.stop));
  MEMD_TRY_ASSIGN(const SessionRow session, tools::find_session(services, *reader, reference));
  MEMD_TRY_ASSIGN(const auto last, reader->ask(LastExchangesQuery{session.pk, 1}));
  Fingerprint f;
  f.add(session);
  for (const ExchangeRow& row : last)
    f.add(row);
  return f.value();
}

// not_found also for a malformed id.
Version exchange_version(const tools::ToolServices& services, std::string_view id, mcp::ToolContext& context) {
  const auto exchange = parse_exchange_id(id);
  if (!exchange) return Error(Errc::not_found, "\"" + std::string(id) + "\" is no turn id, they look like x42");
  MEMD_TRY_ASSIGN(const auto reader, tools::lease_reader(services, context.stop));
  MEMD_TRY_ASSIGN(const ExchangeRow row, reader->ask(ExchangeQuery{*exchange}));
  return Fingerprint().add(row).value();
}

Version project_version(const tools::ToolServices& services, std::string_view key, mcp::ToolContext& context) {
  MEMD_TRY_ASSIGN(const auto reader, tools::lease_reader(services, context.stop));
  SessionListQuery query;
  query.filter.project = key;
  query.limit = kProjectSessions;
  MEMD_TRY_ASSIGN(const SessionList list, reader->ask(query));
  Fingerprint f;
  f.add(list.total);
  for (const SessionRow& row : list.sessions)
    f.add(row);
  return f.value();
}

Version diagnostics_version(const tools::ToolServices& services, std::string_view platform, mcp::ToolContext& context) {
  MEMD_TRY_ASSIGN(const DiagnosticList list, diagnostics_of(services, platform, context));
  return Fingerprint().add(list.total).add(list.diagnostics.empty() ? 0 : list.diagnostics.front().id).value();
}

// Returns the version of the list: it depends on the sessions, the memories and whether there are diagnostics.
Version list_version(const tools::ToolServices& services, mcp::ToolContext& context) {
  MEMD_TRY_ASSIGN(const DiagnosticList diagnostics, diagnostics_of(services, "all", context));
  MEMD_TRY_ASSIGN(const auto reader, tools::lease_reader(services, context.stop));
  SessionListQuery query;
  query.filter.include_subagents = false;
  query.limit = 1;
  MEMD_TRY_ASSIGN(const SessionList list, reader->ask(query));
  Fingerprint f;
  f.add(list.total).add(diagnostics.total > 0 ? 1 : 0);
  for (const mcp::ResourceEntry& memory : memory_entries(services, context))
    f.add(memory.uri);
  return f.value();
}

constexpr std::int64_t kMaxTokens = 4000;

// Returns the answer of a tool together with the call, so that a reader knows how to get the rest.
template <class Params>
Result<std::string> read_as(const mcp::ToolRegistry& tools, std::string_view tool, Params asked,
                            mcp::ToolContext& context) {
  asked.max_tokens = kMaxTokens;
  const std::string arguments = mcp::to_arguments(asked);
  MEMD_TRY_ASSIGN(const std::string text, tools::tool_text(tools, tool, arguments, context));
  using tools::AnswerText;
  return AnswerText("The answer of ")
             .add(AnswerText::Id{tool}, " with ", AnswerText::Quoted{arguments}, ".\n\n")
             .str() +
         text;
}

// Converts errors for an ambiguous session or a malformed id: nothing can be read under such a URI.
Error as_missing(const Error& error) {
  return error.is(Errc::invalid_argument) ? Error(Errc::not_found, error.message()) : error;
}

}  // namespace

void add_resources(mcp::ResourceRegistry& registry, const tools::ToolServices& services,
                   const mcp::ToolRegistry& tools) {
  using mcp::ResourceRegistry;
  using mcp::ToolContext;

  mcp::ResourceInfo session;
  session.uri_template = "memd://session/{id}";
  session.name = "session";
  session.title = "Session";
  session.description =
      "The last turns of a session of a coding agent: what was asked and done, with ids. The id is that of "
      "list_sessions, or \"latest\".";
  session.completers["id"] = session_values(services);
  registry.add<IdVariable>(
      std::move(session),
      [services, &tools](const IdVariable& v, ToolContext& context) -> Result<std::string> {
        const auto version = session_version(services, v.id, context);
        if (!version) return as_missing(version.error());
        tools::RecentTurnsParams asked;
        asked.session_id = v.id;
        asked.n_turns = 30;
        return read_as(tools, "recent_turns", asked, context);
      },
      [services](const IdVariable& v, ToolContext& context) -> ResourceRegistry::Version {
        auto version = session_version(services, v.id, context);
        if (!version) return as_missing(version.error());
        return version;
      });

  mcp::ResourceInfo exchange;
  exchange.uri_template = "memd://exchange/{id}";
  exchange.name = "exchange";
  exchange.title = "Turn";
  exchange.description = "One user turn with all the work that followed, as a search names it: x42.";
  registry.add<IdVariable>(
      std::move(exchange),
      [services, &tools](const IdVariable& v, ToolContext& context) -> Result<std::string> {
        MEMD_TRY(exchange_version(services, v.id, context));
        tools::GetExchangeParams asked;
        asked.ids = {v.id};
        asked.include_tools = true;
        return read_as(tools, "get_exchange", asked, context);
      },
      [services](const IdVariable& v, ToolContext& context) { return exchange_version(services, v.id, context); });

  mcp::ResourceInfo project;
  project.uri_template = "memd://project/{key}/recent";
  project.name = "project-recent";
  project.title = "Recent work on a project";
  project.description = "The sessions of a project, newest first, and the last turns of the newest one.";
  project.completers["key"] = project_values(services);
  registry.add<KeyVariable>(
      std::move(project),
      [&tools](const KeyVariable& v, ToolContext& context) -> Result<std::string> {
        tools::ListSessionsParams list;
        list.project = v.key;
        list.n_results = 10;
        MEMD_TRY_ASSIGN(std::string text, read_as(tools, "list_sessions", list, context));
        tools::RecentTurnsParams recent;
        recent.project = v.key;
        // a project without sessions has no turns; the list says so
        if (auto turns = read_as(tools, "recent_turns", recent, context)) text += "\n" + *turns;
        return text;
      },
      [services](const KeyVariable& v, ToolContext& context) { return project_version(services, v.key, context); });

  mcp::ResourceInfo diagnostics;
  diagnostics.uri_template = "memd://diagnostics/{platform}";
  diagnostics.name = "diagnostics";
  diagnostics.title = "Diagnostics";
  diagnostics.description =
      "What went wrong with the input of a platform, or of all, in the last 30 days: type, field names, place, and "
      "what "
      "to do.";
  registry.add<PlatformVariable>(
      std::move(diagnostics),
      [services](const PlatformVariable& v, ToolContext& context) -> Result<std::string> {
        MEMD_TRY_ASSIGN(const DiagnosticList list, diagnostics_of(services, v.platform, context));
        // Paths come from other programs.
        const std::string lines = tools::render_text(tools::diagnostics_report(list, services.clock.now()));
        return tools::AnswerText().quote(tools::HistoryText().add(tools::HistoryText::Whole{lines})).str();
      },
      [services](const PlatformVariable& v, ToolContext& context) {
        return diagnostics_version(services, v.platform, context);
      });

  add_memory_resources(registry, services, tools);

  registry.set_list([services](const std::optional<std::string>& cursor,
                               ToolContext& context) { return list_resources(services, cursor, context); },
                    [services](ToolContext& context) { return list_version(services, context); });
}

}  // namespace memd::resources
