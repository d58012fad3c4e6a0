#include "schemas/search.hpp"
#include "store/reader.hpp"
#include "store/search/words/query_parser.hpp"
#include "store/write/writer.hpp"
#include "test/support/event_script.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/store_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace memd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<ExchangeId> found(const std::filesystem::path& store, const std::string& text) {
  Reader reader(store);
  SearchQuery query;
  query.asked = search::parse_query(text);
  query.mode = SearchMode::lexical;
  std::vector<ExchangeId> ids;
  for (const auto& hit : reader.search(query).value().hits)
    ids.push_back(hit.id);
  return ids;
}

// Tools of calls as the writer stores them, with commits in the middle of an exchange.
TEST(ToolFilter, FindsTheExchangesThatCalledIt) {
  test::TempDir dir;
  test::FakeClock clock;
  {
    auto writer = Writer::open(dir / "memd.db", clock).value();
    test::EventScript script;
    script.user("first question").call("c1", "Bash", "ls").result("c1", "ok").answer("one");
    script.call("c2", "Grep", "needle").result("c2", "ok").answer("two");
    script.user("second question").call("c3", "Bash", "pwd").result("c3", "ok").answer("three");
    const auto events = script.batch().events;
    for (const auto& event : events) {
      SourceSlice slice;
      slice.source.platform = Platform::claude_code;
      slice.source.path = "/h/t.jsonl";
      slice.batch.sessions = script.batch().sessions;
      slice.batch.events = {event};
      ASSERT_TRUE(writer->apply(slice));
      ASSERT_TRUE(writer->commit());
    }
  }
  const auto store = dir / "memd.db";
  EXPECT_THAT(found(store, "tool:bash"), ElementsAre(2, 1)) << "newest first";
  EXPECT_THAT(found(store, "tool:GREP"), ElementsAre(1));
  EXPECT_THAT(found(store, "tool:bash tool:grep"), ElementsAre(1));
  EXPECT_THAT(found(store, "question tool:grep"), ElementsAre(1));
  EXPECT_THAT(found(store, "tool:nosuch"), IsEmpty());
  EXPECT_THAT(found(store, "tool:bash -second"), ElementsAre(1));
}

// For a tool that very many exchanges call, no list is made: each exchange is tested.
TEST(ToolFilter, OfACommonTool) {
  test::StoreFixture fixture;
  const auto session = fixture.session({.native_id = "aaaa1"});
  const auto first = fixture.exchange(session, {.user = "needle in the first"});
  fixture.event(session, EventKind::tool_call, "Read", "x");
  fixture.exchange(session, {.user = "needle without calls"});
  fixture.db().exec(
      "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 21000)"
      " INSERT INTO exchanges (session_pk, exchange_number, first_seq, last_seq, started_at, ended_at, ingested_at)"
      " SELECT 1, 10 + i, 0, 0, i, i, 0 FROM n");
  fixture.db().exec(
      "INSERT INTO exchange_tools SELECT exchange_pk, (SELECT tool_pk FROM tools) FROM exchanges"
      " WHERE exchange_number > 10");
  EXPECT_THAT(found(fixture.file(), "needle tool:read"), ElementsAre(first));
  EXPECT_THAT(found(fixture.file(), "tool:read").front(), first) << "the others are older";
  EXPECT_THAT(found(fixture.file(), "tool:read tool:write"), IsEmpty());
}

}  // namespace
}  // namespace memd
