#include "bench/retrieval/indexed_home.hpp"

#include "schemas/ids.hpp"
#include "store/sqlite/database.hpp"

#include <fmt/core.h>

#include <chrono>
#include <stdexcept>
#include <thread>

namespace memd::bench {
namespace {

constexpr const char* kInitialize =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"retrieval_bench","version":"1"}}})";
constexpr auto kPatience = std::chrono::seconds(15);  // without any progress

std::int64_t count(sqlite::Database& db, const char* sql) {
  auto& q = db.prepare(sql);
  const std::int64_t n = q.step() ? q.int64(0) : 0;
  q.reset();
  return n;
}

}  // namespace

IndexedHome::IndexedHome(const std::filesystem::path& memd,
                         const std::function<void(const std::filesystem::path& home)>& write)
    : setup_(memd) {
  write(setup_.home);
  Child starter(setup_.memd, setup_.arguments({"--stdio"}));
  starter.ask(kInitialize);
  wait_until_read();
  wait_until_enriched();
  tool_ = std::make_unique<SearchTool>(setup_.socket());
  starter.close();
  load();
}

void IndexedHome::wait_until_read() {
  Connection connection(setup_.socket());
  connection.ask(kInitialize);
  // Answers when nothing is left to read and all of it is committed.
  connection.ask(R"({"jsonrpc":"2.0","id":2,"method":"memd/ingest","params":{}})");
}

// A memd that does not enrich at all is waited for once.
void IndexedHome::wait_until_enriched() {
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

void IndexedHome::load() {
  auto db = sqlite::Database::open(database(), sqlite::OpenMode::read_only);
  auto& q = db.prepare(
      "SELECT exchange_pk, uid, exchange_number, coalesce(user_message, ''), coalesce(interventions, ''),"
      " coalesce(assistant_response, ''), coalesce(tool_text, '') FROM exchanges JOIN sessions USING (session_pk)"
      " ORDER BY uid, exchange_number");
  while (q.step()) {
    std::string text;
    for (int column = 3; column < 7; ++column)
      if (!q.text(column).empty()) text += (text.empty() ? "" : "\n") + q.str(column);
    documents_.push_back({format_exchange_id(q.int64(0)), q.str(1), q.int64(2), std::move(text)});
  }
  q.reset();
}

std::vector<const Document*> IndexedHome::session(const std::string& uid) const {
  std::vector<const Document*> out;
  for (const Document& document : documents_)
    if (document.session_uid == uid) out.push_back(&document);
  if (out.empty()) throw std::runtime_error("no exchange of " + uid + " is in the store");
  return out;
}

}  // namespace memd::bench
