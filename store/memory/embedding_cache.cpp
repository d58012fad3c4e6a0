#include "store/memory/embedding_cache.hpp"

#include "schemas/hash.hpp"
#include "store/files/whole_file.hpp"

#include <system_error>

namespace memd::memory {
namespace fs = std::filesystem;

// A repository may contain a link that leads anywhere.
bool EmbeddingCache::is_link() const {
  std::error_code ec;
  return fs::is_symlink(directory_, ec);
}

std::optional<CachedEmbedding> EmbeddingCache::find(std::string_view slug, std::string_view model,
                                                    std::string_view content) const {
  if (is_link()) return std::nullopt;
  const auto text = files::read_whole(file_of(slug));
  if (!text) return std::nullopt;
  auto cached = parse_embedding(*text);
  if (!cached || cached->slug != slug || cached->model != model || cached->content_hash != sha256_hex(content))
    return std::nullopt;
  return *std::move(cached);
}

Result<void> EmbeddingCache::put(std::string_view slug, std::string_view model, std::string_view content,
                                 const std::vector<float>& vector, TimeMs now) const {
  if (is_link()) return Error(Errc::permission, directory_.string() + " is a link");
  MEMD_TRY(files::make_directories(directory_));
  const CachedEmbedding cached{std::string(slug), std::string(model), vector, sha256_hex(content), now};
  return files::write_whole(file_of(slug), embedding_text(cached), files::OnDisk::later);
}

void EmbeddingCache::remove(std::string_view slug) const {
  std::error_code not_there;
  if (!is_link()) fs::remove(file_of(slug), not_there);
}

std::set<std::string, std::less<>> EmbeddingCache::slugs() const {
  std::set<std::string, std::less<>> out;
  std::error_code ec;
  if (is_link()) return out;
  for (auto it = fs::directory_iterator(directory_, ec); !ec && it != fs::directory_iterator(); it.increment(ec))
    if (it->path().extension() == ".json") out.insert(it->path().stem().string());
  return out;
}

int EmbeddingCache::clean(const std::set<std::string, std::less<>>& memories, std::string_view model) const {
  int removed = 0;
  for (const std::string& slug : slugs()) {
    bool goes = !memories.contains(slug);
    if (!goes && !model.empty()) {
      const auto text = files::read_whole(file_of(slug));
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
