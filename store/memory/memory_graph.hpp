#pragma once

#include "schemas/error.hpp"
#include "schemas/memory.hpp"
#include "store/memory/memory_json.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::memory {

// The edges of a scope. Every change keeps the rules: each edge stands in both directions, labels inverted; none leads
// to itself; none stands twice. A value; one thread.
class MemoryGraph {
 public:
  MemoryGraph() = default;
  explicit MemoryGraph(EdgeLists edges) : edges_(std::move(edges)) {}

  // Errc::store_corrupt: the file is there and is no graph. No file: no edges.
  static Result<MemoryGraph> load(const std::filesystem::path& file);
  Result<void> save(const std::filesystem::path& file) const;

  // false: it is there already. Both slugs differ, and the label is_edge_label().
  bool link(std::string_view a, std::string_view b, std::string_view label, TimeMs now);
  // Without a label all edges between the two. false: there was none.
  bool unlink(std::string_view a, std::string_view b, std::optional<std::string_view> label);
  // All edges of a memory, in both directions. Gives the outgoing ones.
  std::vector<MemoryEdge> erase(std::string_view slug);

  const std::vector<MemoryEdge>& edges_of(std::string_view slug) const;
  bool has(std::string_view a, std::string_view b) const;
  const EdgeLists& lists() const { return edges_; }

  // Brings the graph in step with the files, which are the truth. `links`: what the front matter of each memory names.
  // An edge stays while one of its memories names the other; a link without an edge becomes "relates-to"; what leads
  // nowhere goes. true: something changed.
  bool repair(const std::map<std::string, std::vector<std::string>, std::less<>>& links, TimeMs now);

 private:
  bool add(std::string_view a, std::string_view b, std::string_view label, TimeMs now);
  EdgeLists edges_;
};

}  // namespace memd::memory
