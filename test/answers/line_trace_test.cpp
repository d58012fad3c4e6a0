#include "daemon/tools/line_trace.hpp"

#include <gtest/gtest.h>

namespace memd::tools {
namespace {

// Returns the hunk "@@ -old +new @@" as git writes it, with its lines.
EditHunk hunk(std::int64_t old_start, std::int64_t old_lines, std::int64_t new_start, std::int64_t new_lines,
              std::string text) {
  return {old_start, old_lines, new_start, new_lines, std::move(text)};
}
TraceStep step(std::vector<EditHunk> hunks, bool whole = false) { return {std::move(hunks), whole}; }

std::vector<std::size_t> steps_of(const LineTrace& trace) {
  std::vector<std::size_t> out;
  for (const auto& e : trace.edits)
    out.push_back(e.step);
  return out;
}

TEST(LineTrace, NumbersAreCarriedBackThroughLaterEdits) {
  // Step 0 changes line 10. Step 1 adds five lines at the top, so line 10 becomes line 15.
  const std::vector<TraceStep> edits{step({hunk(9, 3, 9, 3, " a\n-b\n+B\n c\n")}),
                                     step({hunk(1, 1, 1, 6, "+1\n+2\n+3\n+4\n+5\n x\n")})};
  const auto found = trace_lines(edits, {15, 15});
  ASSERT_EQ(found.edits.size(), 1U);
  EXPECT_EQ(found.edits[0].step, 0U);
  EXPECT_EQ(found.edits[0].match, TraceMatch::placed);
  EXPECT_EQ(found.edits[0].lines.first, 10);
  EXPECT_EQ(found.edits[0].lines.last, 10);
  EXPECT_EQ(found.edits[0].change, " a\n-b\n+B\n c\n");
  EXPECT_EQ(steps_of(trace_lines(edits, {10, 10})), std::vector<std::size_t>{});
  EXPECT_EQ(steps_of(trace_lines(edits, {3, 15})), (std::vector<std::size_t>{1, 0}));
}

TEST(LineTrace, ContextLinesAreNotChanges) {
  const std::vector<TraceStep> edits{step({hunk(9, 3, 9, 3, " a\n-b\n+B\n c\n")})};
  EXPECT_TRUE(trace_lines(edits, {9, 9}).edits.empty());
  EXPECT_TRUE(trace_lines(edits, {11, 11}).edits.empty());
  EXPECT_EQ(trace_lines(edits, {10, 10}).edits.size(), 1U);
}

TEST(LineTrace, WhatWroteTheLinesFirstEndsTheTrace) {
  const std::vector<TraceStep> edits{step({hunk(9, 1, 9, 1, "-b\n+B\n")}), step({hunk(20, 0, 21, 3, "+x\n+y\n+z\n")})};
  const auto found = trace_lines(edits, {22, 22});
  EXPECT_EQ(steps_of(found), std::vector<std::size_t>{1});
  EXPECT_TRUE(found.reaches_origin);
  EXPECT_FALSE(trace_lines(edits, {9, 22}).reaches_origin);
}

TEST(LineTrace, RemovedLinesCountWhereTheyStood) {
  const std::vector<TraceStep> edits{step({hunk(9, 4, 9, 2, " a\n-b\n-c\n d\n")})};
  EXPECT_EQ(trace_lines(edits, {10, 10}).edits.size(), 1U);
  EXPECT_EQ(trace_lines(edits, {9, 10}).edits.size(), 1U);
  EXPECT_TRUE(trace_lines(edits, {12, 14}).edits.empty());
}

TEST(LineTrace, AnEditWithoutPlacesMakesOlderOnesEstimates) {
  const std::vector<TraceStep> edits{step({hunk(9, 1, 9, 1, "-b\n+B\n")}), step({hunk(0, 0, 0, 0, "-q\n+r\n")})};
  const auto found = trace_lines(edits, {9, 9});
  ASSERT_EQ(found.edits.size(), 2U);
  EXPECT_EQ(found.edits[0].match, TraceMatch::unplaced);
  EXPECT_EQ(found.edits[1].match, TraceMatch::estimated);
}

TEST(LineTrace, TextsAreFoundWhereTheContentsAreKnown) {
  const std::vector<TraceStep> edits{
      step({hunk(0, 0, 1, 4, "+one\n+two\n+three\n+four\n")}, true),
      step({hunk(0, 0, 0, 0, " two\n-three\n+3\n+3b\n")}),  // without line numbers, like apply_patch
      step({hunk(0, 0, 0, 0, "-one\n+1\n+1b\n")}),
  };
  const auto found = trace_lines(edits, {4, 4});  // 1 1b two [3] 3b four
  ASSERT_EQ(found.edits.size(), 2U);
  EXPECT_EQ(found.edits[0].step, 1U);
  EXPECT_EQ(found.edits[0].match, TraceMatch::placed);
  EXPECT_EQ(found.edits[0].lines.first, 3);
  EXPECT_EQ(found.edits[0].lines.last, 4);
  EXPECT_EQ(found.edits[1].step, 0U);
  EXPECT_TRUE(found.reaches_origin);
}

TEST(LineTrace, TextsThatStandTwiceOrNowhereAreNotGuessed) {
  std::vector<TraceStep> edits{step({hunk(0, 0, 1, 3, "+same\n+other\n+same\n")}, true),
                               step({hunk(0, 0, 0, 0, "-same\n+new\n")})};
  EXPECT_EQ(trace_lines(edits, {2, 2}).edits.front().match, TraceMatch::unplaced);
  edits[1] = step({hunk(0, 0, 0, 0, "-nowhere\n+new\n")});
  EXPECT_EQ(trace_lines(edits, {2, 2}).edits.front().match, TraceMatch::unplaced);
}

TEST(LineTrace, WhatSomebodyElseChangedEndsWhatIsKnown) {
  const std::vector<TraceStep> edits{
      step({hunk(0, 0, 1, 2, "+one\n+two\n")}, true),
      step({hunk(1, 1, 1, 1, "-eins\n+uno\n")}),  // but line 1 was "one"
      step({hunk(0, 0, 0, 0, "-two\n+2\n")}),
  };
  EXPECT_EQ(trace_lines(edits, {2, 2}).edits.front().match, TraceMatch::unplaced);
}

TEST(LineTrace, ByText) {
  const std::vector<TraceStep> edits{
      step({hunk(9, 3, 9, 3, " parse(a)\n-b\n+parse(b)\n c\n")}),
      step({hunk(1, 1, 1, 1, " parse(x)\n-p\n+q\n")}),
      step({hunk(0, 0, 0, 0, "-parse(b)\n+read(b)\n")}),
      step({}),
  };
  const auto found = trace_text(edits, "parse(");
  EXPECT_EQ(steps_of(found), (std::vector<std::size_t>{2, 0}));
  EXPECT_EQ(found.edits[0].match, TraceMatch::unplaced);
  EXPECT_EQ(found.edits[1].lines.first, 9);
}

}  // namespace
}  // namespace memd::tools
