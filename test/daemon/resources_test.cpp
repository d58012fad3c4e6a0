#include "daemon/resources/resources.hpp"

#include "daemon/tools/tool_services.hpp"
#include "daemon/tools/toolset.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/error.hpp"
#include "test/support/tool_fixture.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <set>

namespace memd::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Resources : public ToolFixture {
 protected:
  Resources() {
    old = store.session({.native_id = "aaaa1111", .title = "Parser work", .start = kNow - 5 * kMsPerDay});
    fresh = store.session(
        {.native_id = "bbbb2222", .title = "Release", .project = "/home/u/my site", .start = kNow - kMsPerDay});
    agent = store.session({.native_id = "cccc3333",
                           .title = "Look around",
                           .project = "/home/u/my site",
                           .kind = SessionKind::subagent,
                           .parent_uid = "claude_code:bbbb2222",
                           .start = kNow - kMsPerDay});
    fill(old, "tokenizer", 40);
    ids = fill(fresh, "deployment", 3);
    const tools::ToolServices services{pool, clock, freshness, raw, adapters, store.file(), {}, background};
    tools::register_tools(registry, services);
    resources::add_resources(offered, services, registry);
  }
  Result<std::string> read(std::string_view uri) {
    auto contents = offered.read(uri, context);
    if (!contents) return contents.error();
    EXPECT_EQ(contents->mime_type, "text/markdown");
    return contents->text;
  }
  std::uint64_t version(std::string_view uri) {
    const auto v = offered.version(uri, context);
    EXPECT_TRUE(v) << uri << ": " << v.error().message();
    return v ? *v : 0;
  }
  std::vector<std::string> complete(std::string_view uri_template, std::string_view variable, std::string_view typed) {
    const auto found = offered.complete(uri_template, variable, typed, context);
    EXPECT_TRUE(found);
    return found ? found->values : std::vector<std::string>();
  }

  std::int64_t old = 0, fresh = 0, agent = 0;
  std::vector<ExchangeId> ids;
  mcp::ResourceRegistry offered;
  mcp::ToolContext context;
};

TEST_F(Resources, ReadAsTheAnswersOfTools) {
  for (const auto* uri : {"memd://session/claude_code%3Abbbb2222", "memd://session/claude_code:bbbb2222",
                          "memd://session/bbbb2222", "memd://session/latest"}) {
    const auto session = read(uri);
    ASSERT_TRUE(session) << uri << session.error().message();
    EXPECT_THAT(*session, HasSubstr("The answer of recent_turns with <history>{\"session_id\":"));
    EXPECT_THAT(*session, HasSubstr("<history>\n"));
    EXPECT_THAT(*session, HasSubstr("</history>\n"));
    EXPECT_THAT(*session, HasSubstr("deployment"));
  }
  const auto exchange = read("memd://exchange/" + format_exchange_id(ids[1]));
  ASSERT_TRUE(exchange);
  EXPECT_THAT(*exchange, HasSubstr("case 1 works"));
  const auto project = read("memd://project/my%20site/recent");
  ASSERT_TRUE(project);
  EXPECT_THAT(*project, HasSubstr("list_sessions"));
  EXPECT_THAT(*project, HasSubstr("recent_turns"));
  EXPECT_THAT(*project, Not(HasSubstr("tokenizer")));
}

TEST_F(Resources, AreBounded) {
  for (const auto* uri : {"memd://session/aaaa1111", "memd://project/home/recent"})
    EXPECT_LT(estimate_tokens(*read(uri)), 9000U) << uri;
}

TEST_F(Resources, WhatIsNotThereIsNotFound) {
  for (const auto* uri :
       {"memd://session/nosuchsession", "memd://session/ab", "memd://exchange/x9999", "memd://exchange/forty-two",
        "memd://exchange/", "memd://project/app", "file:///etc/passwd"}) {
    const auto read_text = read(uri);
    ASSERT_FALSE(read_text) << uri;
    EXPECT_TRUE(read_text.error().is(Errc::not_found)) << uri << ": " << read_text.error().message();
    const auto v = offered.version(uri, context);
    ASSERT_FALSE(v) << uri;
    EXPECT_TRUE(v.error().is(Errc::not_found)) << uri;
  }
}

TEST_F(Resources, AProjectWithoutHistoryHasNothingRecent) {
  const auto read_text = read("memd://project/unheard-of/recent");
  ASSERT_TRUE(read_text) << read_text.error().message();
  EXPECT_THAT(*read_text, HasSubstr("0 of 0 sessions"));
}

TEST_F(Resources, VersionsChangeWithWhatTheyAreOf) {
  const std::string exchange = "memd://exchange/" + format_exchange_id(ids.back());
  const std::vector<std::string> of_fresh{"memd://session/bbbb2222", "memd://session/latest",
                                          "memd://project/my%20site/recent"};
  const std::vector<std::string> others{"memd://session/aaaa1111", "memd://project/app/recent"};
  std::map<std::string, std::uint64_t> before;
  for (const auto& uri : of_fresh)
    before[uri] = version(uri);
  for (const auto& uri : others)
    before[uri] = version(uri);
  before[exchange] = version(exchange);
  const std::uint64_t list = *offered.list_version(context);
  EXPECT_EQ(version(exchange), before[exchange]) << "nothing has changed";

  store.event(fresh, EventKind::tool_call, "Bash", "make");
  EXPECT_NE(version(exchange), before[exchange]);
  EXPECT_NE(version("memd://session/bbbb2222"), before["memd://session/bbbb2222"]);
  before[exchange] = version(exchange);
  store.exchange(fresh, {.user = "And now?", .answer = "Now it is done."});
  for (const auto& uri : of_fresh)
    EXPECT_NE(version(uri), before[uri]) << uri;
  for (const auto& uri : others)
    EXPECT_EQ(version(uri), before[uri]) << uri;
  EXPECT_EQ(version(exchange), before[exchange]) << "another exchange";
  EXPECT_EQ(*offered.list_version(context), list) << "no new session";
  store.session({.native_id = "dddd4444", .title = "New", .start = kNow});
  EXPECT_NE(*offered.list_version(context), list);
}

TEST_F(Resources, TheListHasSessionsInPagesAndTheirProjects) {
  for (int i = 0; i < 120; ++i)
    store.session({.native_id = "eeee" + std::to_string(1000 + i),
                   .title = "S" + std::to_string(i),
                   .project = "/home/u/p" + std::to_string(i % 15),
                   .start = kNow - 10 * kMsPerDay - i});
  std::set<std::string> uris;
  std::optional<std::string> cursor;
  std::size_t projects = 0, pages = 0;
  do {
    const auto page = offered.list(cursor, context);
    ASSERT_TRUE(page);
    ++pages;
    for (const auto& entry : page->entries) {
      EXPECT_TRUE(uris.insert(entry.uri).second) << entry.uri;
      if (entry.uri.starts_with("memd://project/")) ++projects;
      EXPECT_FALSE(entry.name.empty());
    }
    cursor = page->next;
  } while (cursor);
  EXPECT_EQ(pages, 3U);
  EXPECT_EQ(uris.size() - projects, 122U) << "main sessions";
  EXPECT_EQ(projects, 10U);
  EXPECT_FALSE(uris.contains(resources::session_uri("claude_code:cccc3333")));
  const std::string first = offered.list({}, context)->entries.front().uri;
  EXPECT_EQ(first, "memd://project/%2Fhome%2Fu%2Fmy%20site/recent");
  EXPECT_TRUE(read(first));
  const auto bad = offered.list("nonsense", context);
  ASSERT_FALSE(bad);
  EXPECT_TRUE(bad.error().is(Errc::invalid_argument));
}

TEST_F(Resources, CompletionOfSessionsAndProjects) {
  EXPECT_THAT(complete("memd://session/{id}", "id", "claude_code:a"), ElementsAre("claude_code:aaaa1111"));
  EXPECT_THAT(complete("memd://session/{id}", "id", "bbbb"), ElementsAre("claude_code:bbbb2222"));
  EXPECT_THAT(complete("memd://session/{id}", "id", "PARSER"), ElementsAre("claude_code:aaaa1111"));
  EXPECT_THAT(complete("memd://session/{id}", "id", ""), ElementsAre("claude_code:bbbb2222", "claude_code:aaaa1111"));
  EXPECT_THAT(complete("memd://project/{key}/recent", "key", "sit"), ElementsAre("my site"));
  EXPECT_THAT(complete("memd://exchange/{id}", "id", "x"), IsEmpty());
}

TEST_F(Resources, CompletionReachesTheOldest) {
  const std::string session = "memd://session/{id}";
  for (int i = 0; i < 1000; ++i)
    store.session({.native_id = "later" + std::to_string(i), .title = "Later", .start = kNow + i});
  EXPECT_THAT(complete(session, "id", "aaaa"), ElementsAre("claude_code:aaaa1111"));
  EXPECT_THAT(complete(session, "id", "parser"), ElementsAre("claude_code:aaaa1111"));
  const auto some = offered.complete(session, "id", "later", context);
  ASSERT_TRUE(some);
  EXPECT_EQ(some->values.size(), mcp::kMaxArgumentValues);
  EXPECT_EQ(some->values.front(), "claude_code:later999");
  EXPECT_EQ(some->total, 1000);
  EXPECT_TRUE(some->more);
  const auto one = offered.complete(session, "id", "aaaa", context);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->total, 1);
  EXPECT_FALSE(one->more);
  const auto project = offered.complete("memd://project/{key}/recent", "key", "SITE", context);
  ASSERT_TRUE(project);
  EXPECT_THAT(project->values, ElementsAre("my site"));
  EXPECT_EQ(project->total, 1);
  EXPECT_FALSE(project->more);
}

TEST_F(Resources, DiagnosticsAreOfferedWhileThereAreAny) {
  const std::string uri = "memd://diagnostics/all";
  const auto offers_them = [&] {
    const auto entries = offered.list({}, context)->entries;
    return std::any_of(entries.begin(), entries.end(), [&](const auto& entry) { return entry.uri == uri; });
  };
  EXPECT_FALSE(offers_them());
  const std::uint64_t nothing = version(uri);
  const std::uint64_t list = *offered.list_version(context);
  EXPECT_THAT(*read(uri), HasSubstr("No diagnostics"));
  store.db()
      .prepare(
          "INSERT INTO diagnostics (time, platform, error_type, field_names, severity, redacted, expires_at)"
          " VALUES (?1, 'claude_code', 'missing_field', 'message', 0, 1, ?1 + 2592000000)")
      .bind(kNow - 60'000)
      .run();
  EXPECT_TRUE(offers_them());
  EXPECT_NE(version(uri), nothing);
  EXPECT_NE(*offered.list_version(context), list);
  EXPECT_THAT(*read(uri), HasSubstr("1 min ago  claude_code  warning missing_field (message)"));
  EXPECT_THAT(*read("memd://diagnostics/cursor"), HasSubstr("No diagnostics"));
  EXPECT_TRUE(read("memd://diagnostics/nobody").error().is(Errc::not_found));
  adapters[0].status = AdapterStatus::disabled;
  EXPECT_THAT(*read(uri), HasSubstr("No diagnostics"));
  EXPECT_TRUE(read("memd://diagnostics/claude_code").error().is(Errc::not_found));
}

TEST_F(Resources, APlatformThatIsDisabledIsNotOffered) {
  store.session({.native_id = "ffff5555", .title = "Elsewhere", .platform = Platform::cursor, .start = kNow});
  freshness.rows.push_back({Platform::cursor, kNow, kNow, 1, 0, 0});
  EXPECT_EQ(complete("memd://session/{id}", "id", "").size(), 3U);
  adapters[1].status = AdapterStatus::disabled;
  EXPECT_THAT(complete("memd://session/{id}", "id", ""), ElementsAre("claude_code:bbbb2222", "claude_code:aaaa1111"));
  const auto page = offered.list({}, context);
  ASSERT_TRUE(page);
  for (const auto& entry : page->entries)
    EXPECT_THAT(entry.uri, Not(HasSubstr("ffff5555")));
}

TEST_F(Resources, AnEmptyStoreOffersNothingAndBreaksNothing) {
  ReaderPool none(store.file().parent_path() / "absent.db", 2);
  const tools::ToolServices services{none, clock, freshness, raw, adapters, store.file(), {}, background};
  mcp::ToolRegistry tools;
  tools::register_tools(tools, services);
  mcp::ResourceRegistry empty;
  resources::add_resources(empty, services, tools);
  EXPECT_THAT(empty.list({}, context)->entries, IsEmpty());
  EXPECT_TRUE(empty.list_version(context));
  EXPECT_TRUE(empty.read("memd://session/latest", context).error().is(Errc::not_found));
}

TEST_F(Resources, StopEndsAReading) {
  std::stop_source stop;
  stop.request_stop();
  mcp::ToolContext cancelled(stop.get_token());
  const auto read_text = offered.read("memd://session/aaaa1111", cancelled);
  ASSERT_FALSE(read_text);
  EXPECT_TRUE(read_text.error().is(Errc::cancelled));
}

// Memories of the user and of a project, by URI.
class MemoryResources : public ToolFixture {
 protected:
  MemoryResources() {
    memory.write = MemoryWriting::allow;
    memory.policy.opt_in_enabled = true;
    std::filesystem::create_directories(home / "my app/.git");
    open();
    const tools::ToolServices services{pool,       clock,   freshness, raw, adapters,    store.file(), defaults,
                                       background, nullptr, {},        {},  home.path(), memory};
    resources::add_resources(offered, services, registry);
    write("Locks are fair", "global");
    write("Tabs it is", "project");
  }
  void write(const std::string& title, const std::string& scope) {
    call("memory_write", R"({"action":"create","type":"decision","title":")" + title + R"(","text":"Because of )" +
                             title + R"(.","scope":")" + scope + R"(","cwd":")" + project() + R"("})");
  }
  std::string project() const { return (home / "my app").string(); }
  std::string of_project() const {
    return "memory://project/decision-tabs-it-is/of/" + mcp::percent_encoded(project());
  }
  std::vector<std::string> listed() {
    mcp::ToolContext own;
    own.set_roots([this](const std::stop_token&) { return roots; });
    std::vector<std::string> out;
    const auto page = offered.list({}, own);
    EXPECT_TRUE(page);
    for (const auto& entry : page->entries)
      if (entry.uri.starts_with("memory:")) out.push_back(entry.uri);
    return out;
  }

  mcp::ResourceRegistry offered;
  mcp::ToolContext context;
};

TEST_F(MemoryResources, ReadAsTheToolAndAreListedForTheProjectOfTheClient) {
  const auto own = offered.read("memory://global/decision-locks-are-fair", context);
  ASSERT_TRUE(own) << own.error().message();
  EXPECT_THAT(own->text, HasSubstr("Because of Locks are fair."));
  EXPECT_THAT(own->text, HasSubstr("<history>\n"));
  const auto tabs = offered.read(of_project(), context);
  ASSERT_TRUE(tabs) << tabs.error().message();
  EXPECT_THAT(tabs->text, HasSubstr("Because of Tabs it is."));
  EXPECT_THAT(listed(), ElementsAre("memory://global/decision-locks-are-fair"));
  roots = {"file://" + project().replace(project().find(' '), 1, "%20")};
  EXPECT_THAT(listed(), testing::UnorderedElementsAre("memory://global/decision-locks-are-fair", of_project()));
  for (const std::string uri : {"memory://global/no-such-one", "memory://project/decision-tabs-it-is", "memory://x/y",
                                "memory://global/decision-locks-are-fair/of/%2Ftmp"}) {
    const auto none = offered.read(uri, context);
    ASSERT_FALSE(none) << uri;
    EXPECT_TRUE(none.error().is(Errc::not_found)) << uri;
    EXPECT_FALSE(offered.version(uri, context)) << uri;
  }
}

TEST_F(MemoryResources, AChangeByHandOrByToolIsANewVersion) {
  const std::string uri = "memory://global/decision-locks-are-fair";
  const auto first = offered.version(uri, context);
  ASSERT_TRUE(first);
  EXPECT_EQ(*offered.version(uri, context), *first);
  std::ofstream(home / ".claude/memory/decision-locks-are-fair.md", std::ios::app) << "By hand.\n";
  const auto second = offered.version(uri, context);
  EXPECT_NE(*second, *first);
  call("memory_write", R"({"action":"update","slug":"decision-locks-are-fair","tags":["locks"]})");
  EXPECT_NE(*offered.version(uri, context), *second);
  const auto list = offered.list_version(context);
  write("Another one", "global");
  EXPECT_NE(*offered.list_version(context), *list);
  call("memory_write", R"({"action":"delete","slug":"decision-locks-are-fair"})");
  EXPECT_FALSE(offered.version(uri, context));
}

TEST_F(MemoryResources, ScopesAndSlugsAreCompleted) {
  const auto values = [&](std::string_view variable, std::string_view typed) {
    return offered.complete("memory://{scope}/{slug}", variable, typed, context)->values;
  };
  EXPECT_THAT(values("scope", "g"), ElementsAre("global"));
  EXPECT_THAT(values("slug", "decision-l"), ElementsAre("decision-locks-are-fair"));
  EXPECT_THAT(values("slug", "FAIR"), ElementsAre("decision-locks-are-fair"));
  EXPECT_THAT(values("slug", "tabs"), IsEmpty());
}

}  // namespace
}  // namespace memd::test
