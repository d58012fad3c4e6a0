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

// Cache of the vectors of a scope's memories, one file each: .embedding-cache/<slug>.json. Being a cache, its writes
// are not synced to disk, and an unreadable entry counts as missing. A symbolic link in place of the directory is not
// followed. Thread-safe.
class EmbeddingCache {
 public:
  // `directory`: the directory of the memories.
  explicit EmbeddingCache(const std::filesystem::path& directory) : directory_(directory / ".embedding-cache") {}

  // Returns the vector if this model computed it from this content.
  std::optional<CachedEmbedding> find(std::string_view slug, std::string_view model, std::string_view content) const;
  Result<void> put(std::string_view slug, std::string_view model, std::string_view content,
                   const std::vector<float>& vector, TimeMs now) const;
  void remove(std::string_view slug) const;
  std::set<std::string, std::less<>> slugs() const;
  // Removes entries without a memory or of another model (empty: any model). Returns their number.
  int clean(const std::set<std::string, std::less<>>& memories, std::string_view model) const;

  std::filesystem::path file_of(std::string_view slug) const { return directory_ / (std::string(slug) + ".json"); }

 private:
  bool is_link() const;

  std::filesystem::path directory_;
};

}  // namespace memd::memory
