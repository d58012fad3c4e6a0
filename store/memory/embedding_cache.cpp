#include "store/memory/embedding_cache.hpp"

#include "schemas/base/hash.hpp"

#include <utility>

namespace memd::memory {
namespace fs = std::filesystem;
namespace {

constexpr const char* kCacheDirectory = ".embedding-cache";
constexpr std::string_view kCacheEnding = ".json";

}  // namespace

fs::path EmbeddingCache::file_of(std::string_view slug) {
  return fs::path(kCacheDirectory) / std::string(slug).append(kCacheEnding);
}

std::optional<CachedEmbedding> EmbeddingCache::find(std::string_view slug, std::string_view model,
                                                    std::string_view content) const {
  const auto text = root_.read(file_of(slug));
  if (!text) return std::nullopt;
  auto cached = parse_embedding(*text);
  if (!cached || cached->slug != slug || cached->model != model || cached->content_hash != sha256_hex(content))
    return std::nullopt;
  return *std::move(cached);
}

Result<void> EmbeddingCache::put(std::string_view slug, std::string_view model, std::string_view content,
                                 const std::vector<float>& vector, TimeMs now) const {
  const CachedEmbedding cached{std::string(slug), std::string(model), vector, sha256_hex(content), now};
  return root_.write(file_of(slug), embedding_text(cached), files::OnDisk::later);
}

void EmbeddingCache::remove(std::string_view slug) const { (void)root_.remove(file_of(slug)); }

std::set<std::string, std::less<>> EmbeddingCache::slugs() const {
  std::set<std::string, std::less<>> out;
  for (std::string& name : root_.names(kCacheDirectory, kCacheEnding)) {
    name.resize(name.size() - kCacheEnding.size());
    out.insert(std::move(name));
  }
  return out;
}

int EmbeddingCache::clean(const std::set<std::string, std::less<>>& memories, std::string_view model) const {
  int removed = 0;
  for (const std::string& slug : slugs()) {
    bool goes = !memories.contains(slug);
    if (!goes && !model.empty()) {
      const auto text = root_.read(file_of(slug));
      const auto cached = text ? parse_embedding(*text) : Result<CachedEmbedding>(text.error());
      goes = !cached || cached->model != model;
    }
    if (!goes) continue;
    remove(slug);
    ++removed;
  }
  return removed;
}

}  // namespace memd::memory
