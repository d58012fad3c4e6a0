#include "store/insight/summary/chronicle.hpp"

#include "store/insight/summary/gist.hpp"
#include "store/insight/summary/strategy.hpp"
#include "store/text/token_budget.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

namespace memd {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr TimeMs kMorning = 1'770'616'800'000;  // 2026-02-09T06:00:00Z
constexpr TimeMs kMinute = 60'000;

struct Conversation {
  std::deque<std::string> texts;
  std::vector<SummaryInput> inputs;

  SummaryInput& add(TimeMs at, std::string asked, std::string answered) {
    SummaryInput in;
    in.id = texts.emplace_back("x" + std::to_string(inputs.size() + 1));
    in.label = in.id;
    in.started_at = at;
    in.ended_at = at + kMinute;
    in.user_message = texts.emplace_back(std::move(asked));
    in.assistant_response = texts.emplace_back(std::move(answered));
    in.tool_calls = 2;
    return inputs.emplace_back(std::move(in));
  }
};

Conversation two_days() {
  Conversation c;
  for (int i = 0; i < 6; ++i)
    c.add(kMorning + i * 5 * kMinute, "Please add step " + std::to_string(i) + " to the importer of the archive.",
          "Let me look. I looked at everything there is. Implemented step " + std::to_string(i) +
              " in the importer, all tests pass.");
  c.inputs.back().files_modified = {"/w/p/importer.cpp"};
  for (int i = 0; i < 6; ++i)
    c.add(kMorning + kMsPerDay + i * 5 * kMinute,
          "The exporter fails in case " + std::to_string(i) + ", please repair it.",
          "Fixed case " + std::to_string(i) + " in the exporter because the header was wrong. Want me to go on?");
  return c;
}

TEST(Gist, OfARequestIsItsFirstWordsThatSaySomething) {
  EXPECT_EQ(request_gist("Please fix the CSV parser. It drops rows."), "Please fix the CSV parser.");
  EXPECT_EQ(request_gist("Yes. Then please fix the parser too."), "Yes. Then please fix the parser too.");
  EXPECT_EQ(request_gist("Implement the following plan:\n\n# Paging of lists\n\nLong text."),
            "Implement the following plan: Paging of lists");
  EXPECT_EQ(request_gist("/review the last commit"), "/review the last commit");
  EXPECT_EQ(request_gist("```\nlog line\n```\nWhy does this happen in the log?"), "Why does this happen in the log?");
  EXPECT_EQ(request_gist(""), "");
  EXPECT_EQ(request_gist(std::string(100'000, 'x')), "");
  EXPECT_LE(request_gist("word " + std::string(400, 'y') + " and more of it.", 60).size(), 60U);
}

TEST(Gist, OfAnAnswerIsItsResult) {
  EXPECT_EQ(result_gist("Let me look at it. Fixed the parser, all tests pass now. Want me to commit?"),
            "Fixed the parser, all tests pass now.");
  EXPECT_EQ(result_gist("Shall I look at all of it again? The header stays as it is."), "The header stays as it is.");
  EXPECT_EQ(result_gist("The header is read twice."), "The header is read twice.");
  EXPECT_EQ(result_gist("```\ncode\n```"), "");
}

TEST(Phases, EndWithTheDayAndWithALongPause) {
  Conversation c = two_days();
  EXPECT_EQ(phases_of(c.inputs, 10).size(), 2U);
  c.inputs[3].started_at += 2 * kPhasePause;
  EXPECT_EQ(phases_of(c.inputs, 10).size(), 3U);
  const auto two = phases_of(c.inputs, 2);  // split at the longest pause
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[1].first, 6U);
  EXPECT_EQ(two[0].count + two[1].count, c.inputs.size());
  EXPECT_EQ(phases_of(c.inputs, 0).size(), 1U);
  Conversation night;
  const TimeMs midnight = (kMorning / kMsPerDay + 1) * kMsPerDay;
  night.add(midnight - 10 * kMinute, "Late.", "Done.");
  night.add(midnight + 10 * kMinute, "Later.", "Done.");
  EXPECT_EQ(phases_of(night.inputs, 10).size(), 2U) << "a day ends without a pause, too";
  EXPECT_TRUE(phases_of({}, 3).empty());
}

TEST(Chronicle, TellsPhaseByPhase) {
  const Conversation c = two_days();
  const ExtractiveSummary s = Chronicle(c.inputs).by_phase(0.7, 2000);
  EXPECT_THAT(s.text,
              HasSubstr("2026-02-09 06:00 to 06:26, x1 to x6 (6 turns, 12 tool calls)\n  asked: Please add step 0"));
  EXPECT_THAT(s.text, HasSubstr("did: modified importer.cpp"));
  EXPECT_THAT(s.text, HasSubstr("ended: Implemented step 5"));
  EXPECT_THAT(s.text, HasSubstr("2026-02-10 06:00"));
  EXPECT_THAT(s.text, HasSubstr("ended: Fixed case 5"));
  EXPECT_LT(s.text.find("2026-02-09"), s.text.find("2026-02-10"));
  EXPECT_EQ(s.exchanges_mentioned, 12U);
}

TEST(Chronicle, KeepsToItsTokens) {
  const Conversation c = two_days();
  for (const double ratio : {0.1, 0.3, 0.7})
    for (const std::size_t cap : {0U, 5U, 20U, 50U, 100U, 300U, 3000U}) {
      const ExtractiveSummary s = Chronicle(c.inputs).by_phase(ratio, cap);
      EXPECT_LE(estimate_tokens(s.text), cap);
      EXPECT_LE(static_cast<double>(s.tokens), std::max(60.0, static_cast<double>(s.source_tokens) * ratio));
      EXPECT_EQ(s.text, Chronicle(c.inputs).by_phase(ratio, cap).text);
    }
  EXPECT_EQ(Chronicle({}).by_phase(0.3, 100).text, "");
}

TEST(Abstract, FramesTheWork) {
  const Conversation c = two_days();
  const std::vector<std::string> decisions{"Going with one pass because two are slow."};
  const ExtractiveSummary s = Chronicle(c.inputs).abstract(decisions, 0.5, 200);
  EXPECT_THAT(s.text, HasSubstr("Asked: Please add step 0"));
  EXPECT_THAT(s.text, HasSubstr("Decided: Going with one pass"));
  EXPECT_THAT(s.text, HasSubstr("Ended: Fixed case 5"));
  EXPECT_LE(Chronicle(c.inputs).abstract(decisions, 0.02, 200).tokens, 60U);
}

TEST(OpenEnds, AreWhatTheEndLeavesOpen) {
  Conversation c = two_days();
  auto open = find_open_ends(c.inputs);
  ASSERT_EQ(open.size(), 1U);  // only the last question counts
  EXPECT_EQ(open[0].exchange, 11U);
  EXPECT_EQ(open[0].text, "Want me to go on?");
  c.add(kMorning + 2 * kMsPerDay, "Then release it.", "").tool_calls = 0;
  open = find_open_ends(c.inputs);
  ASSERT_EQ(open.size(), 1U);
  EXPECT_EQ(open[0].text, "Not answered: Then release it.");
  c.add(kMorning + 2 * kMsPerDay, "And?", "Released. The docs are not yet updated. The rest is done.");
  open = find_open_ends(c.inputs);
  ASSERT_EQ(open.size(), 1U);
  EXPECT_EQ(open[0].text, "The docs are not yet updated.");
  c.add(kMorning + 2 * kMsPerDay, "Thanks.", "You are welcome.");
  EXPECT_EQ(find_open_ends(c.inputs).size(), 1U) << "of the last answer but one, too";
  c.add(kMorning + 2 * kMsPerDay, "Good night.", "Good night.");
  EXPECT_TRUE(find_open_ends(c.inputs).empty());
  EXPECT_TRUE(find_open_ends({}).empty());
}

TEST(Strategy, FollowsCountAndConstraints) {
  SummaryConstraints c;
  c.model = true;
  c.exchanges = 50;
  EXPECT_EQ(select_strategy(c), SummaryStrategy::abstractive);
  for (const std::size_t exchanges : {51, 100}) {
    c.exchanges = exchanges;
    EXPECT_EQ(select_strategy(c), SummaryStrategy::recursive);
  }
  c.exchanges = 101;
  EXPECT_EQ(select_strategy(c), SummaryStrategy::hierarchical);
  c.max_seconds = 29;
  EXPECT_EQ(select_strategy(c), SummaryStrategy::map_reduce);
  c.max_seconds = 1;
  EXPECT_EQ(select_strategy(c), SummaryStrategy::hierarchical);  // extractive: no model answers in time
  c.max_seconds.reset();
  c.exchanges = 20;
  c.max_tokens = 200;
  EXPECT_EQ(select_strategy(c), SummaryStrategy::extractive);

  c = {};
  c.exchanges = 30;
  EXPECT_EQ(select_strategy(c), SummaryStrategy::extractive);
  c.days = 2;
  EXPECT_EQ(select_strategy(c), SummaryStrategy::chronological);
  c.exchanges = 101;
  EXPECT_EQ(select_strategy(c), SummaryStrategy::hierarchical);
  EXPECT_FALSE(needs_model(select_strategy(c)));
}

TEST(Strategy, HasNames) {
  for (const auto s : {SummaryStrategy::extractive, SummaryStrategy::chronological, SummaryStrategy::hierarchical,
                       SummaryStrategy::map_reduce, SummaryStrategy::recursive, SummaryStrategy::abstractive})
    EXPECT_EQ(parse_summary_strategy(to_string(s)), s);
  EXPECT_EQ(parse_summary_strategy("auto"), std::nullopt);
}

}  // namespace
}  // namespace memd
