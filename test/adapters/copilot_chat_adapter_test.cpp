#include "adapters/adapter.hpp"
#include "test/adapters/decode_snapshot.hpp"
#include "test/adapters/folder_view.hpp"
#include "test/adapters/snapshot_follower.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

// Sessions of VS Code that are logs of changes.
namespace memd::copilot_chat {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;

const std::string kPath = "/home/ada/.config/Code/User/workspaceStorage/4f1a/chatSessions/s-1.jsonl";
const Adapter& copilot() { return *find_adapter(Platform::copilot_chat); }

// What the adapter reads from the text of such a log.
struct Chat {
  explicit Chat(const std::string& text) {
    test::FolderView files;
    files.write(kPath, text);
    Source source;
    source.platform = Platform::copilot_chat;
    source.path = kPath;
    const auto reader = copilot().open_snapshot(source, files);
    plan = *reader->plan("");
    for (const auto& line : plan.rest)
      accounted += line.bytes;
    if (plan.sessions.empty()) return;
    const auto session = *reader->session("s-1", {});
    head = *reader->item("s-1", session->head->key);
    for (const auto& item : session->items) {
      requests.push_back(*reader->item("s-1", item.key));
      accounted += item.ledger_bytes;
    }
  }

  SnapshotReader::Plan plan;
  std::string head;
  std::vector<std::string> requests;
  std::uint64_t accounted = 0;
};

TEST(ChatLog, LinesChangeTheSession) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> steps{
      {R"({"kind":0,"v":{"customTitle":"Rolls","requests":[]}})", {}},
      {R"({"kind":2,"k":["requests"],"v":[{"requestId":"a","response":[]},{"requestId":"b"}]})",
       {R"({"requestId":"a","response":[]})", R"({"requestId":"b"})"}},
      {R"({"kind":2,"k":["requests",0,"response"],"v":[{"value":"x"},{"value":"y"}]})",
       {R"({"requestId":"a","response":[{"value":"x"},{"value":"y"}]})", R"({"requestId":"b"})"}},
      {R"({"kind":2,"k":["requests",0,"response"],"v":[{"value":"z"}],"i":1})",
       {R"({"requestId":"a","response":[{"value":"x"},{"value":"z"}]})", R"({"requestId":"b"})"}},
      {R"({"kind":1,"k":["requests",1,"vote"],"v":1})",
       {R"({"requestId":"a","response":[{"value":"x"},{"value":"z"}]})", R"({"requestId":"b","vote":1})"}},
      {R"({"kind":3,"k":["requests",1,"vote"]})",
       {R"({"requestId":"a","response":[{"value":"x"},{"value":"z"}]})", R"({"requestId":"b"})"}},
      {R"({"kind":2,"k":["requests"],"i":1})", {R"({"requestId":"a","response":[{"value":"x"},{"value":"z"}]})"}},
      {R"({"kind":1,"k":["customTitle"],"v":"Buns"})",
       {R"({"requestId":"a","response":[{"value":"x"},{"value":"z"}]})"}},
      {R"({"kind":0,"v":{"customTitle":"Buns","requests":[{"requestId":"c"}]}})", {R"({"requestId":"c"})"}},
  };
  std::string text;
  for (const auto& [line, expected] : steps) {
    text += line + "\n";
    const Chat chat(text);
    EXPECT_EQ(chat.requests, expected) << line;
    EXPECT_EQ(chat.accounted, text.size()) << line;
  }
  EXPECT_THAT(Chat(text).head, HasSubstr(R"("title":"Buns")"));
}

TEST(ChatLog, WhatLeadsNowhereIsTold) {
  const std::string text = R"({"kind":0,"v":{"requests":[]}})"
                           "\n"
                           R"({"kind":1,"k":["requests",7,"vote"],"v":1})"
                           "\n"
                           R"({"kind":9})"
                           "\n"
                           R"({"kind":2,"k":["requests"],"v":[{"requ)";
  const Chat chat(text);
  EXPECT_EQ(chat.accounted, text.size());
  EXPECT_THAT(chat.plan.rest,
              Contains(AllOf(Field(&CoverageEntry::record_type, "(unknown)"), Field(&CoverageEntry::records, 2U))));
  EXPECT_THAT(chat.plan.rest,
              Contains(AllOf(Field(&CoverageEntry::record_type, "(unfinished)"), Field(&CoverageEntry::bytes, 38U))));
}

TEST(CopilotChat, AnAnswerThatGrowsIsReadAgainAlone) {
  test::FolderView files;
  Source source;
  source.platform = Platform::copilot_chat;
  source.path = kPath;
  files.write(kPath,
              "{\"kind\":0,\"v\":{\"creationDate\":1772359200000,\"requests\":[{\"requestId\":\"a\",\"message\":"
              "\"Rye?\",\"response\":[]}]}}\n");
  test::SnapshotFollower follower(copilot(), source, files);
  EXPECT_THAT(follower.look().read["s-1"], ElementsAre("a"));
  EXPECT_TRUE(follower.look().unchanged);
  files.append(
      kPath,
      "{\"kind\":2,\"k\":[\"requests\"],\"v\":[{\"requestId\":\"b\",\"message\":\"Spelt?\",\"response\":[]}]}\n");
  EXPECT_THAT(follower.look().read["s-1"], ElementsAre("b"));
  files.append(kPath, "{\"kind\":2,\"k\":[\"requests\",1,\"response\"],\"v\":[{\"value\":\"Yes.\"}]}\n");
  EXPECT_THAT(follower.look().read["s-1"], ElementsAre("b"));
  files.append(kPath, "{\"kind\":2,\"k\":[\"requests\"],\"i\":1}\n");
  EXPECT_THAT(follower.look().vanished["s-1"], ElementsAre("b"));
}

TEST(CopilotChat, AnEmptyPanelIsNoSession) {
  test::FolderView files;
  files.write(kPath, "{\"kind\":0,\"v\":{\"requests\":[]}}\n");
  SourceCandidate candidate{Platform::copilot_chat, kPath, SourceFormat::json};
  EXPECT_TRUE(test::decode_snapshot(copilot(), candidate, files).sessions.empty());
}

}  // namespace
}  // namespace memd::copilot_chat
