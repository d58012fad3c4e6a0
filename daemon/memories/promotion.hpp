#pragma once

#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"
#include "store/harvest/known_memories.hpp"
#include "store/harvest/material.hpp"
#include "store/memory/memory_directory.hpp"
#include "store/memory/memory_places.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace memd {
class Reader;
}

namespace memd::memories {

struct PromoteRequest {
  std::string from;                // "x42", "o99"
  memory::MemoryPlace place;       // destination; the caller checks whether memd may write there
  std::optional<MemoryType> type;  // one of the place's dialect
  std::string title;               // empty: derived
  std::string slug;                // empty: derived
  std::vector<std::string> tags;   // empty: derived
  bool dry_run = false;
  bool force = false;  // write although there are duplicates
};

struct Promotion {
  Memory draft;
  std::vector<harvest::SimilarMemory> similar;   // duplicates of the draft, the most similar first
  std::optional<memory::WrittenMemory> written;  // none: dry run, or refused because of `similar`
};

// Returns the stored memories similar enough to a draft to count as duplicates, the most similar first.
std::vector<harvest::SimilarMemory> similar_memories(const memory::MemoryPlaces& places, const Memory& draft,
                                                     TimeMs now);

// Gives events the ids of the log that they come from. Empty: they keep memd's.
using NameEvents = std::function<void(Reader& reader, harvest::Material& material)>;

// Makes a memory from an exchange, an observation or a decision. Errc::invalid_argument: `from` is not an id, or `type`
// is not of the place's dialect; Errc::not_found.
Result<Promotion> promote(Reader& reader, const memory::MemoryPlaces& places, const PromoteRequest& request,
                          const Clock& clock, const NameEvents& name_events = {});
// Writes what a dry run of the same request has shown.
Result<memory::WrittenMemory> write(const Promotion& shown, const memory::MemoryPlaces& places,
                                    const PromoteRequest& request, const Clock& clock);

}  // namespace memd::memories
