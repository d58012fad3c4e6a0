#pragma once

#include "schemas/error.hpp"
#include "schemas/time.hpp"
#include "store/harvest/draft.hpp"
#include "store/harvest/known_memories.hpp"
#include "store/memory/memory_directory.hpp"
#include "store/memory/memory_places.hpp"
#include "store/reader.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memd::memories {

struct PromoteRequest {
  std::string from;                // "x42", "o99"
  memory::MemoryPlace place;       // where it goes; whether memd may write there is the caller's question
  std::optional<MemoryType> type;  // of the place's dialect
  std::string title;               // empty: made
  std::string slug;                // empty: made
  std::vector<std::string> tags;   // empty: made
  bool dry_run = false;
  bool force = false;  // write it although a memory says the same
};

struct Promotion {
  Memory draft;
  std::vector<harvest::SimilarMemory> similar;   // that say the same, the most alike first
  std::optional<memory::WrittenMemory> written;  // none: dry run, or refused because of `similar`
};

// Returns the memories that duplicate a draft, the most similar first.
std::vector<harvest::SimilarMemory> similar_memories(const memory::MemoryPlaces& places, const Memory& draft,
                                                     TimeMs now);

// Makes a memory of an exchange, an observation or a decision. Errc::invalid_argument: `from` is no id; not_found.
Result<Promotion> promote(Reader& reader, const memory::MemoryPlaces& places, const PromoteRequest& request,
                          const Clock& clock);

}  // namespace memd::memories
