#pragma once

#include "daemon/config/config.hpp"
#include "schemas/error.hpp"
#include "schemas/memory.hpp"
#include "schemas/time.hpp"
#include "store/memory/memory_directory.hpp"
#include "store/memory/memory_places.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace memd::memories {

// The nearest directory from here upwards that holds a repository. Empty: there is none, or it is the home directory.
std::filesystem::path project_of(const std::filesystem::path& directory, const std::filesystem::path& home);

// A memory as people name it: its slug or id, or its file, from any directory on: "facts/testing.md".
struct MemoryName {
  std::string name;
  std::optional<MemoryScope> scope{};  // none: the first one by precedence
};

struct FoundMemory {
  memory::MemoryPlace place;  // of an agent's file: without a directory
  memory::ReadMemory read;
};

// The destination of a new memory, as far as the caller chose it.
struct Destination {
  std::optional<MemoryType> type{};
  std::optional<MemoryScope> scope{};
  std::optional<MemoryDialect> dialect{};
};

struct NewMemory {
  Destination to;
  std::string title;
  std::string slug;               // empty: made of type and title
  std::vector<std::string> tags;  // plugin dialect: the type if there is none
  std::string text;
  MemoryProvenance provenance{};
};

// The fields to change. Empty: unchanged.
struct MemoryEdit {
  std::optional<std::string> title{};
  std::optional<MemoryType> type{};
  std::optional<std::vector<std::string>> tags{};
  std::optional<std::string> text{};
  bool is_empty() const { return !title && !type && !tags && !text; }
};

struct EdgeChange {
  std::string label;     // the one that was meant
  bool changed = false;  // false: it was so already
};

// Memories with the edges between them. In the plugin dialect each edge stands in both directions.
struct MemoryGraphView {
  struct Node {
    Memory memory;
    memory::MemoryPlace place;
  };
  struct Edge {
    MemoryEdge edge;
    memory::MemoryPlace place;
  };
  std::vector<Node> nodes;  // valid ones
  std::vector<Edge> edges;
};

// The memories of a person and a project, as the command line and the tools work on them: finds, places and changes
// them, and refuses what the configuration does not allow. The files are read at each call. Thread-safe; borrows the
// clock.
class Notebook {
 public:
  // With what config.json beside the memories says (config::with_files_beside).
  Notebook(memory::MemoryPlaces places, MemoryConfig config, const Clock& clock);

  const memory::MemoryPlaces& places() const { return places_; }
  const MemoryConfig& config() const { return config_; }
  const Clock& clock() const { return clock_; }
  memory::MemoryDirectory directory(const memory::MemoryPlace& place) const;

  // Returns every memory, valid or not, including those of agents.
  std::vector<memory::ReadMemory> all() const;
  // Errc::not_found. Errc::invalid_argument: several files have this name.
  Result<FoundMemory> find(const MemoryName& name) const;
  // Besides: Errc::permission, and what agents own is refused.
  Result<FoundMemory> find_to_write(const MemoryName& name) const;
  // Errc::invalid_argument, Errc::permission.
  Result<memory::MemoryPlace> place_for_new(const Destination& to) const;

  // Errors as MemoryDirectory's. A conflict is Errc::busy.
  Result<memory::WrittenMemory> create(NewMemory wanted) const;
  // `expected`: the file_hash that the change was made from.
  Result<memory::WrittenMemory> change(const FoundMemory& found, MemoryEdit edit, std::string_view expected) const;
  Result<void> remove(const FoundMemory& found, std::string_view expected) const;
  // Restores the last deleted memory, or the last one of this name.
  Result<Memory> undo(const MemoryName& name) const;
  // Without a label: relates-to, or refers_to in the repository dialect. Errc::not_found: there is no `other` in the
  // scope of `found`.
  Result<EdgeChange> link(const FoundMemory& found, const std::string& other,
                          const std::optional<std::string>& label) const;
  // Without a label all edges between the two.
  Result<EdgeChange> unlink(const FoundMemory& found, const std::string& other,
                            const std::optional<std::string>& label) const;

  // Edges of a memory, as they are seen from it.
  std::vector<MemoryEdge> edges_of(const FoundMemory& found) const;
  // Errc::store_corrupt: a graph cannot be read.
  Result<MemoryGraphView> graph() const;
  // With what is wrong with config.json.
  std::vector<MemoryProblem> health() const;

 private:
  const memory::MemoryPlaces places_;
  std::vector<MemoryProblem> config_problems_;  // of config.json
  const MemoryConfig config_;
  const Clock& clock_;
};

}  // namespace memd::memories
