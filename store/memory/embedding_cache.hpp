#pragma once

#include "schemas/error.hpp"
#include "schemas/memory.hpp"
#include "store/memory/memory_json.hpp"

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace memd::memory {

// Vectors of the memories of a scope, a file each: .embedding-cache/<slug>.json. A cache: nothing waits for the disk,
// and an entry that cannot be read is none. A link in place of the directory is not followed. Thread-safe.
class EmbeddingCache {
 public:
  // `directory`: of the memories.
  explicit EmbeddingCache(const std::filesystem::path& directory) : directory_(directory / ".embedding-cache") {}

  // The vector if it was made by this model of this content; stale ones are none.
  std::optional<CachedEmbedding> find(std::string_view slug, std::string_view model, std::string_view content) const;
  Result<void> put(std::string_view slug, std::string_view model, std::string_view content,
                   const std::vector<float>& vector, TimeMs now) const;
  void remove(std::string_view slug) const;
  std::set<std::string, std::less<>> slugs() const;
  // Removes what belongs to no memory, or to another model (empty: of any). Gives how many.
  int clean(const std::set<std::string, std::less<>>& memories, std::string_view model) const;

  std::filesystem::path file_of(std::string_view slug) const { return directory_ / (std::string(slug) + ".json"); }

 private:
  bool is_link() const;

  std::filesystem::path directory_;
};

}  // namespace memd::memory
