#include "daemon/cli/pages.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/tools/topic_search.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/error.hpp"

#include <gtest/gtest.h>
#include <boost/json/parse.hpp>

#include <string>

namespace memd::cli {
namespace {

tools::ExchangeOut exchange_with_events(const std::string& id, std::int64_t from, std::int64_t to) {
  tools::ExchangeOut out;
  out.exchange_id = id;
  out.events.emplace();
  for (std::int64_t i = from; i <= to; ++i)
    out.events->push_back({.seq = i, .time = {}, .kind = "tool_call", .summary = "\"exchanges\":[] and \x9b"});
  return out;
}

std::string printed(std::vector<tools::GetExchangeAnswer> pages, const tools::GetExchangeAnswer& last) {
  const Settings settings{StoreLayout(std::filesystem::path()), true, {}, {}, {}, {}};
  const Invocation call{settings, true, {}};
  testing::internal::CaptureStdout();
  StreamedJson json(call, exchange_list());
  for (tools::GetExchangeAnswer& page : pages)
    EXPECT_TRUE(json.page(page));
  EXPECT_TRUE(json.end(last));
  return testing::internal::GetCapturedStdout();
}

TEST(CliPages, AStreamedListIsTheSameDocument) {
  tools::GetExchangeAnswer first;
  first.notice = "a notice with \"exchanges\":[ in it";
  first.exchanges = {exchange_with_events("x1", 0, 2), exchange_with_events("x2", 0, 1)};
  first.next = "more";
  tools::GetExchangeAnswer second = first;
  second.next.reset();
  second.missing = {"x9"};
  second.exchanges = {exchange_with_events("x2", 2, 3), exchange_with_events("x3", 0, 0)};

  tools::GetExchangeAnswer all = second;
  all.exchanges = {exchange_with_events("x1", 0, 2), exchange_with_events("x2", 0, 3),
                   exchange_with_events("x3", 0, 0)};
  const std::string streamed = printed({first, second}, second);
  EXPECT_EQ(boost::json::parse(streamed), boost::json::parse(mcp::to_json(all)));
  EXPECT_EQ(streamed.find("\xc2\x9b"), std::string::npos) << "nothing in it that a terminal obeys";
}

TEST(CliPages, AListWithoutRowsIsADocumentToo) {
  const tools::GetExchangeAnswer none;
  EXPECT_EQ(boost::json::parse(printed({none}, none)), boost::json::parse(mcp::to_json(none)));
}

TEST(CliPages, ThereAreNoMoreRowsThanAskedFor) {
  struct OnePage final : Caller {
    Result<mcp::ToolOutcome> tool(std::string_view, std::string_view) override { return Error(Errc::not_found, ""); }
    Result<mcp::ToolOutcome> answer(std::string_view, std::string_view) override {
      tools::TopicSearchAnswer page;
      page.topics.emplace(5);
      mcp::ToolOutcome out;
      out.structured = mcp::to_json(page);
      return out;
    }
    Result<mcp::ToolOutcome> admin(std::string_view, std::string_view, const OnProgress&) override {
      return Error(Errc::not_found, "");
    }
    Result<std::string> tool_list() override { return std::string(); }
    bool is_daemon() const override { return false; }
    void interrupt() override {}
  } caller;
  const Pages<tools::TopicSearchAnswer> pages{
      "topic_search",
      [](const tools::TopicSearchAnswer& a) { return std::ssize(*a.topics); },
      {},
      [](tools::TopicSearchAnswer& a, std::int64_t rows) { a.topics->resize(static_cast<std::size_t>(rows)); }};
  const auto arguments = [](const PageWanted&) { return std::string("{}"); };
  const auto two = collect<tools::TopicSearchAnswer>(caller, pages, {2, 20, 0}, arguments);
  ASSERT_TRUE(two) << two.error().message();
  EXPECT_EQ(two->topics->size(), 2U);
  EXPECT_FALSE(two->next) << "no cursor leads to the third";
  const auto all = collect<tools::TopicSearchAnswer>(caller, pages, {0, 20, 0}, arguments);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->topics->size(), 5U);
}

}  // namespace
}  // namespace memd::cli
