#include "bench/served_home.hpp"

#include "bench/rpc_client.hpp"
#include "store/db/database.hpp"

#include <fmt/core.h>
#include <boost/json/object.hpp>

#include <chrono>
#include <thread>

namespace memd::bench {
namespace {

constexpr const char* kInitialize =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})";
constexpr auto kPause = std::chrono::milliseconds(20);
// Without any progress: 15 s. Looks, not a clock: the bench may be halted as a whole.
constexpr int kMostLooks = 750;

std::int64_t count(sqlite::Database& db, const char* sql) {
  auto& q = db.prepare(sql);
  const std::int64_t n = q.step() ? q.int64(0) : 0;
  q.reset();
  return n;
}

}  // namespace

ServedHome::ServedHome(const std::filesystem::path& memd,
                       const std::function<void(const std::filesystem::path& home)>& write)
    : setup_(memd) {
  write(setup_.home);
  Child starter(setup_.memd, setup_.arguments({"--stdio"}));
  starter.ask(kInitialize);
  wait_until_taken_in();
  starter.close();
}

void ServedHome::wait_until_taken_in() {
  wait_until_read();
  wait_until_enriched();
}

void ServedHome::wait_until_read() {
  // Answers when nothing is left to read and all of it is committed.
  RpcClient(setup_.socket(), "bench").call("memd/ingest", {});
}

// A memd that does not enrich at all is waited for once.
void ServedHome::wait_until_enriched() {
  static bool enriches = true;
  auto db = sqlite::Database::open(database(), sqlite::OpenMode::read_only);
  if (count(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'enrichment_queue'") == 0) return;
  constexpr const char* kLeft = "SELECT coalesce(sum(missing), 0) FROM enrichment_queue";
  const std::int64_t at_first = count(db, kLeft);
  std::int64_t left = at_first;
  for (int looks = 0; enriches && left > 0 && looks < kMostLooks; ++looks) {
    std::this_thread::sleep_for(kPause);
    const std::int64_t now_left = count(db, kLeft);
    if (now_left != left) looks = 0;
    left = now_left;
  }
  if (left == 0) return;
  enriches = left != at_first;
  fmt::print(stderr, "{} exchanges are not enriched\n", count(db, "SELECT count(*) FROM enrichment_queue"));
}

}  // namespace memd::bench
