#include "adapters/tool_calls/choices.hpp"

#include <gtest/gtest.h>

namespace memd::tool_calls {
namespace {

constexpr std::string_view kAsked =
    R"({"questions":[{"id":"db","header":"Store","question":"Which store?"},{"header":"Port","question":"Which port?"}]})";

// The forms in which agents record answers; each is of the agent named, as its public source writes it.
TEST(Choices, AreReadInEveryForm) {
  const std::string both = "Which store?: SQLite\nWhich port?: 80, 81";
  EXPECT_EQ(choices_in("ask_user", kAsked, R"({"answers":{"0":"SQLite","1":"80, 81"}})"), both) << "Gemini CLI";
  EXPECT_EQ(choices_in("question", kAsked, R"({"answers":[["SQLite"],["80","81"]],"truncated":false})"), both)
      << "opencode";
  EXPECT_EQ(choices_in("AskUserQuestion", {}, R"({"answers":{"Which store?":"SQLite","Which port?":"80, 81"}})"), both)
      << "Kimi";
  EXPECT_EQ(choices_in({}, {}, R"({"answers":{"db":{"answers":["SQLite"]},"port":{"answers":["80","81"]}}})"),
            "db: SQLite\nport: 80, 81")
      << "Codex, whose result names only the ids";
  EXPECT_EQ(choices_in("vscode_askQuestions", kAsked,
                       R"({"answers":{"Store":{"selected":["SQLite"],"freeText":null,"skipped":false},)"
                       R"("Port":{"selected":["80"],"freeText":"81","skipped":false}}})"),
            both)
      << "VS Code";
  EXPECT_EQ(choices_in("ask_user_question", {},
                       "User has provided the following answers:\n\n**Store**: SQLite\nin a file\n**Port**: 80"),
            "Store: SQLite in a file\nPort: 80")
      << "Qwen Code";
  EXPECT_EQ(choices_in("ask_user_question", {},
                       R"({"answers": [{"question": "Which store?", "answer": "SQLite", "isOther": false},)"
                       R"({"question": "Which port?", "answer": "80, 81", "isOther": true}], "cancelled": false})"),
            both)
      << "Vibe";
  EXPECT_EQ(
      choices_in({}, {}, "1. [question] Which store?\n[answer] SQLite\n\n2. [question] Which port?\n[answer] 80,\n81"),
      both)
      << "droid";
}

TEST(Choices, OfAFormAreNamedByItsFields) {
  constexpr std::string_view kForm =
      R"({"properties":{"db":{"title":"Store","description":"Which store?"},"wal":{"title":"Log"},"port":{}}})";
  EXPECT_EQ(choices_of_form("Details, please.", kForm, R"({"db":"SQLite","wal":true,"port":80,"note":null})"),
            "Which store?: SQLite\nLog: true\nport: 80");
  EXPECT_EQ(choices_of_form("Details, please.", kForm, R"({"db":"SQLite"})"), "Which store?: SQLite");
  EXPECT_EQ(choices_of_form("Which one?", {}, R"({"db":["SQLite","WAL"]})"), "Which one?: SQLite, WAL");
  EXPECT_EQ(choices_of_form("Which one?", kForm, "{}"), "");
}

TEST(Choices, WhatWasNotAnsweredIsNone) {
  for (const std::string_view result :
       {"User dismissed ask_user dialog without answering.", "User declined to answer the questions.",
        R"({"answers":{}})", R"({"answers":{"0":""}})", R"({"answers":{"Store":{"selected":[],"skipped":true}}})",
        R"({"answers":"SQLite"})", R"({"answers":{"0":"SQL)", "", "{}", R"({"answers":[],"cancelled":true})"})
    EXPECT_EQ(choices_in("ask_user", kAsked, result), "") << result;
  EXPECT_EQ(choices_in({}, {}, "1. [question] Which store?\n[answer] \n"), "");
}

TEST(Choices, OnlyAToolThatAsksHasSome) {
  const std::string_view result = R"({"answers":{"0":"SQLite"}})";
  EXPECT_EQ(choices_in("mcp__quiz__ask", kAsked, result), "");
  EXPECT_EQ(choices_in({}, {}, R"({"answers":{"0":"SQLite"},"score":1})"), "") << "a result of some other tool";
  EXPECT_EQ(choices_in({}, {}, "User has provided the following answers:\n\n**Store**: SQLite"), "")
      << "prose of an unknown tool";
}

}  // namespace
}  // namespace memd::tool_calls
