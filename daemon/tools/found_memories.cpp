#include "daemon/tools/found_memories.hpp"

#include "daemon/tools/answer.hpp"
#include "daemon/tools/scope.hpp"
#include "daemon/tools/tool_services.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/reflected_name.hpp"
#include "schemas/base/time.hpp"
#include "schemas/observation.hpp"
#include "store/reader.hpp"
#include "store/text/token_budget.hpp"

#include <cmath>
#include <set>
#include <utility>

namespace memd::tools {
namespace {

constexpr std::size_t kMindTokens = 60;  // of a line, and of a snippet
constexpr int kMindMost = 8;             // memories of each kind

std::string time_or_nothing(TimeMs time) { return time == 0 ? std::string() : format_rfc3339(time); }

// Returns the first text after the title, about 240 bytes, without headings, code and comments.
std::string gist_of(const catalog::MemoryHit& hit) {
  std::string out;
  std::string_view rest = hit.content;
  bool fenced = false;
  while (!rest.empty() && out.size() < 240) {
    const std::string_view line = ascii::trimmed(ascii::take_until(rest, '\n'));
    if (line.starts_with("```")) fenced = !fenced;
    if (fenced || line.empty() || line.starts_with('#') || line.starts_with("```") || line.starts_with("<!--"))
      continue;
    out.append(out.empty() ? "" : " ").append(line);
  }
  return out;
}

}  // namespace

MemoryRefOut memory_ref(const catalog::MemoryHit& hit) {
  MemoryRefOut out;
  out.slug = hit.slug;
  out.type = to_string(hit.type);
  out.scope = to_string(hit.scope);
  out.path = hit.path;
  out.tags = hit.tags;
  if (!hit.anchor.empty()) out.heading = hit.anchor;
  if (!hit.superseded_by.empty()) out.superseded_by = hit.superseded_by;
  if (hit.status != VerificationStatus::unknown) out.status = to_string(hit.status);
  if (hit.changed_since) out.changed_since = true;
  return out;
}

std::string fetch_memory(const catalog::MemoryHit& hit) {
  const char* const of_others = hit.path.empty() ? ", scope=\"project\"" : "";  // another scope's may be here
  return "memory_read(slug=\"" + hit.slug + "\"" + of_others + ")";
}

FoundMemoryOut found_memory(const catalog::MemoryHit& hit) {
  FoundMemoryOut out;
  out.source = kFromMemory;
  out.memory = memory_ref(hit);
  out.title = short_line(hit.title, 40);
  out.project = hit.project;
  out.updated = time_or_nothing(hit.updated);
  out.relevance_score = std::round(hit.relevance_score * 1000) / 1000;
  out.confidence = reflect::enum_name(hit.confidence);
  out.snippet = cut_to_tokens(hit.snippet, kMindTokens).text;
  out.fetch = fetch_memory(hit);
  return out;
}

Result<FoundMemories> find_memories(const ToolServices& services, Reader& reader, const MemoryQuestion& question) {
  FoundMemories out;
  const QueryFilter& filter = question.scope.filter;
  if (!filter.session.empty() || question.has_platforms || filter.no_platform) return out;
  catalog::MemorySearch search;
  search.asked = question.asked;
  search.mode = question.mode;
  search.limit = question.limit;
  search.now = services.clock.now();
  search.near_project = question.near_project;
  search.filter.project = filter.project;
  search.filter.since = filter.since;
  search.filter.as_of = filter.until;
  if (!question.kind.empty()) {
    if (question.kind != "decision") return out;
    search.filter.types = {MemoryType::decision, MemoryType::adr};
  }
  if (services.look_at_memories && services.look_at_memories({}) == MemoryLook::under_way)
    out.notice.say("The files of memories are being looked at: what was changed a moment ago may be missing.");
  MEMD_TRY_ASSIGN(catalog::MemorySearchAnswer found, reader.ask(search));
  if (found.state == catalog::CatalogState::rebuilding)
    out.notice.say("Memories are being reindexed: some may be missing.");
  else if (found.state == catalog::CatalogState::corrupted && services.freshness.generation() > 0)
    out.notice.say("Memories were not searched: their index is damaged and is rebuilt when the daemon next runs.");
  // Agents' files need high confidence: an agent has its own in its context anyway.
  std::erase_if(found.hits, [](const catalog::MemoryHit& hit) {
    return hit.confidence == Confidence::low ||
           (hit.dialect == MemoryDialect::agent && hit.confidence != Confidence::high);
  });
  out.hits = std::move(found.hits);
  return out;
}

void add_memory_marks(HistoryText& to, const MemoryRefOut& memory) {
  if (memory.superseded_by) to.add("  superseded by ", *memory.superseded_by);
  if (memory.status && *memory.status == "stale") to.add("  stale: what it describes has changed");
  if (memory.changed_since) to.add("  changed since then");
}

void add_memory(HistoryText& to, const FoundMemoryOut& memory) {
  to.add("memory ", memory.memory.slug, "  ", memory.memory.type, ", ", memory.memory.scope, "  \"", memory.title,
         "\"  (", memory.confidence, ")");
  add_memory_marks(to, memory.memory);
  to.add("\n");
  if (!memory.snippet.empty()) to.add("  ", ascii::one_line(memory.snippet), "\n");
}

std::vector<std::string> memories_to_keep_in_mind(const std::vector<catalog::MemoryHit>& hits, std::size_t tokens) {
  std::vector<std::string> out;
  std::size_t used = 0;
  for (const catalog::MemoryHit& hit : hits) {
    std::string line = "[" + hit.slug + "] " + std::string(to_string(hit.type)) + ": " + short_line(hit.title, 24);
    if (const std::string gist = gist_of(hit); !gist.empty()) line += " – " + ascii::one_line(gist);
    line = cut_to_tokens(line, kMindTokens).text;
    const std::size_t cost = estimate_tokens(line) + 4;
    if (used + cost > tokens) continue;
    used += cost;
    out.push_back(std::move(line));
  }
  return out;
}

Result<std::vector<catalog::MemoryHit>> load_memories_in_mind(Reader& reader, const std::string& project,
                                                              const std::vector<std::string>& files) {
  catalog::MemoryFilter holding;
  holding.project = project;
  holding.include_superseded = false;
  holding.include_agent_files = false;  // agents read them by themselves
  holding.include_stale = false;
  std::vector<catalog::MemoryHit> out;
  std::set<std::int64_t> known;
  const auto take = [&](std::vector<catalog::MemoryHit> hits) {
    for (catalog::MemoryHit& hit : hits)
      if (known.insert(hit.id).second) out.push_back(std::move(hit));
  };
  MEMD_TRY_ASSIGN(auto of_files, reader.ask(catalog::MemoriesOfFiles{files, holding, kMindMost}));
  catalog::MemorySearch core;
  core.filter = holding;
  core.filter.types = {MemoryType::core, MemoryType::hub};
  core.limit = kMindMost;
  MEMD_TRY_ASSIGN(auto of_project, reader.ask(core));
  catalog::MemorySearch pinned;
  pinned.filter = holding;
  pinned.filter.tags = {"pinned"};
  pinned.limit = kMindMost;
  MEMD_TRY_ASSIGN(auto of_tag, reader.ask(pinned));
  take(std::move(of_tag.hits));
  take(std::move(of_project.hits));
  take(std::move(of_files));
  return out;
}

}  // namespace memd::tools
