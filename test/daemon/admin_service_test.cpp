// Methods of the administration that no other test covers.
#include "daemon/admin/admin_service.hpp"
#include "daemon/admin/admin_tools.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/ingest/rebuild.hpp"
#include "schemas/base/embedded.hpp"
#include "schemas/base/error.hpp"
#include "store/read/sessions.hpp"
#include "store/reader.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace memd::admin {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAreArray;
namespace bj = boost::json;

class AdminServiceTest : public testing::Test {
 protected:
  AdminServiceTest() { std::filesystem::permissions(data_.path(), std::filesystem::perms::owner_all); }

  void write_session(const std::string& id, int prompts, const std::string& cwd = "/w/p") {
    std::string text;
    for (int n = 1; n <= prompts; ++n)
      text += R"({"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"prompt )" +
              std::to_string(n) + R"("},"uuid":")" + id + "-0000-4000-8000-00000000000" + std::to_string(n) +
              R"(","timestamp":"2026-02-09T06:01:53.253Z","userType":"external","cwd":")" + cwd + R"(","sessionId":")" +
              id + R"(","version":"2.1.7"})" + "\n";
    test::write_file(home_ / (".claude/projects/-w-p/" + id + ".jsonl"), text);
  }
  void read() {
    if (host_.ingest() == nullptr) {
      ASSERT_TRUE(host_.start_ingest());
    }
    host_.ingest()->scan();
    ASSERT_TRUE(host_.ingest()->block_until_idle(60s));
  }
  template <class Method>
  typename Method::Report ask(const Method& method, typename Method::Params params = {}) {
    mcp::ToolContext context;
    const auto out = method.run(params, context);
    EXPECT_TRUE(out) << out.error().message();
    return out ? *out : typename Method::Report();
  }
  template <class Method>
  Error error(const Method& method, typename Method::Params params = {}) {
    mcp::ToolContext context;
    const auto out = method.run(params, context);
    EXPECT_FALSE(out);
    return out ? Error() : out.error();
  }

  test::TempDir home_;
  test::TempDir data_;
  Settings settings_{StoreLayout(data_.path()), false, home_.path(), {}, "", {}};
  MemoryHost host_{settings_, system_clock()};
  AdminService service_{host_, {}};
};

void add_keys(const bj::value& schema, const bj::value& place, const std::string& key, std::vector<std::string>& out) {
  if (const auto* ref = place.as_object().if_contains("$ref")) {
    const std::string name(ref->as_string());
    return add_keys(schema, schema.at("$defs").at(name.substr(name.rfind('/') + 1)), key, out);
  }
  const auto* properties = place.as_object().if_contains("properties");
  if (properties == nullptr) return out.push_back(key);
  for (const auto& [name, property] : properties->as_object())
    add_keys(schema, property, key.empty() ? std::string(name) : key + "." + std::string(name), out);
}

TEST_F(AdminServiceTest, ProjectsAreSeenMergedAndSplitAndARebuildKeepsThem) {
  const std::filesystem::path home = std::filesystem::canonical(home_.path());
  const std::string repository = home / "src/parcel";
  const std::string worktree = home / "elsewhere/fix";
  const std::string git = repository + "/.git/worktrees/fix";
  test::write_file(git + "/commondir", "../..\n");
  test::write_file(git + "/gitdir", worktree + "/.git\n");
  test::write_file(worktree + "/.git", "gitdir: " + git + "\n");
  write_session("aaaaaaaa", 1, repository);
  write_session("bbbbbbbb", 1, worktree);
  write_session("cccccccc", 1, "/srv/p");
  read();
  const auto belonging = [](const ProjectReport& report) {
    std::vector<std::string> out;
    for (const ProjectLine& p : report.projects)
      out.push_back(p.project + ">" + p.joined_to + " " + p.by);
    return out;
  };
  const std::vector<std::string> seen{"p> ", "fix>" + repository + " worktree", "parcel> "};
  EXPECT_THAT(belonging(ask(service_.project)), UnorderedElementsAreArray(seen));

  const auto merged = ask(service_.project, {"merge", "/srv/p", "parcel"});
  EXPECT_EQ(merged.change, "/srv/p belongs to " + repository + " now; `memd project split` takes it back");
  const std::vector<std::string> joined{"p>" + repository + " merged", "fix>" + repository + " worktree", "parcel> "};
  EXPECT_THAT(belonging(merged), UnorderedElementsAreArray(joined));
  EXPECT_TRUE(error(service_.project, {"merge", "parcel", "/srv/p"}).is(Errc::invalid_argument));
  EXPECT_TRUE(error(service_.project, {"split", "nowhere", ""}).is(Errc::not_found));

  std::filesystem::remove_all(worktree);
  host_.stop();
  const auto rebuilt = rebuild_store(settings_.layout, find_adapter, {});
  ASSERT_TRUE(rebuilt) << rebuilt.error().message();
  Reader reader(settings_.layout.database());
  for (const char* session : {"claude_code:aaaaaaaa", "claude_code:bbbbbbbb", "claude_code:cccccccc"})
    EXPECT_EQ(reader.ask(SessionQuery{session}).value().project_key, repository) << session;
}

TEST_F(AdminServiceTest, ConfigurationTellsEveryKeyOfTheFile) {
  const auto& files = embedded::json_schema_files();
  const auto file =
      std::find_if(files.begin(), files.end(), [](const auto& f) { return f.name == "config.schema.json"; });
  ASSERT_NE(file, files.end());
  const auto schema = bj::parse(std::string(file->text));
  std::vector<std::string> expected;
  add_keys(schema, schema, "", expected);
  std::vector<std::string> told;
  for (const auto& entry : ask(service_.configuration).entries)
    told.push_back(entry.key);
  EXPECT_THAT(told, UnorderedElementsAreArray(expected));
}

TEST_F(AdminServiceTest, ConfigurationShowsNoSecret) {
  settings_.config.encryption.key_command = {"pass", "show", "hunter2"};
  settings_.config.query_threads = 5;
  const std::string report = mcp::to_json(ask(service_.configuration));
  EXPECT_THAT(report, HasSubstr(R"({"key":"encryption.key_command","value":"pass …"})"));
  EXPECT_THAT(report, HasSubstr(R"({"key":"query.threads","value":"5"})"));
  EXPECT_THAT(report, testing::Not(HasSubstr("hunter2")));
}

TEST_F(AdminServiceTest, SourcesAreListedPageByPage) {
  EXPECT_EQ(ask(service_.sources).total, 0);
  write_session("11111111", 1);
  write_session("22222222", 2);
  read();
  const auto all = ask(service_.sources);
  EXPECT_EQ(all.total, 2);
  ASSERT_EQ(all.sources.size(), 2U);
  EXPECT_THAT(all.sources[1].source, HasSubstr("22222222"));
  EXPECT_EQ(all.sources[1].bytes_done, all.sources[1].bytes_total);
  const auto second = ask(service_.sources, {.limit = 1, .offset = 1});
  ASSERT_EQ(second.sources.size(), 1U);
  EXPECT_EQ(second.sources[0].source, all.sources[1].source);
  EXPECT_EQ(ask(service_.sources, {.platform = "codex"}).total, 0);
  EXPECT_TRUE(error(service_.sources, {.platform = "none"}).is(Errc::invalid_argument));
}

TEST_F(AdminServiceTest, EventsNameEachSessionThatWasWrittenToSince) {
  write_session("11111111", 1);
  read();
  const auto now = ask(service_.events);
  EXPECT_THAT(now.sessions, IsEmpty());
  ASSERT_TRUE(now.ingest);
  EXPECT_TRUE(now.ingest->idle);
  EXPECT_THAT(ask(service_.events, {.after = now.cursor}).sessions, IsEmpty());
  write_session("22222222", 2);
  read();
  const auto later = ask(service_.events, {.after = now.cursor});
  ASSERT_EQ(later.sessions.size(), 1U);
  EXPECT_THAT(later.sessions[0].session_id, HasSubstr("22222222"));
  EXPECT_GT(later.cursor, now.cursor);
  // Reads the events from the beginning, one page at a time.
  const auto first = ask(service_.events, {.after = 1, .limit = 1});
  ASSERT_EQ(first.sessions.size(), 1U);
  const auto next = ask(service_.events, {.after = first.cursor, .limit = 1});
  ASSERT_EQ(next.sessions.size(), 1U);
  EXPECT_NE(first.sessions[0].session_id, next.sessions[0].session_id);
}

TEST_F(AdminServiceTest, CompactingAndRebuildingNeedTheWriter) {
  EXPECT_TRUE(error(service_.compact).is(Errc::unavailable));
  EXPECT_TRUE(error(service_.rebuild).is(Errc::unavailable));
  write_session("11111111", 3);
  read();
  const auto compacted = ask(service_.compact);
  EXPECT_GT(compacted.store_bytes, 0U);
  EXPECT_LE(compacted.store_bytes, compacted.store_bytes_before);
  EXPECT_EQ(compacted.left, "");
  EXPECT_EQ(ask(service_.rebuild).what, "search");
  EXPECT_EQ(ask(service_.rebuild, {.what = "memories"}).what, "memories");
  EXPECT_EQ(ask(service_.status).platforms.front().sessions, 1);
}

// Each method is also a tool on the main socket.
TEST_F(AdminServiceTest, EachMethodIsATool) {
  mcp::ToolRegistry registry;
  register_admin_tools(registry, service_);
  std::vector<std::string> names;
  service_.each([&](const auto& method) {
    names.push_back(method.info.name);
    EXPECT_NE(registry.find(method.info.name), nullptr) << method.info.name;
  });
  EXPECT_EQ(registry.tools().size(), names.size());
}

}  // namespace
}  // namespace memd::admin
