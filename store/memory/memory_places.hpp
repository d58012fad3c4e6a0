#pragma once

#include "schemas/base/result.hpp"
#include "schemas/memory.hpp"
#include "schemas/memory_path_policy.hpp"
#include "store/memory/memory_reader.hpp"

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace memd::memory {

// A directory of memories of one scope and dialect; it may be missing. For the repository dialect it is the root that
// has a folder for each type.
struct MemoryPlace {
  MemoryScope scope = MemoryScope::global;
  MemoryDialect dialect = MemoryDialect::plugin;
  std::filesystem::path directory;
  std::filesystem::path project{};  // the directory is below it, as its repository has it; empty: the user chose it

  // Returns the door to the files.
  files::ScopeRoot root() const;
};

// The places of the memories of a user and a project. A value; accesses the file system in origins() and
// agent_origins() only. Thread-safe.
struct MemoryPlaces {
  std::filesystem::path home;
  std::filesystem::path project;     // absolute; empty: no project
  std::filesystem::path enterprise;  // empty: none
  MemoryPathPolicy policy;

  // Returns Errc::invalid_argument with the possible combinations.
  Result<MemoryPlace> place(MemoryScope scope, MemoryDialect dialect) const;
  // Returns the places in which memd may find memories, by precedence.
  std::vector<MemoryPlace> places() const;
  // Returns each existing memory file: of the places, then of the agents (read-only). By precedence, then by path.
  std::vector<MemoryOrigin> origins() const;
  // Returns only those of agents.
  std::vector<MemoryOrigin> agent_origins() const;
};

// Returns the memory files of a place, without conflict copies. Some may be refused by their door.
std::vector<MemoryOrigin> origins_in(const MemoryPlace& place);
// Derives the origin from a file's name, whether or not the file exists. nullopt: not the name of a memory of this
// place.
std::optional<MemoryOrigin> origin_at(const MemoryPlace& place, const std::filesystem::path& file);
// Returns the directory of Claude Code's notes on the project; it may be missing.
std::filesystem::path notes_directory(const MemoryPlaces& places);
// Returns the directories below a project in which memories and instructions are or may appear, as far as they exist.
std::vector<std::filesystem::path> directories_of_project(const MemoryPlaces& places);
// Returns the copies of texts that lost against a manual edit.
std::vector<std::filesystem::path> conflict_copies_in(const MemoryPlace& place);

// Returns the path of a new memory: <slug>.md; in the repository dialect CORE.md, FACTS/<rest of the id>.md,
// ADR-<rest>.md, PLAYBOOKS/<rest>.md, episodic/<rest>.md, or in the folder of its kind that exists.
std::filesystem::path file_of(const MemoryPlace& place, MemoryType type, std::string_view slug);

}  // namespace memd::memory
