#pragma once

#include "schemas/memory.hpp"
#include "schemas/time.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace memd::memory {

// Where a memory file lies, and what follows from that.
struct MemoryOrigin {
  std::filesystem::path path;
  MemoryDialect dialect = MemoryDialect::plugin;
  MemoryScope scope = MemoryScope::global;
  std::string slug;  // plugin: the file's name; agent: made from the place; repository: empty, the file says it
  MemoryType type = MemoryType::learning;  // agent: what it is; else until the file says
};

// A file as it was read. What can be told of an invalid one is told too.
struct ReadMemory {
  Memory memory;
  std::vector<MemoryProblem> problems;  // broken rules of the dialect, in the order of the lines; empty: a valid memory
  bool is_valid() const { return problems.empty(); }
};

// Reads the bytes of a file. Changes nothing. Every broken rule is a problem with file, line, key and what to do. Files
// of agents have no rules beyond being UTF-8. Pure; thread-safe.
ReadMemory read_memory(const MemoryOrigin& origin, std::string_view bytes, TimeMs now);

}  // namespace memd::memory
