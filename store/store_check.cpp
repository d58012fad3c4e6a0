#include "store/store_check.hpp"

#include "store/sqlite/database.hpp"

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace memd {

Result<StoreCheck> check_store(const std::filesystem::path& database, std::chrono::milliseconds limit) {
  std::stop_source enough;
  auto found = sqlite::guard([&] {
    auto db = sqlite::Database::open(database, sqlite::OpenMode::read_only);
    db.watch(enough.get_token());
    const std::jthread timer([&](const std::stop_token& done) {
      std::mutex mutex;
      std::unique_lock lock(mutex);
      std::condition_variable_any never;
      never.wait_for(lock, done, limit, [] { return false; });
      if (!done.stop_requested()) enough.request_stop();
    });
    auto& q = db.prepare("PRAGMA quick_check(1)");
    const std::string first = q.step() ? q.str(0) : "nothing was looked at";
    q.reset();
    return StoreCheck{first == "ok" ? std::string() : first, true};
  });
  if (found) return found;
  if (found.error().is(Errc::cancelled)) return StoreCheck{};
  if (found.error().is(Errc::store_corrupt)) return StoreCheck{found.error().message(), true};
  return found;
}

}  // namespace memd
