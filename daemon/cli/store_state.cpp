#include "daemon/cli/store_state.hpp"

#include "store/files/system_calls.hpp"

#include <sys/stat.h>

namespace memd::cli {

StoreState store_state(const std::filesystem::path& database) {
  StoreState out{};
  std::size_t at = 0;
  for (const char* end : {"", "-wal"}) {
    struct stat s {};
    if (::stat((database.string() + end).c_str(), &s) == 0) {
      const timespec changed = files::changed_at(s);
      out.at(at) = s.st_size;
      out.at(at + 1) = static_cast<std::int64_t>(changed.tv_sec) * 1'000'000'000 + changed.tv_nsec;
    }
    at += 2;
  }
  return out;
}

}  // namespace memd::cli
