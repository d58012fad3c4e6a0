#include "store/memory/memory_health.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "store/memory/embedding_cache.hpp"
#include "store/memory/memory_graph.hpp"
#include "store/memory/memory_index.hpp"
#include "store/text/redaction/redactor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

namespace memd::memory {
namespace {

constexpr std::size_t kShortText = 40;  // bytes
constexpr std::size_t kLongText = 3000;
constexpr int kOldDays = 365;

// The check of one place. Lives for one call.
class PlaceCheck {
 public:
  PlaceCheck(const MemoryPlace& place, const HealthLimits& limits, TimeMs now, std::vector<MemoryProblem>& out)
      : place_(place), limits_(limits), now_(now), out_(out) {}

  void run() {
    const auto origins = origins_in(place_);
    for (const MemoryOrigin& origin : origins)
      read(origin);
    for (const auto& copy : conflict_copies_in(place_))
      out_.push_back({MemoryProblemKind::conflict_copy, "", copy, 0, "",
                      "a text that lost against an edit: bring both together and delete this copy"});
    if (place_.dialect == MemoryDialect::plugin) {
      check_graph();
      if (!memories_.empty() || !origins.empty()) check_index();
      check_cache();
    }
    for (const auto& [slug, memory] : memories_)
      for (const auto& relation : memory.relations)
        ++incoming_[relation.target];
    for (const auto& [slug, memory] : memories_)
      check_memory(memory);
  }

 private:
  void add(MemoryProblemKind kind, const Memory& m, std::string key, std::string message) {
    out_.push_back({kind, m.slug, m.path, 0, std::move(key), std::move(message)});
  }

  void read(const MemoryOrigin& origin) {
    ReadMemory read = read_memory_file(origin, now_);
    out_.insert(out_.end(), read.problems.begin(), read.problems.end());
    if (!read.is_valid()) return;
    const auto [it, is_first] = memories_.try_emplace(read.memory.slug, read.memory);
    if (!is_first)
      add(MemoryProblemKind::duplicate, read.memory, "id",
          "is that of " + it->second.path.string() + " too: give one another");
  }

  std::size_t incoming(const std::string& slug) const {
    const auto it = incoming_.find(slug);
    return it == incoming_.end() ? 0 : it->second;
  }

  void check_graph() {
    const auto file = place_.directory / MemoryGraph::kFile;
    auto graph = MemoryGraph::load(root_);
    if (!graph) {
      out_.push_back({MemoryProblemKind::corrupt_graph, "", file, 0, "",
                      "cannot be read; the next change rebuilds it from the links of the files"});
      return;
    }
    graph_ = *std::move(graph);
    for (const auto& [slug, edges] : graph_.lists())
      for (const MemoryEdge& edge : edges) {
        const auto& back = graph_.edges_of(edge.target);
        const bool has_back = std::any_of(back.begin(), back.end(), [&, from = slug](const MemoryEdge& e) {
          return e.target == from && e.label == inverse_label(edge.label);
        });
        const std::string which = edge.label + " " + edge.target;
        if (!memories_.contains(slug) || !memories_.contains(edge.target))
          out_.push_back({MemoryProblemKind::broken_link, slug, file, 0, slug, which + " leads from or to no memory"});
        else if (!has_back)
          out_.push_back({MemoryProblemKind::one_way_edge, slug, file, 0, slug, which + " has no edge back"});
        else if (!names(slug, edge.target))
          add(MemoryProblemKind::one_way_edge, memories_.at(slug), "links", "does not name " + edge.target);
      }
  }

  bool names(const std::string& slug, const std::string& target) const {
    const auto& links = memories_.at(slug).links;
    return std::find(links.begin(), links.end(), target) != links.end();
  }

  void check_index() {
    const auto file = place_.directory / IndexFile::kFile;
    const auto index = IndexFile(root_).load();
    if (!index) {
      const bool is_missing = index.error().is(Errc::not_found);
      out_.push_back({MemoryProblemKind::corrupt_index, "", file, 0, "",
                      std::string(is_missing ? "is missing" : "cannot be read") + "; the next change rebuilds it"});
      return;
    }
    const auto cached = EmbeddingCache(root_).slugs();
    for (const auto& [slug, memory] : memories_) {
      const auto it = index->memories.find(slug);
      if (it == index->memories.end())
        add(MemoryProblemKind::missing_index_entry, memory, "", "is not in index.json; the next change rebuilds it");
      else if (it->second != index_entry(memory, cached.contains(slug)))
        add(MemoryProblemKind::stale_index_entry, memory, "", "differs from its entry in index.json");
    }
    for (const auto& [slug, entry] : index->memories)
      if (!memories_.contains(slug))
        out_.push_back(
            {MemoryProblemKind::stale_index_entry, slug, file, 0, slug, "there is no valid memory of this name"});
  }

  void check_cache() {
    for (const std::string& slug : EmbeddingCache(root_).slugs())
      if (!memories_.contains(slug))
        out_.push_back({MemoryProblemKind::orphan_cache, slug, place_.directory / ".embedding-cache" / (slug + ".json"),
                        0, "", "is the vector of no memory: delete it"});
  }

  void check_memory(const Memory& m) {
    const std::size_t edges = graph_.edges_of(m.slug).size() + m.relations.size() + incoming(m.slug);
    for (const auto& link : m.links) {
      if (!memories_.contains(link))
        add(MemoryProblemKind::broken_link, m, "links", "there is no memory " + link);
      else if (!graph_.has(m.slug, link))
        add(MemoryProblemKind::one_way_edge, m, "links", link + " has no edge in graph.json");
    }
    for (const auto& relation : m.relations)
      if (!memories_.contains(relation.target))
        add(MemoryProblemKind::broken_link, m, "relations." + relation.label,
            "there is no document " + relation.target);
    if (m.type == MemoryType::hub && edges == 0)
      add(MemoryProblemKind::empty_hub, m, "", "links no memories: add links, or delete it");
    else if (place_.dialect == MemoryDialect::plugin && edges == 0 && m.links.empty() &&
             now_ - m.updated > limits_.orphan_days * kMsPerDay)
      add(MemoryProblemKind::orphan, m, "",
          "has no link, and was not changed for " + std::to_string((now_ - m.updated) / kMsPerDay) + " days");
    if (has_secret(m.content) || has_secret(m.title))
      add(MemoryProblemKind::secret, m, "", "holds a secret: take it out, and change it where it is used");
    if (m.verification.status == VerificationStatus::stale)
      add(MemoryProblemKind::stale, m, "verification.status", "is stale: look whether it still holds");
    const MemoryQuality quality = quality_of(m, edges, now_);
    if (quality.score >= limits_.min_quality) return;
    add(MemoryProblemKind::low_quality, m, "",
        fmt::format("quality {} of 100: {}", quality.score, fmt::join(quality.reasons, ", ")));
  }

  const MemoryPlace& place_;
  const files::ScopeRoot root_ = place_.root();
  const HealthLimits& limits_;
  const TimeMs now_;
  std::vector<MemoryProblem>& out_;
  std::map<std::string, Memory, std::less<>> memories_;       // valid ones
  std::map<std::string, std::size_t, std::less<>> incoming_;  // number of relations from other memories
  MemoryGraph graph_;
};

}  // namespace

MemoryQuality quality_of(const Memory& m, std::size_t edges, TimeMs now) {
  MemoryQuality out;
  const auto take = [&](bool applies, int points, std::string_view why) {
    if (!applies) return;
    out.score -= points;
    out.reasons.push_back(std::string(why) + ": -" + std::to_string(points));
  };
  std::string_view text = ascii::trimmed(m.content);
  if (text.starts_with("# ")) text = ascii::trimmed(text.substr(std::min(text.find('\n'), text.size())));
  take(text.empty(), 55, "no text");
  take(!text.empty() && text.size() < kShortText, 30, "a very short text");
  take(text.size() > kLongText && m.content.find("\n## ") == std::string::npos, 15, "a long text without headings");
  take(m.title.size() < 8, 15, "a title that says little");
  take(m.tags.size() < 2, 5, "fewer than two tags");
  take(edges == 0, 15, "no links");
  take(m.provenance.empty(), 5, "no provenance");
  take(m.verification.status == VerificationStatus::stale, 25, "stale");
  take(m.updated != 0 && now - m.updated > kOldDays * kMsPerDay, 10, "not changed for a year");
  out.score = std::max(out.score, 0);
  return out;
}

std::vector<MemoryProblem> check_health(const MemoryPlaces& places, const HealthLimits& limits, TimeMs now) {
  std::vector<MemoryProblem> out;
  for (const MemoryPlace& place : places.places())
    PlaceCheck(place, limits, now, out).run();
  for (const MemoryOrigin& origin : places.origins()) {
    if (origin.dialect != MemoryDialect::agent) continue;
    const auto bytes = origin.root.read(origin.path);
    const ReadMemory read = bytes ? read_memory(origin, *bytes, now) : unread_memory(origin, bytes.error().message());
    out.insert(out.end(), read.problems.begin(), read.problems.end());
    if (bytes && has_secret(*bytes))
      out.push_back({MemoryProblemKind::secret, origin.slug, origin.path, 0, "",
                     "holds a secret: take it out, and change it where it is used"});
  }
  return out;
}

}  // namespace memd::memory
