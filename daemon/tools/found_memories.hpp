#pragma once

#include "daemon/tools/answer.hpp"
#include "protocol/mcp/describe.hpp"
#include "schemas/search_request.hpp"
#include "store/catalog/memory_search.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Memories in the answers of tools that search history. Free functions without shared state; any thread.
namespace memd {
class Reader;
}

namespace memd::tools {

struct Scope;

inline constexpr std::string_view kFromExchange = "exchange";
inline constexpr std::string_view kFromMemory = "memory";

// The identity and state of a memory.
struct MemoryRefOut : MemoryNameOut {
  std::vector<std::string> tags;
  std::optional<std::string> heading;
  std::optional<std::string> superseded_by;
  std::optional<std::string> status;
  std::optional<bool> changed_since;
};
MemoryRefOut memory_ref(const catalog::MemoryHit& hit);

// A turn or a memory that a search found.
struct FoundOut {
  std::string source{kFromExchange};
  std::string project;
  double relevance_score = 0;
  std::string confidence;
  std::string snippet;
};

// A memory as an entry of a list.
struct FoundMemoryOut : FoundOut {
  MemoryRefOut memory;
  std::string title;
  std::string updated;
  std::string fetch;
};

struct MemoryQuestion {
  const Scope& scope;
  const ParsedQuery& asked;
  SearchMode mode = SearchMode::hybrid;
  std::string kind{};          // type of observation; empty: any
  bool has_platforms = false;  // the call names agents; memories belong to none
  std::string near_project{};
  int limit = 3;
};
struct FoundMemories {
  // Best first. Leaves out hits of low confidence, and agents' files below high confidence.
  std::vector<catalog::MemoryHit> hits;
  AnswerText notice;  // what the search did not cover; may be empty
};
// Finds memories in the scope of a history search: those of its project and of no project, in its time range. `until`
// is the time as of which memories are judged. Returns nothing if the scope is one session, agents are named, or a
// kind of observation other than "decision" is given.
Result<FoundMemories> find_memories(const ToolServices& services, Reader& reader, const MemoryQuestion& question);

FoundMemoryOut found_memory(const catalog::MemoryHit& hit);
std::string fetch_memory(const catalog::MemoryHit& hit);  // returns the call that gives the full text
// Adds "  superseded by x", "  stale: …" and the like to the line of a memory.
void add_memory_marks(HistoryText& to, const MemoryRefOut& memory);
void add_memory(HistoryText& to, const FoundMemoryOut& memory);

// Loads the memories that matter for work on a project: those tagged "pinned", its core and hub memories, those that
// name one of `files`; at most 8 of each. Leaves out superseded and stale ones, and the files that agents read by
// themselves. `project`: as QueryFilter::project.
Result<std::vector<catalog::MemoryHit>> load_memories_in_mind(Reader& reader, const std::string& project,
                                                              const std::vector<std::string>& files);
// Returns a line of at most some 60 tokens for each memory, as many as fit `tokens`.
std::vector<std::string> memories_to_keep_in_mind(const std::vector<catalog::MemoryHit>& hits, std::size_t tokens);

}  // namespace memd::tools

MEMD_DESCRIBE(memd::tools::MemoryRefOut, field<&T::slug>("Its name, for memory_read."),
              field<&T::type>("decision, fact, instructions, …"),
              field<&T::scope>("enterprise, local, project or global."), plain<&T::path, &T::tags>(),
              field<&T::heading>("Anchor of the heading the snippet is below."),
              field<&T::superseded_by>("The memory that replaces it."),
              field<&T::status>("stale: what it describes has changed since; verified; absent: not compared."),
              field<&T::changed_since>("True: after the time asked about; what it said then is not known."));
MEMD_DESCRIBE(memd::tools::FoundMemoryOut, field<&T::source>("memory."), plain<&T::memory, &T::title>(),
              field<&T::project>("Project; empty: of none."), field<&T::updated>("When it was changed, RFC 3339."),
              field<&T::relevance_score>("0 to 1, 1 is best."), field<&T::confidence>(),
              field<&T::snippet>("The passage that fits best, matches in «»."),
              field<&T::fetch>("The call that gives the full text."));
