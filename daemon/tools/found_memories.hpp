#pragma once

#include "daemon/tools/answer_text.hpp"
#include "daemon/tools/scope.hpp"
#include "protocol/mcp/describe.hpp"
#include "store/catalog/memory_search.hpp"
#include "store/reader.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Memories in the answers of tools that search history. Free functions without shared state; any thread.
namespace memd::tools {

inline constexpr std::string_view kFromExchange = "exchange";
inline constexpr std::string_view kFromMemory = "memory";

// The identity of a memory.
struct MemoryRefOut {
  std::string slug;
  std::string type;
  std::string scope;
  std::string path;
  std::vector<std::string> tags;
  std::optional<std::string> heading;
  std::optional<std::string> superseded_by;
  std::optional<std::string> status;
  std::optional<bool> changed_since;
};
MemoryRefOut memory_ref(const catalog::MemoryHit& hit);

// A memory in a list of its own.
struct FoundMemoryOut {
  std::string source;
  MemoryRefOut memory;
  std::string title;
  std::string project;
  std::string updated;
  double relevance_score = 0;
  std::string confidence;
  std::string snippet;
  std::string fetch;
};

struct MemoryQuestion {
  const Scope& scope;
  std::string text;
  SearchMode mode = SearchMode::hybrid;
  std::string kind{};          // of observation; empty: any
  bool has_platforms = false;  // agents were named: memories are of none
  std::string near_project{};
  int limit = 3;
};
struct FoundMemories {
  std::vector<catalog::MemoryHit> hits;  // best first; none of low confidence, of agents' files only sure ones
  AnswerText notice;                     // what the search could not do; may be empty
};
// Of the same scope as a search of history: its project with what is of no project, its time. `until` is the time the
// memories are judged at. Nothing where one session, agents or a kind of observation are asked for that memories are
// not.
Result<FoundMemories> find_memories(const ToolServices& services, Reader& reader, const MemoryQuestion& question);

FoundMemoryOut found_memory(const catalog::MemoryHit& hit);
std::string fetch_memory(const catalog::MemoryHit& hit);  // the call that gives the full text
// "  superseded by x", "  stale" and so on, behind the line of a memory.
void add_memory_marks(HistoryText& to, const MemoryRefOut& memory);
void add_memory(HistoryText& to, const FoundMemoryOut& memory);

// What work on a project has to keep in mind: what is tagged "pinned", its core and hubs, what names one of `files`.
// What does not hold any more, and what agents read by themselves, is left out. `project`: as QueryFilter::project.
Result<std::vector<catalog::MemoryHit>> load_memories_in_mind(Reader& reader, const std::string& project,
                                                              const std::vector<std::string>& files);
// A line each, of at most some 60 tokens; as many as `tokens` hold.
std::vector<std::string> memories_to_keep_in_mind(const std::vector<catalog::MemoryHit>& hits, std::size_t tokens);

}  // namespace memd::tools

namespace memd::mcp {

template <>
struct Describe<tools::MemoryRefOut> {
  using T = tools::MemoryRefOut;
  static constexpr auto fields = fields_of(
      field("slug", &T::slug, "Its name, for memory_read."), field("type", &T::type, "decision, fact, instructions, …"),
      field("scope", &T::scope, "enterprise, local, project or global."), field("path", &T::path, "Its file."),
      field("tags", &T::tags, "Tags."), field("heading", &T::heading, "Anchor of the heading the snippet is below."),
      field("superseded_by", &T::superseded_by, "The memory that holds in its place."),
      field("status", &T::status, "stale: what it tells of has changed since; verified; absent: not compared."),
      field("changed_since", &T::changed_since, "True: after the time asked about; what it said then is not known."));
};
template <>
struct Describe<tools::FoundMemoryOut> {
  using T = tools::FoundMemoryOut;
  static constexpr auto fields =
      fields_of(field("source", &T::source, "memory."), field("memory", &T::memory, "Which one."),
                field("title", &T::title, "Title."), field("project", &T::project, "Project; empty: of none."),
                field("updated", &T::updated, "When it was changed, RFC 3339."),
                field("relevance_score", &T::relevance_score, "0 to 1, 1 is best."),
                field("confidence", &T::confidence, "As of hits."),
                field("snippet", &T::snippet, "The passage that fits best, matches in «»."),
                field("fetch", &T::fetch, "The call that gives the full text."));
};

}  // namespace memd::mcp
