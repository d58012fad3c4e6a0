#include "store/insight/summary/extractive.hpp"

#include "store/text/token_budget.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

struct ExtractiveConversation {
  std::vector<std::string> texts;  // owned by the test
  std::vector<SummaryInput> inputs;
};

ExtractiveConversation long_conversation() {
  ExtractiveConversation c;
  c.texts.reserve(200);
  const auto keep = [&](std::string s) -> std::string_view { return c.texts.emplace_back(std::move(s)); };
  for (int i = 0; i < 12; ++i) {
    SummaryInput in;
    in.label = keep("x" + std::to_string(i + 1));
    in.user_message = keep("Please make the importer handle case " + std::to_string(i) +
                           ". It was reported last week by somebody. There is nothing more to say about it here.");
    std::string work = "Let me look at the files first. Now let me read the other module. I see the listing now. ";
    const std::size_t offset = work.size();
    std::string answer =
        "The importer failed because the header of case " + std::to_string(i) +
        " was read twice. Fixed in `read_header_once()`. The weather stays pleasant today. Some filler "
        "sentence stands here without any meaning at all. Another filler sentence follows that one.\n"
        "```cpp\nint a = 1;\nint b = 2;\n```\nAll tests pass.";
    in.assistant_response = keep(work + answer);
    in.answer_offset = offset;
    in.tool_calls = 3;
    in.tool_errors = i == 2 ? 1 : 0;
    if (i == 1) in.files_modified = {"src/importer.cpp"};
    c.inputs.push_back(std::move(in));
  }
  return c;
}

bool contains(const std::string& s, std::string_view part) { return s.find(part) != std::string::npos; }

TEST(Summarize, KeepsToRatioAndCap) {
  const ExtractiveConversation c = long_conversation();
  for (const double ratio : {kDetailedRatio, kBriefRatio}) {
    const ExtractiveSummary s = summarize(c.inputs, {ratio, 100000, ""});
    EXPECT_LE(static_cast<double>(s.tokens), static_cast<double>(s.source_tokens) * ratio + 60);
    EXPECT_EQ(s.tokens, estimate_tokens(s.text));
    EXPECT_FALSE(s.capped);
  }
  for (const std::size_t cap : {0U, 1U, 5U, 20U, 50U, 100U, 200U}) {
    const ExtractiveSummary s = summarize(c.inputs, {kDetailedRatio, cap, ""});
    EXPECT_LE(estimate_tokens(s.text), cap);
    EXPECT_TRUE(s.capped);
  }
}

TEST(Summarize, TellsRequestsAndOutcomesNotPreambles) {
  const ExtractiveConversation c = long_conversation();
  const ExtractiveSummary s = summarize(c.inputs, {kDetailedRatio, 2000, ""});
  EXPECT_TRUE(contains(s.text, "User: Please make the importer handle case")) << s.text;
  EXPECT_TRUE(contains(s.text, "failed because"));
  EXPECT_FALSE(contains(s.text, "Let me look"));
  EXPECT_FALSE(contains(s.text, "weather"));
}

TEST(Summarize, KeepsOrderAndSpeakers) {
  const ExtractiveConversation c = long_conversation();
  const ExtractiveSummary s = summarize(c.inputs, {0.5, 4000, ""});
  std::size_t last = 0;
  for (int i = 0; i < 12; ++i) {
    const std::size_t at = s.text.find("x" + std::to_string(i + 1) + "\nUser: ");
    ASSERT_NE(at, std::string::npos) << i << "\n" << s.text;
    EXPECT_GE(at, last);
    last = at;
  }
  EXPECT_EQ(s.exchanges_mentioned, 12U);
  EXPECT_TRUE(contains(s.text, "Assistant: "));
  EXPECT_TRUE(contains(s.text, "(3 tool calls, 1 error)"));
  EXPECT_TRUE(contains(s.text, "modified src/importer.cpp"));
}

TEST(Summarize, IsDeterministic) {
  const ExtractiveConversation c = long_conversation();
  EXPECT_EQ(summarize(c.inputs, {0.2, 400, ""}).text, summarize(c.inputs, {0.2, 400, ""}).text);
}

TEST(Summarize, FollowsTheFocus) {
  const std::string answer =
      "The build is quick. The cache has four segments. Colours were changed in the theme. The scheduler uses a heap. "
      "Logging goes to standard error. Fonts are embedded. The parser is hand-written.";
  SummaryInput in;
  in.assistant_response = answer;
  std::vector<SummaryInput> inputs{in};
  const ExtractiveSummary s = summarize(inputs, {0.1, 20, "scheduler"});
  EXPECT_TRUE(contains(s.text, "The scheduler uses a heap.")) << s.text;
}

TEST(Summarize, IdentifiersStayIntact) {
  const std::string answer =
      "Fixed in `read_header_once()` of src/import/v1.2/reader.cpp, e.g. for CSV. The rest stays. Nothing else to say.";
  SummaryInput in;
  in.assistant_response = answer;
  std::vector<SummaryInput> inputs{in};
  EXPECT_TRUE(contains(summarize(inputs, {0.5, 40, ""}).text,
                       "Fixed in `read_header_once()` of src/import/v1.2/reader.cpp, e.g. for CSV."));
}

TEST(Summarize, CodeBlocksStayWhole) {
  const std::string answer = "See:\n```py\nerror = decided_because()\nfixed = error\n```\nDone.";
  SummaryInput in;
  in.assistant_response = answer;
  std::vector<SummaryInput> inputs{in};
  for (std::size_t cap = 1; cap < 60; ++cap) {
    const std::string text = summarize(inputs, {1.0, cap, ""}).text;
    if (contains(text, "```py")) {
      EXPECT_TRUE(contains(text, "\n```")) << text;
    }
  }
}

TEST(Summarize, OneOverlongRequestIsShortened) {
  const std::string paste(50000, 'x');
  SummaryInput in;
  in.user_message = paste;
  std::vector<SummaryInput> inputs{in};
  const ExtractiveSummary s = summarize(inputs, {0.3, 40, ""});
  EXPECT_TRUE(s.text.starts_with("User: xxx")) << s.text;
  EXPECT_LE(estimate_tokens(s.text), 40U);
}

TEST(Summarize, OfNothingIsEmpty) {
  const ExtractiveSummary s = summarize({}, {});
  EXPECT_EQ(s.text, "");
  EXPECT_EQ(s.exchanges_mentioned, 0U);
}

}  // namespace
}  // namespace memd
