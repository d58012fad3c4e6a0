#include "adapters/tool_calls/recorded_edits.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

RecordedEdit only(std::string_view record) {
  auto edits = recorded_edits(record);
  EXPECT_EQ(edits.size(), 1U) << record;
  return edits.empty() ? RecordedEdit() : edits.front();
}

TEST(RecordedEdits, ClaudeCodesStructuredPatch) {
  const auto edit = only(
      R"({"type":"user","toolUseResult":{"filePath":"/w/a.c","oldString":"b","newString":"B","structuredPatch":)"
      R"([{"oldStart":9,"oldLines":3,"newStart":10,"newLines":3,"lines":[" a","-b","+B","\\ No newline"," c"]}]}})");
  EXPECT_EQ(edit.path, "/w/a.c");
  ASSERT_EQ(edit.hunks.size(), 1U);
  EXPECT_EQ(edit.hunks[0].old_start, 9);
  EXPECT_EQ(edit.hunks[0].new_start, 10);
  EXPECT_EQ(edit.hunks[0].text, " a\n-b\n+B\n c\n");
  EXPECT_FALSE(edit.whole_file);
}

TEST(RecordedEdits, ANewFileIsWrittenFromItsFirstLineOn) {
  const auto edit =
      only(R"({"toolUseResult":{"type":"create","filePath":"/w/a.c","content":"one\ntwo\n","structuredPatch":[]}})");
  EXPECT_TRUE(edit.whole_file);
  ASSERT_EQ(edit.hunks.size(), 1U);
  EXPECT_EQ(edit.hunks[0].new_start, 1);
  EXPECT_EQ(edit.hunks[0].new_lines, 2);
  EXPECT_EQ(edit.hunks[0].text, "+one\n+two\n");
}

TEST(RecordedEdits, TheTextsOfACall) {
  const auto edit = only(
      R"({"message":{"content":[{"type":"tool_use","name":"Edit","input":{"file_path":"/w/a.c","old_string":"x\ny",)"
      R"("new_string":"z"}}]}})");
  EXPECT_EQ(edit.path, "/w/a.c");
  EXPECT_FALSE(edit.hunks.at(0).placed());
  EXPECT_EQ(edit.hunks.at(0).text, "-x\n-y\n+z\n");
  const auto many = recorded_edits(
      R"({"input":{"file_path":"/w/a.c","edits":[{"old_string":"a","new_string":"b"},{"old_string":"c","new_string":""}]}})");
  ASSERT_EQ(many.size(), 2U);
  EXPECT_EQ(many[1].path, "/w/a.c");
  EXPECT_EQ(many[1].hunks.at(0).text, "-c\n");
}

TEST(RecordedEdits, PatchesInsideOfArguments) {
  const std::string patch = R"(*** Begin Patch\\n*** Update File: src/a.c\\n@@ int f()\\n a\\n-b\\n+B\\n@@\\n+end\\n)"
                            R"(*** Add File: new.c\\n+one\\n*** Delete File: old.c\\n*** End Patch)";
  const auto edits =
      recorded_edits(R"({"payload":{"type":"function_call","arguments":"{\"input\":\")" + patch + R"(\"}"}})");
  ASSERT_EQ(edits.size(), 2U);
  EXPECT_EQ(edits[0].path, "src/a.c");
  ASSERT_EQ(edits[0].hunks.size(), 2U);
  EXPECT_EQ(edits[0].hunks[0].text, " a\n-b\n+B\n");
  EXPECT_FALSE(edits[0].hunks[0].placed());
  EXPECT_EQ(edits[1].path, "new.c");
  EXPECT_TRUE(edits[1].whole_file);
}

TEST(RecordedEdits, UnifiedDiffsUnderTheNamesOfFiles) {
  const auto edits = recorded_edits(
      R"({"payload":{"changes":{"/w/a.c":{"type":"update","unified_diff":"@@ -1,2 +1,3 @@\n a\n+b\n c\n"},)"
      R"("/w/b.c":{"type":"add","content":"x\n"}}}})");
  ASSERT_EQ(edits.size(), 2U);
  EXPECT_EQ(edits[0].path, "/w/a.c");
  EXPECT_EQ(edits[0].hunks.at(0).new_lines, 3);
  EXPECT_EQ(edits[1].path, "/w/b.c");
  EXPECT_TRUE(edits[1].whole_file);
}

TEST(RecordedEdits, DiffsAsOtherAgentsWriteThem) {
  const auto chunk = only(
      R"({"result":{"relativeWorkspacePath":"a.c","diff":{"chunks":[{"diffString":"-x\n+y","oldStart":4,"newStart":4,)"
      R"("oldLines":1,"newLines":1}]}}})");
  EXPECT_EQ(chunk.path, "a.c");
  EXPECT_EQ(chunk.hunks.at(0).new_start, 4);
  const auto cline = only(
      R"({"text":"{\"tool\":\"editedExistingFile\",\"path\":\"a.c\",\"diff\":\"------- SEARCH\\nx\\n=======\\ny\\n+++++++ REPLACE\\n\"}"})");
  EXPECT_EQ(cline.hunks.at(0).text, "-x\n+y\n");
  const auto headed =
      only(R"({"metadata":{"diff":"--- a/a.c\n+++ b/a.c\n@@ -3 +3 @@ f()\n-x\n+y\n\\ No newline at end of file\n"},)"
           R"("input":{}})");
  EXPECT_EQ(headed.hunks.at(0).old_start, 3);
  EXPECT_EQ(headed.hunks.at(0).text, "-x\n+y\n");
  const auto unended = only(R"({"path":"a.c","diff":"@@ -3 +3 @@\n-x\n\\ No newline at end of file\n+y\n"})");
  EXPECT_EQ(unended.hunks.at(0).text, "-x\n+y\n");
}

TEST(RecordedEdits, NothingFromWhatTellsOfNothing) {
  for (const std::string_view record :
       {"", "no json", "{", "[]", "{\"a\":1}", R"({"message":{"content":"I changed a.c"}})",
        R"({"path":"/w/a.c","text":"read"})", R"({"structuredPatch":7,"filePath":"/w/a.c"})"})
    EXPECT_TRUE(recorded_edits(record).empty()) << record;
  const auto inside = [](std::size_t levels) {
    std::string out;
    for (std::size_t i = 0; i < levels; ++i)
      out += "{\"a\":";
    return out + R"({"file_path":"/w/a.c","old_string":"x","new_string":"y"})" + std::string(levels, '}');
  };
  EXPECT_EQ(recorded_edits(inside(10)).size(), 1U);
  EXPECT_TRUE(recorded_edits(inside(200)).empty());
}

TEST(RecordedEdits, NumbersThatAreNoLinesPlaceNothing) {
  const auto counted =
      only(R"({"filePath":"a.c","structuredPatch":[{"oldStart":9223372036854775807,"newStart":9223372036854775807,)"
           R"("oldLines":-5,"newLines":1,"lines":["-x","+y"]}]})");
  EXPECT_FALSE(counted.hunks.at(0).placed());
  EXPECT_EQ(counted.hunks.at(0).old_lines, 0);
  EXPECT_TRUE(recorded_edits(R"({"path":"a.c","diff":"@@ -9223372036854775807 +1 @@\n-x\n+y\n"})").empty());
}

TEST(RecordedEdits, GoosesTextsOfACall) {
  const auto edit = only(R"({"name":"edit","arguments":{"path":"/w/a.c","before":"x","after":"y"}})");
  EXPECT_EQ(edit.path, "/w/a.c");
  EXPECT_EQ(edit.hunks.at(0).text, "-x\n+y\n");
}

TEST(RecordedEdits, ACutCharacterSpoilsNothing) {
  const auto edit = only(R"({"file_path":"/w/a.c","old_string":"x","new_string":"y","other":"\ud83d"})");
  EXPECT_EQ(edit.hunks.at(0).text, "-x\n+y\n");
}

}  // namespace
}  // namespace memd
