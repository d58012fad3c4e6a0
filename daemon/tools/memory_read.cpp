#include "daemon/tools/memory_read.hpp"

#include "daemon/tools/reading.hpp"
#include "daemon/tools/scope.hpp"
#include "daemon/tools/team_asker.hpp"
#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/time.hpp"
#include "schemas/base/utf8.hpp"
#include "schemas/query.hpp"
#include "store/memory/memory_health.hpp"
#include "store/text/redaction/redactor.hpp"
#include "store/text/token_budget.hpp"

#include <algorithm>
#include <utility>

namespace memd::tools {
namespace {

using memory::ReadMemory;

constexpr std::size_t kTitleTokens = 60;
constexpr std::size_t kMemoriesNamed = 20;  // items shown of each list
constexpr std::size_t kLeastShown = 200;    // bytes of a longer text on each page, however small the answer

std::string masked(std::string text) {
  redact(text);
  return text;
}

std::optional<std::string> memory_time(TimeMs time) {
  return time == 0 ? std::nullopt : std::optional(format_rfc3339(time));
}

std::optional<std::vector<std::string>> first_names(std::vector<std::string> names) {
  if (names.size() > kMemoriesNamed) names.resize(kMemoriesNamed);
  return unless_empty(std::move(names));
}

MemoryOut listed(const Memory& m) {
  MemoryOut out;
  out.slug = m.slug;
  out.type = to_string(m.type);
  out.title = short_line(masked(m.title), kTitleTokens);
  out.scope = to_string(m.scope);
  out.path = m.path.string();
  out.tags = first_names(m.tags);
  if (m.verification.status != VerificationStatus::unknown) out.status = to_string(m.verification.status);
  out.updated = memory_time(m.updated);
  return out;
}

MemoryOut whole(const memories::Notebook& notebook, const memories::FoundMemory& found) {
  const Memory& m = found.read.memory;
  MemoryOut out = listed(m);
  out.created = memory_time(m.created);
  out.version = version_of(m);
  const auto edges = notebook.edges_of(found);
  if (m.dialect != MemoryDialect::agent)
    out.quality = memory::quality_of(m, edges.size(), notebook.clock().now()).score;
  std::vector<MemoryLinkOut> links;
  for (const MemoryEdge& edge : edges) {
    if (links.size() == kMemoriesNamed) break;
    MemoryLinkOut link{edge.label, edge.target, {}};
    if (const auto other = notebook.directory(found.place).read(edge.target))
      link.title = unless_empty(short_line(masked(other->memory.title), kTitleTokens));
    links.push_back(std::move(link));
  }
  out.links = unless_empty(std::move(links));
  if (!m.provenance.empty())
    out.provenance = MemoryProvenanceOut{unless_empty(m.provenance.session), unless_empty(m.provenance.exchange),
                                         first_names(m.provenance.commits), first_names(m.provenance.files),
                                         first_names(m.provenance.events)};
  std::vector<std::string> problems;
  for (const MemoryProblem& problem : found.read.problems)
    problems.push_back(problem.text());
  for (const std::string& link : notebook.broken_links(found))
    problems.push_back("broken link: there is no memory " + masked(link));
  out.problems = first_names(std::move(problems));
  return out;
}

struct ShownMemory {
  MemoryOut head;
  std::string text;
};

// Finds the memory here, else in a team's database.
Result<ShownMemory> find_one(const ToolServices& services, const memories::Notebook& notebook,
                             const MemoryReadParams& params, bool is_first_page, const mcp::ToolContext& context) {
  MEMD_TRY_ASSIGN(const auto name, memory_named(params, params.slug));
  const auto found = notebook.find(name);
  if (found)
    return ShownMemory{is_first_page ? whole(notebook, *found) : listed(found->read.memory),
                       masked(found->read.memory.content)};
  if (services.team == nullptr || name.scope.value_or(MemoryScope::project) != MemoryScope::project)
    return found.error();
  MEMD_TRY_ASSIGN(const auto reader, lease_reader(services, context.stop));
  const auto& project = notebook.places().project;
  const std::string tree = project.empty() ? std::string() : project_tree(project.native());
  const auto of_others = services.team->look_up(*reader, tree, params.slug);
  if (!of_others) return found.error();
  Memory m;
  static_cast<MemoryHead&>(m) = *of_others;
  m.scope = of_others->scope;
  return ShownMemory{listed(m), masked(of_others->snippet)};
}

Result<MemoryReadAnswer> read_one(const ToolServices& services, const memories::Notebook& notebook,
                                  const MemoryReadParams& params, const PageCursor& at, std::uint64_t question,
                                  const mcp::ToolContext& context) {
  MEMD_TRY_ASSIGN(const ShownMemory shown, find_one(services, notebook, params, at.part == 0, context));
  const MemoryOut& head = shown.head;
  const auto begin = std::min(static_cast<std::size_t>(at.part), shown.text.size());
  const std::string_view rest = std::string_view(shown.text).substr(begin);
  const Answer frame = answer_of_files(notebook);
  return fit_answer<MemoryReadAnswer>(token_limit(services, params), frame, [&](std::size_t tokens) {
    MemoryReadAnswer out;
    static_cast<Answer&>(out) = frame;
    out.total = 1;
    MemoryOut one = head;
    if (tokens < estimate_tokens(mcp::to_json(one))) {  // in a small answer the text has priority
      one.provenance.reset();
      one.links.reset();
      one.problems.reset();
      out.notice.say("Links and provenance did not fit: send a larger max_tokens.");
    }
    const std::size_t fixed = estimate_tokens(mcp::to_json(one));
    CutText cut = cut_to_tokens(rest, tokens - std::min(tokens, fixed));
    if (cut.cut && cut.kept_bytes == 0) {
      cut.kept_bytes = utf8_prefix(rest, kLeastShown).size();
      cut.text = std::string(rest.substr(0, cut.kept_bytes)) + "…";
      cut.cut = cut.kept_bytes < rest.size();
    }
    if (cut.cut) out.next = encode_cursor({0, static_cast<std::int64_t>(begin + cut.kept_bytes)}, question);
    one.text = std::move(cut.text);
    out.memories.push_back(std::move(one));
    return out;
  });
}

Result<MemoryReadAnswer> run_read(const ToolServices& services, const MemoryReadParams& params,
                                  const mcp::ToolContext& context) {
  MEMD_TRY(scope_asked(params));
  const memories::Notebook notebook = notebook_for(services, params, context);
  const std::string scope = params.scope.value_or("");
  const auto question = question_key({"memory_read", params.slug, scope, notebook.places().project.native()});
  MEMD_TRY_ASSIGN(const PageCursor at, decode_cursor(params.cursor, question));
  if (!params.slug.empty()) return read_one(services, notebook, params, at, question, context);
  ListPage<MemoryOut> page{{}, at.offset, 0, question};
  for (const ReadMemory& read : notebook.all()) {
    if (!scope.empty() && to_string(read.memory.scope) != scope) continue;
    if (page.total++ < at.offset || page.rows.size() >= 200) continue;
    page.rows.push_back(listed(read.memory));
    if (!read.is_valid()) page.rows.back().status = "invalid";
  }
  Answer frame = answer_of_files(notebook);
  if (page.total == 0) frame.notice.say("There is none yet.");
  return fit_list(token_limit(services, params), frame, page, &MemoryReadAnswer::memories);
}

void add_names(HistoryText& out, const std::optional<std::vector<std::string>>& names) {
  if (names) out.add(" ", joined(*names));
}

void add_provenance(HistoryText& out, const MemoryProvenanceOut& from) {
  out.add("  from");
  if (from.session_id) out.add(" session ", *from.session_id);
  if (from.exchange) out.add(" turn ", *from.exchange);
  if (from.commits) out.add(" commits");
  add_names(out, from.commits);
  if (from.files) out.add(" files");
  add_names(out, from.files);
  if (from.events) out.add(" events");
  add_names(out, from.events);
  out.add("\n");
}

}  // namespace

AnswerText render_text(const MemoryReadAnswer& a) {
  HistoryText body;
  for (const MemoryOut& m : a.memories) {
    body.add(m.slug, "  ", m.type, ", ", m.scope);
    if (m.status) body.add(", ", *m.status);
    if (m.updated) body.add(", ", short_time(*m.updated));
    body.add("  \"", m.title, "\"");
    if (m.tags) body.add("  (", joined(*m.tags), ")");
    body.add("\n");
    if (!m.path.empty()) body.add("  ", m.path, "\n");
    if (m.version) {
      body.add("  version ", *m.version);
      if (m.quality) body.add(", quality ", *m.quality);
      if (m.created) body.add(", created ", short_time(*m.created));
      body.add("\n");
    }
    for (const MemoryLinkOut& link : m.links.value_or(std::vector<MemoryLinkOut>()))
      body.add("  ", link.label, " ", link.slug, " \"", link.title.value_or(""), "\"\n");
    if (m.provenance) add_provenance(body, *m.provenance);
    for (const std::string& problem : m.problems.value_or(std::vector<std::string>()))
      body.add("  ", problem, "\n");
    if (m.text) body.add("\n", HistoryText::Whole{*m.text}, "\n");
  }
  AnswerText out = answer_header(a);
  out.add(a.memories.size(), " of ", a.total, " in all.\n");
  return out.quote(body).add(answer_footer(a));
}

void add_memory_read(mcp::ToolRegistry& registry, const ToolServices& services) {
  mcp::ToolInfo info;
  info.name = "memory_read";
  info.title = "Read a memory or note";
  info.description =
      "One memory or note whole, with its links and where it comes from; without slug the list. CLAUDE.md and "
      "AGENTS.md, too.";
  info.search_words = "read show note memory CLAUDE.md AGENTS.md rules";
  registry.add<MemoryReadParams, MemoryReadAnswer>(
      std::move(info), [services](const MemoryReadParams& p, mcp::ToolContext& c) { return run_read(services, p, c); });
}

}  // namespace memd::tools
