#pragma once

#include "daemon/config/config.hpp"
#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"
#include "schemas/memory.hpp"
#include "store/memory/memory_directory.hpp"
#include "store/memory/memory_places.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace memd::memories {

// Returns the nearest directory from `directory` upwards with a repository. Empty: none, or only the home directory has
// one.
std::filesystem::path project_of(const std::filesystem::path& directory, const std::filesystem::path& home);

// Returns the type that stands for `type` in a dialect: `fact` is `learning` in the plugin dialect.
MemoryType type_in(MemoryDialect dialect, MemoryType type);

// A memory as a user names it: by slug, id or file, whose path may begin at any directory: "facts/testing.md".
struct MemoryName {
  std::string name;                    // a slug, a title, or the end of a path
  std::optional<MemoryScope> scope{};  // none: the first one by precedence
};

struct FoundMemory {
  memory::MemoryPlace place;  // an agent's own file has no directory
  memory::ReadMemory read;
};

// The destination of a new memory, as far as the caller chose it. Without a dialect, a type of a dialect that cannot be
// written there is kept as its type_in() the other one.
struct Destination {
  std::optional<MemoryType> type{};
  std::optional<MemoryScope> scope{};
  std::optional<MemoryDialect> dialect{};
};

struct NewMemory {
  Destination to;
  std::string title;
  std::string slug;               // empty: derived from type and title
  std::vector<std::string> tags;  // plugin dialect: the type if empty
  std::string text;
  MemoryProvenance provenance{};
};

struct EdgeChange {
  std::string label;     // the label that was used
  bool changed = false;  // false: nothing had to change
};

// Memories and their edges. In the plugin dialect each edge is stored in both directions.
struct MemoryGraphView {
  struct Node {
    Memory memory;
    memory::MemoryPlace place;
  };
  struct Edge {
    MemoryEdge edge;
    memory::MemoryPlace place;
  };
  std::vector<Node> nodes;  // valid memories only
  std::vector<Edge> edges;
};

// The memories of a user and a project for the command line and the tools: finds, places and changes them, and refuses
// what the configuration does not allow. Reads the files at each call. Thread-safe; borrows the clock.
class Notebook {
 public:
  // Applies config.json beside the memories (config::with_files_beside).
  Notebook(memory::MemoryPlaces places, MemoryConfig config, const Clock& clock);

  const memory::MemoryPlaces& places() const { return places_; }
  const MemoryConfig& config() const { return config_; }
  const Clock& clock() const { return clock_; }
  memory::MemoryDirectory directory(const memory::MemoryPlace& place) const;

  // What all(), find(), text_of(), broken_links(), graph() and health() return has its secrets masked.
  // Returns every memory, valid or not, including those of agents.
  std::vector<memory::ReadMemory> all() const;
  // Errc::not_found; Errc::invalid_argument: several files have this name.
  Result<FoundMemory> find(const MemoryName& name) const;
  // Returns the whole file of a memory.
  Result<std::string> text_of(const FoundMemory& found) const;
  // Finds a memory to change. Besides, Errc::permission; files that agents own are refused.
  Result<FoundMemory> find_to_write(const MemoryName& name) const;
  // Errc::invalid_argument, Errc::permission.
  Result<memory::MemoryPlace> place_for_new(const Destination& to) const;
  // The type of a new memory at place_for_new(to). Errc::invalid_argument: `to` names a dialect and a type of another.
  Result<MemoryType> type_for_new(const Destination& to, MemoryDialect dialect) const;

  // Errors as for MemoryDirectory. A conflict is Errc::busy.
  Result<memory::WrittenMemory> create(NewMemory wanted) const;
  // `place` and `type`: of place_for_new() and type_for_new().
  Result<memory::WrittenMemory> create(NewMemory wanted, const memory::MemoryPlace& place, MemoryType type) const;
  // `expected`: file_hash on which the change is based. The change's content is a text; the heading that the dialect
  // requires is put before it.
  Result<memory::WrittenMemory> change(const FoundMemory& found, memory::MemoryChange change,
                                       std::string_view expected) const;
  Result<void> remove(const FoundMemory& found, std::string_view expected) const;
  // Restores the last deleted memory, or the last one of this name.
  Result<Memory> undo(const MemoryName& name) const;
  // The default label is relates-to, in the repository dialect refers_to. Errc::not_found: `other` is not in the scope
  // of `found`.
  Result<EdgeChange> link(const FoundMemory& found, const std::string& other,
                          const std::optional<std::string>& label) const;
  // Without a label, removes all edges between the two.
  Result<EdgeChange> unlink(const FoundMemory& found, const std::string& other,
                            const std::optional<std::string>& label) const;

  // Returns the edges of a memory, seen from it.
  std::vector<MemoryEdge> edges_of(const FoundMemory& found) const;
  // Returns the names of memories that a memory links and that do not exist.
  std::vector<std::string> broken_links(const FoundMemory& found) const;
  // Errc::store_corrupt: a graph cannot be parsed.
  Result<MemoryGraphView> graph() const;
  // Includes the problems of config.json.
  std::vector<MemoryProblem> health() const;

 private:
  Result<memory::MemoryPlace> place_for(std::optional<MemoryScope> scope, std::optional<MemoryDialect> asked) const;

  const memory::MemoryPlaces places_;
  std::vector<MemoryProblem> config_problems_;  // of config.json
  const MemoryConfig config_;
  const Clock& clock_;
};

}  // namespace memd::memories
