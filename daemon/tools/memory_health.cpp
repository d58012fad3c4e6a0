#include "daemon/tools/memory_health.hpp"

#include "daemon/memories/gardener.hpp"
#include "daemon/tools/scope.hpp"
#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/tool_registry.hpp"

#include <utility>

namespace memd::tools {
namespace {

constexpr std::size_t kFindingsRead = 200;  // per page; more never fit

std::vector<MemoryFindingOut> problems_of(const memories::Notebook& notebook) {
  std::vector<MemoryFindingOut> out;
  for (const MemoryProblem& problem : notebook.health()) {
    MemoryFindingOut one;
    one.kind = to_string(problem.kind);
    one.slug = problem.slug;
    one.path = problem.path.string();
    if (problem.line > 0) one.line = problem.line;
    one.message = problem.what();
    out.push_back(std::move(one));
  }
  return out;
}

Result<MemoryHealthAnswer> run_health(const ToolServices& services, const MemoryHealthParams& params,
                                      const mcp::ToolContext& context) {
  const memories::Notebook notebook = notebook_for(services, params, context);
  const auto question = question_key({"memory_health", params.garden ? "1" : "0", notebook.places().project.native()});
  MEMD_TRY_ASSIGN(const PageCursor at, decode_cursor(params.cursor, question));
  Answer frame = answer_of_files(notebook);
  std::vector<MemoryFindingOut> all = problems_of(notebook);
  if (all.empty()) frame.notice.say("Nothing is wrong.");
  if (params.garden) {
    MEMD_TRY_ASSIGN(const auto plan, memories::Gardener(notebook, nullptr, true).plan());
    for (const auto& step : plan.steps)
      all.push_back({std::string(to_string(step.action)), step.slug, step.place.directory.string(), {}, step.why});
    for (const std::string& notice : plan.notices)
      frame.notice.say(AnswerText::Message{notice}, ".");
    frame.notice.say("Nothing was changed: `memd memory garden --apply` does it.");
  }
  ListPage<MemoryFindingOut> page{{}, at.offset, static_cast<std::int64_t>(all.size()), question};
  for (auto i = static_cast<std::size_t>(at.offset); i < all.size() && page.rows.size() < kFindingsRead; ++i)
    page.rows.push_back(std::move(all[i]));
  return fit_list(token_limit(services, params), frame, page, &MemoryHealthAnswer::findings);
}

}  // namespace

AnswerText render_text(const MemoryHealthAnswer& a) {
  HistoryText body;
  for (const MemoryFindingOut& one : a.findings) {
    body.add(one.kind, "  ", one.slug, "  ", one.path);
    if (one.line) body.add(":", *one.line);
    body.add("\n  ", one.message, "\n");
  }
  return answer_header(a).add(a.findings.size(), " of ", a.total, " in all.\n").quote(body).add(answer_footer(a));
}

void add_memory_health(mcp::ToolRegistry& registry, const ToolServices& services) {
  mcp::ToolInfo info;
  info.name = "memory_health";
  info.title = "Memories that are out of date";
  info.description = "Are saved memories and notes out of date? Finds broken, stale or poor ones. Changes nothing.";
  info.search_words = "stale out of date outdated saved memories notes broken check";
  registry.add<MemoryHealthParams, MemoryHealthAnswer>(
      std::move(info),
      [services](const MemoryHealthParams& p, mcp::ToolContext& c) { return run_health(services, p, c); });
}

}  // namespace memd::tools
