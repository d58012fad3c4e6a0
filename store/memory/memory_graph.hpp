#pragma once

#include "schemas/base/result.hpp"
#include "schemas/memory.hpp"
#include "store/files/scope_root.hpp"
#include "store/memory/memory_json.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::memory {

// The edges of a scope. Every change keeps the invariants: each edge is stored in both directions with inverse labels,
// none connects a memory to itself, none occurs twice. A value; one thread.
class MemoryGraph {
 public:
  MemoryGraph() = default;
  explicit MemoryGraph(EdgeLists edges) : edges_(std::move(edges)) {}

  // Returns Errc::store_corrupt if the file is no graph. Without a file the graph has no edges.
  static constexpr const char* kFile = "graph.json";
  static Result<MemoryGraph> load(const files::ScopeRoot& root, const std::filesystem::path& file = kFile);
  Result<void> save(const files::ScopeRoot& root, const std::filesystem::path& file = kFile) const;

  // Returns false if the edge exists. Requires different slugs and is_edge_label().
  bool link(std::string_view a, std::string_view b, std::string_view label, TimeMs now);
  // Removes the edges with this label, or all edges, between the two. Returns false if there was none.
  bool unlink(std::string_view a, std::string_view b, std::optional<std::string_view> label);
  // Removes all edges of a memory, in both directions. Returns the outgoing ones.
  std::vector<MemoryEdge> erase(std::string_view slug);

  const std::vector<MemoryEdge>& edges_of(std::string_view slug) const;
  bool has(std::string_view a, std::string_view b) const;
  const EdgeLists& lists() const { return edges_; }

  // Updates the graph from the files, which are authoritative. `links`: the links in the front matter of each memory.
  // Keeps an edge while one of its memories names the other, adds a "relates-to" edge for a link without one, and
  // removes edges to missing memories. Returns whether something changed.
  bool repair(const std::map<std::string, std::vector<std::string>, std::less<>>& links, TimeMs now);

 private:
  bool add(std::string_view a, std::string_view b, std::string_view label, TimeMs now);
  EdgeLists edges_;
};

}  // namespace memd::memory
