#include "test/support/tool_fixture.hpp"

#include "daemon/tools/observed.hpp"

namespace memd::test {
namespace {

// Two sessions: the first has a decision and a later one that reverses it, the second a problem.
class ListObservations : public ToolFixture {
 protected:
  ListObservations() {
    const auto formats = store.session({.native_id = "aaaa1111", .title = "Formats", .start = kNow - 5 * kMsPerDay});
    const auto tables = store.session({.native_id = "bbbb2222", .title = "Tables", .start = kNow - 2 * kMsPerDay});
    for (const char* said : {"I'll store raw files for the sensor.", "Let's use archives for the sensor instead."})
      ids.push_back(store.exchange(formats, {.user = "How is the sensor stored?", .answer = said}));
    ids.push_back(store.exchange(tables, {.user = "Why is the sensor slow?",
                                          .answer = "The real problem is the index.",
                                          .files = {"/home/u/app/index.sql"}}));
    observe(formats, 0, "decision", "I'll store raw files for the sensor.", kNow - 300);
    observe(formats, 1, "decision", "Let's use archives for the sensor instead.", kNow - 200);
    observe(tables, 0, "problem", "The real problem is the index.", kNow - 100);
    store.db().exec(
        "INSERT INTO decisions (observation_pk, kind, decided_by, chosen, rejected, reason, reversed_by)"
        " VALUES (1, 0, 0, 'raw files', '', '', 2), (2, 0, 0, 'archives', 'raw files', 'they are small', NULL)");
  }
  void observe(std::int64_t session, int number, std::string_view type, std::string_view words, TimeMs time) {
    store.db()
        .prepare(
            "INSERT INTO observations (session_pk, exchange_number, event_seq, time, type, summary, content,"
            " content_hash) VALUES (?1, ?2, ?2, ?5, ?3, ?4, ?4, ?6)")
        .bind(session, number, type, words, time, as_sql(hash64(words)))
        .run();
  }
  std::vector<ExchangeId> ids;
};

TEST_F(ListObservations, TellWhatWasDecidedByWhomAndWhetherItHolds) {
  const auto a = call("list_observations", R"({"observation":"decision"})");
  EXPECT_EQ(a.at("total").as_int64(), 2);
  const auto& all = a.at("observations").as_array();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(str(all[0].at("text")), "Let's use archives for the sensor instead.");
  EXPECT_EQ(str(all[0].at("exchange_id")), format_exchange_id(ids[1]));
  EXPECT_EQ(str(all[0].at("decision").at("decided_by")), "user");
  EXPECT_EQ(str(all[0].at("decision").at("rejected")), "raw files");
  EXPECT_EQ(str(all[0].at("decision").at("reason")), "they are small");
  EXPECT_FALSE(all[0].at("decision").as_object().contains("reversed_by"));
  EXPECT_EQ(str(all[1].at("decision").at("reversed_by")), format_exchange_id(ids[1]));
  EXPECT_TRUE(has(text, "choice of the user: Let's use archives for the sensor instead.; against: raw files"));
  EXPECT_TRUE(has(text, "reversed in " + format_exchange_id(ids[1])));
}

TEST_F(ListObservations, NameTheFilesChangedInTheirExchange) {
  const auto a = call("list_observations", "{}");
  const auto& all = a.at("observations").as_array();
  EXPECT_EQ(boost::json::serialize(all[0].at("files")), R"(["/home/u/app/index.sql"])");
  EXPECT_FALSE(all[1].as_object().contains("files"));
  EXPECT_TRUE(has(text, "files: /home/u/app/index.sql"));
}

TEST_F(ListObservations, OfOneSessionOrTimePageByPage) {
  EXPECT_EQ(call("list_observations", "{}").at("total").as_int64(), 3);
  EXPECT_EQ(call("list_observations", R"({"session_id":"bbbb"})").at("total").as_int64(), 1);
  EXPECT_EQ(call("list_observations", R"({"kind":"warning"})").at("total").as_int64(), 0);
  std::vector<std::string> seen;
  for (const auto& page : pages("list_observations", R"({"n_results":1})"))
    for (const auto& one : page.at("observations").as_array())
      seen.push_back(str(one.at("kind")));
  EXPECT_EQ(seen, (std::vector<std::string>{"problem", "decision", "decision"}));
}

TEST_F(ListObservations, KindsNarrowSearches) {
  const auto found = [&](const std::string& arguments) {
    std::vector<std::string> out;
    const auto answer = call("semantic_search", arguments);
    for (const auto& hit : answer.at("results").as_array())
      out.push_back(str(hit.at("exchange_id")));
    return out;
  };
  EXPECT_EQ(found(R"({"query":"sensor","observation":"problem"})"), std::vector{format_exchange_id(ids[2])});
  EXPECT_EQ(found(R"({"query":"sensor","kind":"decision"})").size(), 2U);
  EXPECT_TRUE(found(R"({"query":"sensor","kind":"warning"})").empty());
  const auto topic = call("topic_search", R"({"topic":"sensor","observation":"decision"})");
  EXPECT_EQ(topic.at("sessions_found").as_int64(), 1);
  const auto& session = topic.at("by_session").as_object().at("claude_code:aaaa1111").as_object();
  ASSERT_EQ(session.at("decisions").as_array().size(), 2U);
  EXPECT_EQ(str(session.at("decisions").at(0).at("reversed_by")), format_exchange_id(ids[1]));
  EXPECT_TRUE(has(text, "Decided: "));
}

TEST_F(ListObservations, WhereNothingWasDecidedNothingIsSaidOfDecisions) {
  store.db().exec("DELETE FROM observations WHERE type = 'decision'");
  EXPECT_EQ(call("list_observations", R"({"observation":"decision"})").at("total").as_int64(), 0);
  EXPECT_TRUE(
      call("semantic_search", R"({"query":"sensor","observation":"decision"})").at("results").as_array().empty());
  EXPECT_EQ(call("topic_search", R"({"topic":"sensor","observation":"decision"})").at("sessions_found").as_int64(), 0);
  const auto exchange = call("get_exchange", R"({"ids":[")" + format_exchange_id(ids[1]) + R"("]})");
  EXPECT_FALSE(exchange.at("exchanges").at(0).as_object().contains("decisions_made"));
  const auto summary = call("session_summary", R"({"session_id":"aaaa"})");
  EXPECT_TRUE(summary.at("key_decisions").as_array().empty());
  EXPECT_FALSE(has(text, "ecision"));
}

TEST_F(ListObservations, OffersTheTypesThereAre) {
  for (std::size_t i = 0; i < kAllObservationTypes.size(); ++i)
    EXPECT_EQ(tools::kObservationChoices[i], to_string(kAllObservationTypes[i]));
}

std::string line_of(const tools::DecisionOut& decision) {
  tools::HistoryText line;
  tools::add_decision(line, decision);
  const std::string block = tools::AnswerText().quote(line).str();
  return block.substr(10, block.size() - 10 - 12);
}

TEST(DecisionLine, SaysWhatWasChosenWhereItsSentenceDoesNot) {
  tools::DecisionOut decision;
  decision.text = "Yes, do that.";
  decision.chosen = "Rename first,\nanswer afterwards";
  EXPECT_EQ(line_of(decision), "Yes, do that.; chosen: Rename first, answer afterwards");
  decision.text = "I rename first, answer afterwards.";
  decision.chosen = "rename first";
  EXPECT_EQ(line_of(decision), "I rename first, answer afterwards.");
  decision.chosen = "rename first, answer…";
  EXPECT_EQ(line_of(decision), "I rename first, answer afterwards.");
}

}  // namespace
}  // namespace memd::test
