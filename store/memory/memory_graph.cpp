#include "store/memory/memory_graph.hpp"
#include "schemas/base/error.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace memd::memory {

Result<MemoryGraph> MemoryGraph::load(const files::ScopeRoot& root, const std::filesystem::path& file) {
  const auto text = root.read(file, files::kMostIndexBytes);
  if (!text) return text.error().is(Errc::not_found) ? Result<MemoryGraph>(MemoryGraph()) : text.error();
  auto edges = parse_graph(*text);
  if (!edges) return Error(Errc::store_corrupt, (root.directory() / file).string() + " " + edges.error().context);
  return MemoryGraph(*std::move(edges));
}

Result<void> MemoryGraph::save(const files::ScopeRoot& root, const std::filesystem::path& file) const {
  return root.write(file, graph_text(edges_), files::OnDisk::now);
}

bool MemoryGraph::add(std::string_view a, std::string_view b, std::string_view label, TimeMs now) {
  auto& edges = edges_[std::string(a)];
  if (std::any_of(edges.begin(), edges.end(), [&](const MemoryEdge& e) { return e.target == b && e.label == label; }))
    return false;
  edges.push_back({std::string(a), std::string(b), std::string(label), now});
  return true;
}

bool MemoryGraph::link(std::string_view a, std::string_view b, std::string_view label, TimeMs now) {
  const bool there = add(a, b, label, now);
  const bool back = add(b, a, inverse_label(label), now);
  return there || back;
}

bool MemoryGraph::unlink(std::string_view a, std::string_view b, std::optional<std::string_view> label) {
  const auto drop = [&](std::string_view from, std::string_view to, const std::optional<std::string>& wanted) {
    const auto it = edges_.find(from);
    if (it == edges_.end()) return false;
    const auto gone = std::erase_if(
        it->second, [&](const MemoryEdge& e) { return e.target == to && (!wanted || e.label == *wanted); });
    if (it->second.empty()) edges_.erase(it);
    return gone > 0;
  };
  const bool there = drop(a, b, label ? std::optional(std::string(*label)) : std::nullopt);
  const bool back = drop(b, a, label ? std::optional(inverse_label(*label)) : std::nullopt);
  return there || back;
}

std::vector<MemoryEdge> MemoryGraph::erase(std::string_view slug) {
  std::vector<MemoryEdge> out = edges_of(slug);
  if (const auto it = edges_.find(slug); it != edges_.end()) edges_.erase(it);
  for (auto it = edges_.begin(); it != edges_.end();) {
    std::erase_if(it->second, [&](const MemoryEdge& e) { return e.target == slug; });
    it = it->second.empty() ? edges_.erase(it) : std::next(it);
  }
  return out;
}

const std::vector<MemoryEdge>& MemoryGraph::edges_of(std::string_view slug) const {
  static const std::vector<MemoryEdge> kNone;
  const auto it = edges_.find(slug);
  return it == edges_.end() ? kNone : it->second;
}

bool MemoryGraph::has(std::string_view a, std::string_view b) const {
  const auto& edges = edges_of(a);
  return std::any_of(edges.begin(), edges.end(), [&](const MemoryEdge& e) { return e.target == b; });
}

bool MemoryGraph::repair(const std::map<std::string, std::vector<std::string>, std::less<>>& links, TimeMs now) {
  const auto names = [&](std::string_view a, std::string_view b) {
    const auto it = links.find(a);
    return it != links.end() && std::find(it->second.begin(), it->second.end(), b) != it->second.end();
  };
  MemoryGraph repaired;
  for (const auto& [slug, edges] : edges_)
    for (const MemoryEdge& e : edges)
      if (slug != e.target && links.contains(slug) && links.contains(e.target) && is_edge_label(e.label) &&
          (names(slug, e.target) || names(e.target, slug)))
        repaired.link(slug, e.target, e.label, e.created);
  for (const auto& [slug, targets] : links)
    for (const std::string& target : targets)
      if (target != slug && links.contains(target) && !repaired.has(slug, target))
        repaired.link(slug, target, "relates-to", now);
  const auto sorted = [](EdgeLists lists) {
    for (auto& [slug, edges] : lists)
      std::sort(edges.begin(), edges.end(), [](const MemoryEdge& a, const MemoryEdge& b) {
        return std::tie(a.target, a.label) < std::tie(b.target, b.label);
      });
    return lists;
  };
  const bool changed = sorted(edges_) != sorted(repaired.edges_);
  if (changed) edges_ = std::move(repaired.edges_);
  return changed;
}

}  // namespace memd::memory
