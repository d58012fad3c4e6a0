#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/memory.hpp"
#include "store/files/scope_root.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace memd::memory {

// The location of a memory file and what it implies.
struct MemoryOrigin {
  std::filesystem::path path;
  MemoryDialect dialect = MemoryDialect::plugin;
  MemoryScope scope = MemoryScope::global;
  std::string slug;  // plugin: the file's name; agent: from the place; repository: empty, given in the file
  MemoryType type = MemoryType::learning;  // agent: the final type; otherwise until the file gives it
  files::ScopeRoot root{};                 // the door to the file
};

// The result of reading a file. An invalid memory is filled in as far as possible.
struct ReadMemory {
  Memory memory;
  std::vector<MemoryProblem> problems;  // broken rules of the dialect, by line; empty: a valid memory
  bool is_unread = false;               // nothing is known of the file's content
  bool is_valid() const { return problems.empty(); }
};

// Parses the bytes of a file. Reports every broken rule as a problem with file, line, key and remedy. Files of agents
// only have to be valid UTF-8. Pure; thread-safe.
ReadMemory read_memory(const MemoryOrigin& origin, std::string_view bytes, TimeMs now);

// Masks secrets in everything that a memory shows: text, title, tags, provenance, labels and problems.
void mask_secrets(ReadMemory& read);
void mask_secrets(Memory& memory);

// Returns the invalid memory that stands for a file which is not read, and why.
ReadMemory unread_memory(const MemoryOrigin& origin, std::string why);
// Reads the file of an origin; unread_memory() if that fails.
ReadMemory read_memory_file(const MemoryOrigin& origin, TimeMs now);

}  // namespace memd::memory
