#pragma once

#include "schemas/text_hash.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace memd::assembly {

// Rows of `paths`, one per distinct path, with a bounded cache. Writer thread only. Throws ErrorException.
class PathInterner {
 public:
  explicit PathInterner(sqlite::Database& db) : db_(db) {}
  std::int64_t intern(std::string_view path);
  std::string path_of(std::int64_t path_pk);
  void clear() { cache_.clear(); }

 private:
  sqlite::Database& db_;
  std::unordered_map<std::string, std::int64_t, TextHash, std::equal_to<>> cache_;
};

}  // namespace memd::assembly
