// Queries of the command line: answers without a token limit, and their conversion back to structs.
#include "daemon/tools/get_exchange.hpp"
#include "daemon/tools/list_sessions.hpp"
#include "daemon/tools/semantic_search.hpp"
#include "daemon/tools/tool_services.hpp"
#include "daemon/tools/toolset.hpp"
#include "protocol/mcp/described_json.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "test/support/tool_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace memd::test {
namespace {

class WholeAnswers : public ToolFixture {
 protected:
  template <class Answer>
  Answer ask(std::string_view tool, std::string_view arguments) {
    if (whole.tools().empty()) {
      const tools::ToolServices services{pool, clock, freshness, raw, adapters, store.file(), defaults, background};
      tools::register_whole_answers(whole, services);
    }
    mcp::ToolContext context;
    const mcp::ToolOutcome out = whole.call(tool, arguments, context);
    EXPECT_FALSE(out.is_error) << out.text;
    auto answer = mcp::from_json<Answer>(out.structured);
    EXPECT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(mcp::to_json(*answer), out.structured) << "nothing is lost on the way";
    return std::move(*answer);
  }

  mcp::ToolRegistry whole;
};

TEST_F(WholeAnswers, ListsTakeTheRoomTheyNeed) {
  constexpr int kSessions = 123;
  for (int i = 0; i < kSessions; ++i)
    fill(store.session({.native_id = "s" + std::to_string(i)}), "about something", 1);
  const auto all = ask<tools::ListSessionsAnswer>("list_sessions", R"({"n_results":1000})");
  EXPECT_EQ(all.sessions.size(), kSessions);
  EXPECT_EQ(all.total, kSessions);
  EXPECT_FALSE(all.next);
  const auto some = ask<tools::ListSessionsAnswer>("list_sessions", R"({"n_results":50})");
  EXPECT_EQ(some.sessions.size(), 50U);
  EXPECT_TRUE(some.next) << "pages are still pages";
}

TEST_F(WholeAnswers, ATokenLimitThatIsNamedHolds) {
  for (int i = 0; i < 30; ++i)
    fill(store.session({.native_id = "s" + std::to_string(i)}), "about something", 1);
  const auto few = ask<tools::ListSessionsAnswer>("list_sessions", R"({"n_results":30,"max_tokens":900})");
  EXPECT_LT(few.sessions.size(), 30U);
  EXPECT_TRUE(few.next);
}

TEST_F(WholeAnswers, AnExchangeIsWhole) {
  const std::int64_t session = store.session({.native_id = "long"});
  std::string long_answer;
  for (int i = 0; i < 4000; ++i)
    long_answer += "Sentence number " + std::to_string(i) + " of a long answer.\n";
  const ExchangeId id = store.exchange(session, {.user = "Tell me all.", .answer = long_answer});
  const auto whole_one =
      ask<tools::GetExchangeAnswer>("get_exchange", R"({"ids":[")" + format_exchange_id(id) + R"("]})");
  ASSERT_EQ(whole_one.exchanges.size(), 1U);
  EXPECT_EQ(whole_one.exchanges.front().assistant_response, long_answer);
  EXPECT_TRUE(whole_one.exchanges.front().complete);
}

TEST(DescribedJson, SaysWhatIsNotAsItShouldBe) {
  const auto wrong = mcp::from_json<tools::ListSessionsAnswer>(R"({"total":"many"})");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message(), testing::HasSubstr("\"total\""));
  EXPECT_FALSE(mcp::from_json<tools::ListSessionsAnswer>("{"));
  const auto older = mcp::from_json<tools::ListSessionsAnswer>(R"({"total":3,"of_a_newer_memd":[]})");
  ASSERT_TRUE(older);
  EXPECT_EQ(older->total, 3);
}

}  // namespace
}  // namespace memd::test
