#include "store/write/path_interner.hpp"

namespace memd::assembly {
namespace {
constexpr std::size_t kCacheEntries = 20'000;
}

std::int64_t PathInterner::intern(std::string_view path) {
  if (const auto it = cache_.find(path); it != cache_.end()) return it->second;
  db_.prepare("INSERT OR IGNORE INTO paths (path) VALUES (?)").bind(path).run();
  std::int64_t pk = db_.last_insert_rowid();
  if (db_.changes() == 0) {
    auto& find = db_.prepare("SELECT path_pk FROM paths WHERE path = ?").bind(path);
    find.step();
    pk = find.int64(0);
    find.reset();
  }
  if (cache_.size() >= kCacheEntries) cache_.clear();
  cache_.emplace(path, pk);
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
