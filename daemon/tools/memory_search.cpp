#include "daemon/tools/memory_search.hpp"

#include "daemon/tools/reading.hpp"
#include "daemon/tools/scope.hpp"
#include "daemon/tools/team_asker.hpp"
#include "daemon/tools/time_argument.hpp"
#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/query.hpp"
#include "store/catalog/memory_search.hpp"
#include "store/search/words/query_parser.hpp"
#include "store/text/token_budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace memd::tools {
namespace {

constexpr int kHits = 20;  // per page

Result<MemorySearchToolAnswer> run_search(const ToolServices& services, const MemorySearchParams& params,
                                          const mcp::ToolContext& context) {
  const memories::Notebook notebook = notebook_for(services, params, context);
  const auto& project = notebook.places().project;
  const MemoryLook look = services.look_at_memories ? services.look_at_memories(project.native()) : MemoryLook::done;
  catalog::MemorySearch search;
  search.now = services.clock.now();
  search.asked = search::parse_query(params.query, search.now);
  search.limit = kHits;
  if (!project.empty()) search.filter.project = project_tree(project.native());
  MEMD_TRY_ASSIGN(const auto scope, scope_asked(params));
  if (scope) search.filter.scopes = {*scope};
  MEMD_TRY_ASSIGN(const auto type, type_asked(params.type));
  if (type) search.filter.types = {*type};
  if (!params.as_of.value_or("").empty()) {
    MEMD_TRY_ASSIGN(search.filter.as_of, parse_time_argument("as_of", *params.as_of, RangeEnd::until, services.clock));
  }
  const auto question = question_key({"memory_search", params.query, params.scope.value_or(""),
                                      params.type.value_or(""), params.as_of.value_or(""), project.native()});
  MEMD_TRY_ASSIGN(const PageCursor at, decode_cursor(params.cursor, question));
  search.offset = static_cast<int>(at.offset);
  MEMD_TRY_ASSIGN(const auto reader, lease_reader(services, context.stop));
  std::optional<TeamAsker::Asking<team::TeamMemoryHit>> asking;
  if (services.team != nullptr && at.offset == 0 && search.filter.as_of == 0 &&
      scope.value_or(MemoryScope::project) == MemoryScope::project)
    asking = services.team->ask_for_memories(*reader, search.filter.project, search.asked,
                                             type ? to_string(*type) : std::string_view(), kHits);
  MEMD_TRY_ASSIGN(catalog::MemorySearchAnswer found, reader->ask(search));
  Answer frame = answer_of_files(notebook);
  lead_with(frame, words_for_trouble(services.freshness));
  if (look == MemoryLook::under_way)
    lead_with(frame, "The files of memories are being looked at: what was changed a moment ago may be missing.");
  if (look == MemoryLook::none)
    lead_with(frame, "The files of memories were not looked at now: they are found as memd read them last.");
  if (found.state != catalog::CatalogState::valid)
    frame.notice.say("Not all memories can be found now: the catalog is ", found.state, ".");
  TeamAsker::Remembered others;
  if (asking) others = services.team->remembered(*reader, std::move(*asking), search.now);
  lead_with(frame, others.left_out);
  for (catalog::MemoryHit& hit : others.hits) {
    found.nothing_relevant = found.nothing_relevant && hit.confidence == Confidence::low;
    const auto is_worse = [&](const catalog::MemoryHit& one) {
      return std::pair(one.relevance_score, one.updated) < std::pair(hit.relevance_score, hit.updated);
    };
    found.hits.insert(std::ranges::find_if(found.hits, is_worse), std::move(hit));
  }
  if (found.nothing_relevant)
    frame.notice.say(look == MemoryLook::done ? AnswerText("Nothing fits: try other words once.")
                                              : AnswerText("Nothing fits in what is known of them."));
  std::vector<FoundMemoryOut> rows;
  for (const auto& hit : found.hits)
    rows.push_back(found_memory(hit));
  return fit_answer<MemorySearchToolAnswer>(token_limit(services, params), frame, [&](std::size_t tokens) {
    MemorySearchToolAnswer out;
    static_cast<Answer&>(out) = frame;
    out.nothing_relevant = found.nothing_relevant;
    TokenBudget budget(tokens);
    for (const FoundMemoryOut& row : rows) {
      if (!budget.take_text(mcp::to_json(row)) && !out.memories.empty()) break;
      out.memories.push_back(row);
    }
    const bool more = found.more || out.memories.size() < rows.size();
    const auto is_of_this_machine = [](const FoundMemoryOut& m) { return !m.memory.path.empty(); };
    if (more && !out.memories.empty())
      out.next = encode_cursor({at.offset + std::ranges::count_if(out.memories, is_of_this_machine), 0}, question);
    return out;
  });
}

}  // namespace

AnswerText render_text(const MemorySearchToolAnswer& a) {
  HistoryText body;
  for (const FoundMemoryOut& m : a.memories) {
    add_memory(body, m);
    if (!m.memory.path.empty()) body.add("  ", m.memory.path);
    if (m.memory.heading) body.add("#", *m.memory.heading);
    if (!m.project.empty()) body.add("  of ", m.project);
    if (m.memory.status) body.add("  ", *m.memory.status);
    if (!m.updated.empty()) body.add("  ", short_time(m.updated));
    body.add("  score ", fmt::format("{:.2f}", m.relevance_score));
    if (!m.memory.tags.empty()) body.add("  (", joined(m.memory.tags), ")");
    body.add("\n");
  }
  AnswerText out = answer_header(a);
  out.add(counted_words(static_cast<std::int64_t>(a.memories.size()), "hit"), ", best first.\n");
  return out.quote(body).add(answer_footer(a));
}

void add_memory_search(mcp::ToolRegistry& registry, const ToolServices& services) {
  mcp::ToolInfo info;
  info.name = "memory_search";
  info.title = "Search memories and notes";
  info.description =
      "Recall what memories and notes say about something: preferences, decisions and lessons that people keep.";
  info.search_words = "recall remember notes memory preferences prefer conventions what do my notes say";
  registry.add<MemorySearchParams, MemorySearchToolAnswer>(
      std::move(info),
      [services](const MemorySearchParams& p, mcp::ToolContext& c) { return run_search(services, p, c); });
}

}  // namespace memd::tools
