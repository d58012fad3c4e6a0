#pragma once

#include "schemas/error.hpp"
#include "schemas/memory.hpp"
#include "schemas/memory_path_policy.hpp"
#include "store/memory/memory_reader.hpp"

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace memd::memory {

// A directory of memories of one scope and dialect; it need not be there. Of the repository dialect the root, below
// which each kind has its folder.
struct MemoryPlace {
  MemoryScope scope = MemoryScope::global;
  MemoryDialect dialect = MemoryDialect::plugin;
  std::filesystem::path directory;
};

// Where memories of a person and a project are. A value; looks into the file system in memories() and origins() only.
// Thread-safe.
struct MemoryPlaces {
  std::filesystem::path home;
  std::filesystem::path project;     // absolute; empty: of no project
  std::filesystem::path enterprise;  // empty: none
  MemoryPathPolicy policy;

  // Errc::invalid_argument says which of them are possible.
  Result<MemoryPlace> place(MemoryScope scope, MemoryDialect dialect) const;
  // Those that memd may find memories in, by precedence.
  std::vector<MemoryPlace> places() const;
  // Each memory file that is there: of the places, then of the agents (read only). By precedence, then by path.
  std::vector<MemoryOrigin> origins() const;
  // Of these, those of agents.
  std::vector<MemoryOrigin> agent_origins() const;
};

// The memory files of a place. Copies that lost a conflict are not among them.
std::vector<MemoryOrigin> origins_in(const MemoryPlace& place);
// Of a file by its name, whether it is there or not. Nullopt: memories of this place have other names.
std::optional<MemoryOrigin> origin_at(const MemoryPlace& place, const std::filesystem::path& file);
// Where Claude Code keeps its notes of the project; it need not be there.
std::filesystem::path notes_directory(const MemoryPlaces& places);
// Texts that lost against an edit by hand.
std::vector<std::filesystem::path> conflict_copies_in(const MemoryPlace& place);

// Where a new memory of a place goes: <slug>.md, facts/<rest of the id>.md, episodic/<rest of the id>.md.
std::filesystem::path file_of(const MemoryPlace& place, MemoryType type, std::string_view slug);

}  // namespace memd::memory
