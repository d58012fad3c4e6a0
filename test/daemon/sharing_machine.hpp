// Machines that share a project, as the tests of sharing use them.
#pragma once

#include "daemon/admin/admin_tools.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/sharing/segment.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "store/db/database.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/postgres.hpp"
#include "test/support/temp_dir.hpp"
#include "test/support/transcript_home.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace memd::test {

inline constexpr const char* kSharedProject = "parcel";

// A machine: a home, a store, and a memd that ingests.
class Machine {
 public:
  // `directory`: of the project; empty: one that is only named.
  Machine(const std::string& person, int first_session, std::string directory = {})
      : first_(first_session), directory_(std::move(directory)), home_(1'000'000 * first_session) {
    std::filesystem::permissions(data_.path(), std::filesystem::perms::owner_all);
    if (directory_.empty()) directory_ = "/home/" + person + "/src/parcel";
    std::filesystem::create_directory_symlink(home_.path(), person_home_.path() / person);
    settings_.home = person_home_.path() / person;
    start();
  }
  void start() {
    registry_.reset();
    host_.reset();
    host_ = std::make_unique<MemoryHost>(settings_, clock_);
    registry_ = std::make_unique<mcp::ToolRegistry>();
    admin::register_admin_tools(*registry_, *host_, {});
    ASSERT_TRUE(host_->start_ingest());
    read();
  }
  void stop() {
    registry_.reset();
    host_.reset();
  }
  void read() {
    host_->ingest()->scan();
    ASSERT_TRUE(host_->ingest()->block_until_idle(std::chrono::seconds(60)));
  }
  void says(const std::string& word, int session = 0, const std::string& prompt = {}) {
    clock_.advance(60'000);
    home_.turn(directory_, first_ + session, clock_.now(), word,
               prompt.empty() ? "Why does " + word + " fail?" : prompt, "Because of " + word + ".");
    read();
  }
  mcp::ToolOutcome call(std::string_view tool, const boost::json::object& arguments) {
    mcp::ToolContext context;
    return registry_->call(tool, boost::json::serialize(arguments), context);
  }
  boost::json::object share(boost::json::object arguments) {
    arguments.emplace("project", kSharedProject);
    const auto out = call("share", arguments);
    EXPECT_FALSE(out.is_error) << out.text;
    return out.is_error ? boost::json::object() : boost::json::parse(out.structured).as_object();
  }
  boost::json::object init(const std::filesystem::path& place, bool sealed = false) {
    return share({{"action", "init"}, {"place", place.string()}, {"sealed", sealed}});
  }
  boost::json::object join(const std::filesystem::path& place, const std::string& invitation = {}) {
    return share({{"action", "join"}, {"place", place.string()}, {"invitation", invitation}});
  }
  boost::json::object sync() { return share({{"action", "sync"}}); }
  mcp::ToolOutcome ask(std::string_view tool, const boost::json::object& arguments) {
    mcp::ToolContext context;
    return host_->tools().call(tool, boost::json::serialize(arguments), context);
  }
  std::string search(const std::string& word, int most = 20) {
    const auto out = ask("semantic_search", {{"query", word}, {"n_results", most}});
    return out.text + out.structured;
  }
  mcp::ToolOutcome turn(const std::string& id) { return ask("get_exchange", {{"ids", boost::json::array{id}}}); }
  // Others' sessions stay in the database, which has so long to answer a search.
  void asks_the_server(int ms = 60'000) {
    settings_.config.sharing.ask_server_ms = ms;
    start();
  }
  // The words and results of all sessions, without what depends on the machine.
  std::set<std::string> contents() {
    std::set<std::string> out;
    auto db = sqlite::Database::open(settings_.layout.database(), sqlite::OpenMode::read_only);
    auto& q = db.prepare(
        "SELECT s.uid, x.exchange_number, x.user_message, x.assistant_response, x.tool_calls FROM exchanges x"
        " JOIN sessions s USING (session_pk)");
    while (q.step()) {
      const auto text = q.str(0) + "#" + std::to_string(q.int64(1)) + " " + q.str(2) + " | " + q.str(3) + " | " +
                        std::to_string(q.int64(4));
      EXPECT_TRUE(out.insert(text).second) << "doubled: " << text;
    }
    return out;
  }
  std::int64_t number(std::string_view sql) {
    auto db = sqlite::Database::open(settings_.layout.database(), sqlite::OpenMode::read_only);
    return db.query(sql).value_or(0);
  }
  // What was written so far is no longer new: its times are of the past.
  void wait_a_while() {
    clock_.set(std::chrono::duration_cast<std::chrono::milliseconds>(
                   (std::chrono::system_clock::now() + std::chrono::hours(1)).time_since_epoch())
                   .count());
  }
  std::string session(int session = 0) const { return "claude_code:" + TranscriptHome::session_id(first_ + session); }
  TranscriptHome& home() { return home_; }
  MemoryHost& host() { return *host_; }
  Settings& settings() { return settings_; }
  const std::filesystem::path& data() const { return data_.path(); }
  const std::string& directory() const { return directory_; }

 private:
  const int first_;
  std::string directory_;
  TranscriptHome home_;
  TempDir person_home_;
  TempDir data_;
  FakeClock clock_;
  Settings settings_{StoreLayout(data_.path()), false, {}, {}, {}, {}};
  std::unique_ptr<MemoryHost> host_;
  std::unique_ptr<mcp::ToolRegistry> registry_;
};

class SharingTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!seal::is_available()) GTEST_SKIP() << "built without encryption";
  }
  // All bytes at the place, with the segments opened that are not sealed.
  std::string at_place() const { return all_of(place_.path()); }
  static std::string all_of(const std::filesystem::path& place) {
    std::string out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(place)) {
      out += entry.path().string() + "\n";
      if (!entry.is_regular_file()) continue;
      const std::string bytes = bytes_of(entry.path());
      out += bytes;
      const auto segment = sharing::decode(bytes, [](const std::string&) -> Result<seal::CipherPtr> {
        return Error::from_errno(EACCES, "open", "a sealed one");
      });
      if (segment) out += segment->lines;
    }
    return out;
  }
  std::size_t segments() const {
    std::size_t out = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(place_.path()))
      out += entry.path().extension() == sharing::kSegmentEnding ? 1 : 0;
    return out;
  }
  TempDir place_;
};

// A PostgreSQL database as the place.
class TeamTest : public SharingTest {
 protected:
  void SetUp() override {
    SharingTest::SetUp();
    if (IsSkipped()) return;
    if (Postgres::programs().empty()) GTEST_SKIP() << "no PostgreSQL server is installed (apt: postgresql)";
    server_ = std::make_unique<Postgres>();
  }
  void admit(const std::string& role, const std::string& level = "contributor") {
    server_->sql("postgres", "CREATE ROLE " + role + " LOGIN");
    EXPECT_EQ(server_->sql("ada", "SELECT memd.admit('parcel', '" + role + "', '" + level + "')"), "");
  }
  // Makes a share of the machine of ada, which that of bob joins.
  void share_between(Machine& ada, Machine& bob) {
    ada.init(server_->url("ada"));
    admit("bob");
    bob.join(server_->url("bob"));
  }
  static void expect_all_is_there(Machine& machine) {
    const auto checked = machine.share({{"action", "verify"}});
    EXPECT_TRUE(checked.at("problems").as_array().empty()) << boost::json::serialize(checked);
  }
  std::unique_ptr<Postgres> server_;
};

}  // namespace memd::test
