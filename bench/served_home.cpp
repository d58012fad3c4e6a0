#include "bench/served_home.hpp"

#include "bench/rpc_client.hpp"
#include "store/sqlite/database.hpp"

#include <fmt/core.h>
#include <boost/json/object.hpp>

#include <chrono>
#include <thread>

namespace memd::bench {
namespace {

constexpr const char* kInitialize =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})";
constexpr auto kPatience = std::chrono::seconds(15);  // without any progress

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
  auto progress = std::chrono::steady_clock::now();
  while (enriches && left > 0 && std::chrono::steady_clock::now() < progress + kPatience) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const std::int64_t now_left = count(db, kLeft);
    if (now_left != left) progress = std::chrono::steady_clock::now();
    left = now_left;
  }
  if (left == 0) return;
  enriches = left != at_first;
  fmt::print(stderr, "{} exchanges are not enriched\n", count(db, "SELECT count(*) FROM enrichment_queue"));
}

}  // namespace memd::bench
