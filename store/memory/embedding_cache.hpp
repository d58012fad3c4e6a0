#pragma once

#include "schemas/base/result.hpp"
#include "store/files/scope_root.hpp"
#include "store/memory/memory_json.hpp"

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace memd::memory {

// Cache of the vectors of a scope's memories, one file each: .embedding-cache/<slug>.json. Being a cache, its writes
// are not synced to disk, and an unreadable entry counts as missing. Thread-safe.
class EmbeddingCache {
 public:
  explicit EmbeddingCache(files::ScopeRoot root) : root_(std::move(root)) {}

  // Returns the vector if this model computed it from this content.
  std::optional<CachedEmbedding> find(std::string_view slug, std::string_view model, std::string_view content) const;
  Result<void> put(std::string_view slug, std::string_view model, std::string_view content,
                   const std::vector<float>& vector, TimeMs now) const;
  void remove(std::string_view slug) const;
  std::set<std::string, std::less<>> slugs() const;
  // Removes entries without a memory or of another model (empty: any model). Returns their number.
  int clean(const std::set<std::string, std::less<>>& memories, std::string_view model) const;

  bool has(std::string_view slug) const { return root_.has(file_of(slug)); }
  std::optional<files::FileFacts> facts(std::string_view slug) const { return root_.facts(file_of(slug)); }

 private:
  static std::filesystem::path file_of(std::string_view slug);

  files::ScopeRoot root_;
};

}  // namespace memd::memory
