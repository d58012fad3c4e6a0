#include "daemon/tools/list_observations.hpp"

#include "daemon/tools/reading.hpp"
#include "daemon/tools/scope.hpp"
#include "daemon/tools/team_asker.hpp"
#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/time.hpp"
#include "schemas/exchange_name.hpp"
#include "store/harvest/material.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/observations.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace memd::tools {
namespace {

constexpr std::int64_t kDefaultObservations = 20;
constexpr std::size_t kFilesNamed = 3;

Result<std::vector<std::string>> files_changed(Reader& reader, const Observation& o) {
  std::vector<std::string> out;
  if (!o.exchange_number) return out;
  MEMD_TRY_ASSIGN(const auto files, reader.ask(ExchangeFilesQuery{o.session_pk, *o.exchange_number}));
  for (const ExchangeFile& file : files)
    if (file.access == FileAccess::modified && out.size() < kFilesNamed) out.push_back(file.path);
  return out;
}

ObservationOut observation_out(const ObservationRow& row) {
  const Observation& o = row.observation;
  ObservationOut out;
  out.id = harvest::format_observation_id(o.id);
  out.kind = to_string(o.type);
  out.text = o.content;
  out.timestamp = format_rfc3339(o.time);
  static_cast<SessionRefOut&>(out) = session_ref(row.session_uid, row.session_title, row.platform, 24);
  out.project = row.project;
  if (row.exchange_id != 0) out.exchange_id = format_exchange_id(row.exchange_id);
  out.tool = unless_empty(o.tool);
  if (o.decision) {
    out.decision = decision_out(o, row.reversed_by);
    out.decision->text.reset();  // out.text has it
  }
  return out;
}

// It has no id: its store is another machine's.
ObservationOut observation_out(const team::TeamFinding& found, const std::string& project) {
  ObservationOut out;
  out.kind = found.type;
  out.text = found.content;
  out.timestamp = format_rfc3339(found.started_at);
  out.session_id = found.session_uid;
  out.session_name = short_line(title_of(found), 24);
  out.platform = found.agent;
  out.project = project;
  out.exchange_id = format_exchange_name(found.session_uid, found.number);
  return out;
}

bool is_of_this_store(const ObservationOut& o) { return !o.id.empty(); }

Result<ListObservationsAnswer> run(const ToolServices& services, const ListObservationsParams& params,
                                   mcp::ToolContext& context) {
  MEMD_TRY_ASSIGN(const Scope scope,
                  resolve_scope(services, params, {std::nullopt, params.session_id.value_or(""), &context}));
  const std::string kind = asked_observation(params);
  const auto question = question_key({"list_observations", scope.key, kind});
  MEMD_TRY_ASSIGN(const PageCursor at, decode_cursor(params.cursor, question));
  MEMD_TRY_ASSIGN(const auto reader, lease_reader(services, context.stop));
  const ObservationListQuery query{scope.filter, parse_observation_type(kind),
                                   static_cast<int>(params.n_results.value_or(kDefaultObservations)),
                                   static_cast<int>(at.offset)};
  std::optional<TeamAsker::Asking<team::TeamFinding>> asking;
  if (services.team != nullptr && at.offset == 0)
    asking = services.team->ask_for_observations(*reader, scope, kind, query.limit);
  MEMD_TRY_ASSIGN(const ObservationList list, reader->ask(query));

  ListPage<ObservationOut> page{{}, at.offset, list.total, question};
  for (const ObservationRow& row : list.observations) {
    page.rows.push_back(observation_out(row));
    MEMD_TRY_ASSIGN(auto files, files_changed(*reader, row.observation));
    page.rows.back().files = unless_empty(std::move(files));
  }
  Answer frame = answer_for(scope);
  if (asking) {
    const auto others = services.team->answers(*reader, std::move(*asking));
    lead_with(frame, others.left_out);
    for (const auto& [project, found] : others.rows) {
      const auto newer = [&](const ObservationOut& o) { return o.timestamp < format_rfc3339(found.started_at); };
      page.rows.insert(std::ranges::find_if(page.rows, newer), observation_out(found, project));
    }
  }
  MEMD_TRY_ASSIGN(frame.outside, count_outside(*reader, scope, query, &ObservationList::total, list.total));
  return fit_list(token_limit(services, params), frame, page, &ListObservationsAnswer::observations, is_of_this_store);
}

}  // namespace

AnswerText render_text(const ListObservationsAnswer& a) {
  HistoryText body;
  for (const ObservationOut& o : a.observations) {
    body.add(o.id.empty() ? "-" : o.id, "  ", o.exchange_id.value_or("-"), "  ", short_time(o.timestamp), "  ",
             o.project, "  ");
    if (o.decision) {
      DecisionOut decision = *o.decision;
      decision.text = o.text;
      body.add("decision, ");
      add_decision(body, decision);
    } else {
      body.add(o.kind, ": ", ascii::one_line(o.text));
    }
    body.add("  (", o.session_id, " \"", o.session_name, "\")\n");
    if (o.files) body.add("  files: ", joined(*o.files), "\n");
  }
  return AnswerText()
      .add(answer_header(a), a.observations.size(), " of ", counted_words(a.total, "observation"), ", newest first.\n")
      .quote(body)
      .add(answer_footer(a));
}

void add_list_observations(mcp::ToolRegistry& registry, const ToolServices& services) {
  mcp::ToolInfo info;
  info.name = "list_observations";
  info.title = "What was decided, found and fixed";
  info.description =
      "What decisions were made about something (why, by whom, whether taken back), which problems and bugs "
      "that we ran into, fixes, discoveries, warnings, newest first. For \"what did we decide here\": "
      "observation=decision.";
  info.search_words = "decisions decided problems bugs errors ran into fixes lessons learned";
  registry.add<ListObservationsParams, ListObservationsAnswer>(
      std::move(info),
      [services](const ListObservationsParams& p, mcp::ToolContext& c) { return run(services, p, c); });
}

}  // namespace memd::tools
