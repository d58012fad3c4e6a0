#include "bench/retrieval/indexed_home.hpp"

#include "schemas/ids.hpp"
#include "store/sqlite/database.hpp"

#include <boost/json.hpp>

#include <chrono>
#include <stdexcept>
#include <thread>

namespace memd::bench {
namespace {

constexpr const char* kInitialize =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"retrieval_bench","version":"1"}}})";
constexpr auto kPatience = std::chrono::minutes(10);

// Whether all is enriched, where this memd enriches.
bool is_enriched(const boost::json::object& status) {
  const auto* enrichment = status.if_contains("enrichment");
  const auto* idle =
      enrichment != nullptr && enrichment->is_object() ? enrichment->get_object().if_contains("idle") : nullptr;
  return idle == nullptr || idle->as_bool();
}

boost::json::object admin(Connection& connection, const std::string& name) {
  const auto answer =
      boost::json::parse(connection.ask(R"({"jsonrpc":"2.0","id":2,"method":"memd/)" + name + R"(","params":{}})"));
  return answer.at("result").at("structured").as_object();
}

}  // namespace

IndexedHome::IndexedHome(const std::filesystem::path& memd,
                         const std::function<void(const std::filesystem::path& home)>& write)
    : setup_(memd) {
  write(setup_.home);
  Child starter(setup_.memd, setup_.arguments({"--stdio"}));
  starter.ask(kInitialize);
  wait_until_read();
  tool_ = std::make_unique<SearchTool>(setup_.socket());
  starter.close();
  load();
}

void IndexedHome::wait_until_read() {
  Connection connection(setup_.socket());
  connection.ask(kInitialize);
  admin(connection, "ingest");  // returns when nothing is left to read and all of it is committed
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (!is_enriched(admin(connection, "status"))) {
    if (std::chrono::steady_clock::now() > give_up) throw std::runtime_error("memd is still enriching");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
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
