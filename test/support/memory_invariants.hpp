#pragma once

#include "store/memory/memory_directory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

namespace memd::test {

// Checks the invariants of an idle directory of the plugin dialect: every edge exists in both directions and as a link
// in both files, the index matches the files, and no temporary file is left.
inline void expect_memory_invariants(const memory::MemoryDirectory& directory) {
  std::map<std::string, std::vector<std::string>> links;
  for (const auto& read : directory.read_all())
    if (read.is_valid()) links[read.memory.slug] = read.memory.links;
  const auto graph = memory::MemoryGraph::load(directory.root());
  ASSERT_TRUE(graph) << graph.error().message();
  for (const auto& [slug, edges] : graph->lists()) {
    std::set<std::pair<std::string, std::string>> seen;
    for (const MemoryEdge& edge : edges) {
      EXPECT_NE(slug, edge.target);
      EXPECT_TRUE(seen.insert({edge.target, edge.label}).second) << slug << " twice to " << edge.target;
      ASSERT_TRUE(links.contains(slug) && links.contains(edge.target)) << slug << " → " << edge.target;
      const auto& back = graph->edges_of(edge.target);
      EXPECT_TRUE(std::any_of(
          back.begin(), back.end(),
          [&, from = slug](const MemoryEdge& e) { return e.target == from && e.label == inverse_label(edge.label); }))
          << slug << " → " << edge.target << " goes one way";
      EXPECT_EQ(std::count(links[slug].begin(), links[slug].end(), edge.target), 1) << slug << " → " << edge.target;
    }
  }
  for (const auto& [slug, targets] : links)
    for (const std::string& target : targets)
      if (links.contains(target)) {
        EXPECT_TRUE(graph->has(slug, target)) << slug << " links " << target;
      }
  EXPECT_EQ(directory.check(), memory::MemoryDirectory::IndexState::valid);
  for (const auto& entry : std::filesystem::directory_iterator(directory.place().directory)) {
    EXPECT_FALSE(entry.path().filename().string().starts_with(".memd-new-")) << entry.path();
    EXPECT_NE(entry.path().filename(), ".pending");
  }
}

}  // namespace memd::test
