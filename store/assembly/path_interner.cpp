#include "store/assembly/path_interner.hpp"

namespace memd::assembly {
namespace {
constexpr std::size_t kCacheEntries = 20'000;
}

std::int64_t PathInterner::intern(std::string_view path) {
  std::string key(path);
  if (const auto it = cache_.find(key); it != cache_.end()) return it->second;
  auto& find = db_.prepare("SELECT path_pk FROM paths WHERE path = ?");
  find.bind(key);
  std::int64_t pk = 0;
  if (find.step()) {
    pk = find.int64(0);
    find.reset();
  } else {
    db_.prepare("INSERT INTO paths (path) VALUES (?)").bind(key).run();
    pk = db_.last_insert_rowid();
  }
  if (cache_.size() >= kCacheEntries) cache_.clear();
  cache_.emplace(std::move(key), pk);
  return pk;
}

std::string PathInterner::path_of(std::int64_t path_pk) {
  auto& find = db_.prepare("SELECT path FROM paths WHERE path_pk = ?");
  find.bind(path_pk);
  std::string path = find.step() ? find.str(0) : std::string();
  find.reset();
  return path;
}

}  // namespace memd::assembly
