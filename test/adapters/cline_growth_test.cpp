#include "schemas/base/error.hpp"
#include "test/adapters/decode_snapshot.hpp"
#include "test/adapters/decode_source.hpp"
#include "test/adapters/folder_view.hpp"
#include "test/adapters/known_items.hpp"

#include <gtest/gtest.h>

#include <algorithm>

// Tasks while Cline writes them: documents that are rewritten whole for each message, read in the middle of a rewrite.
namespace memd {
namespace {

const Adapter& cline_growth_cline() { return *find_adapter(Platform::cline); }

const std::string kTask = "/home/ada/.cline/data/tasks/1769000000000/";
const std::string kUi = kTask + "ui_messages.json";
const std::string kHistory = kTask + "api_conversation_history.json";
const SourceCandidate kSource{Platform::cline, kUi, SourceFormat::json};
const std::string kClineGrowthSession = "1769000000000";

std::string array(const std::vector<std::string>& elements, std::size_t count) {
  std::string out = "[";
  for (std::size_t i = 0; i < count; ++i)
    out += (i > 0 ? "," : "") + elements[i];
  return out + "]";
}

std::string message(int i, const std::string& type, const std::string& kind, const std::string& text, int index) {
  return R"({"ts":)" + std::to_string(1769000000000 + i) + R"(,"type":")" + type + R"(",")" + type + R"(":")" + kind +
         R"(","text":")" + text + R"(","conversationHistoryIndex":)" + std::to_string(index) + "}";
}

// A task of several requests: the contents of its documents after each step.
struct Script {
  std::vector<std::string> ui;
  std::vector<std::string> history;
  struct Step {
    std::string ui, history;
  };
  std::vector<Step> steps;

  explicit Script(int requests) {
    int n = 0;
    const auto say = [&](const std::string& kind, const std::string& text, int index) {
      ui.push_back(message(n++, "say", kind, text, index));
      save();
    };
    say("task", "Do it", -1);
    for (int r = 0; r < requests; ++r) {
      const int index = 2 * r - 1;
      say("api_req_started", R"({\"request\":\"[read_file for 'f)" + std::to_string(r - 1) + R"('] Result:\nok\"})",
          index);
      const auto request = ui.size() - 1;
      history.push_back(R"({"role":"user","content":[{"type":"text","text":"[read_file for 'x'] Result:\nok"}]})");
      save();
      say("text", "Half of", index + 1);
      ui.back() = message(n - 1, "say", "text", "Half of a sentence", index + 1);
      save();
      say("tool", R"({\"tool\":\"readFile\",\"path\":\"f)" + std::to_string(r) + R"(\"})", index + 1);
      // Tokens are written when the answer is complete. The answer is added to the history after that.
      auto& started = ui[request];
      started.insert(started.find(R"(\"})"), R"(\",\"tokensIn\":5,\"tokensOut\":7,\"x\":\")");
      save();
      history.push_back(R"({"role":"assistant","content":[{"type":"tool_use","id":"toolu_)" + std::to_string(r) +
                        R"(","name":"read_file","input":{"path":"f)" + std::to_string(r) + R"("}}]})");
      save();
    }
    say("completion_result", "Done", 2 * requests);
  }
  void save() { steps.push_back({array(ui, ui.size()), array(history, history.size())}); }
};

void write(test::FolderView& files, const Script::Step& step) {
  files.write(kUi, step.ui);
  files.write(kHistory, step.history);
}

TEST(ClineGrowth, EachRewriteShowsWhatWasShownAndMore) {
  const Script script(6);
  test::FolderView files;
  test::KnownItems known(cline_growth_cline(), kSource);
  std::vector<std::string> before;
  for (const auto& step : script.steps) {
    write(files, step);
    known.look(files);
    const auto keys = known.keys(kClineGrowthSession);
    ASSERT_GE(keys.size(), before.size());
    EXPECT_TRUE(std::equal(before.begin(), before.end(), keys.begin()));
    EXPECT_TRUE(known.gone.empty());
    EXPECT_EQ(known.bytes(), known.size);
    // Items before the last request do not change any more.
    const auto requests = [](const std::string& key) { return key.ends_with(".api_req_started"); };
    const auto last = std::find_if(keys.rbegin(), keys.rend(), requests);
    for (const auto& key : known.changed) {
      const auto at = std::find(keys.begin(), keys.end(), key);
      if (last != keys.rend()) {
        EXPECT_LE(keys.end() - at, last - keys.rbegin() + 1) << key;
      }
    }
    before = keys;
  }
  test::KnownItems once(cline_growth_cline(), kSource);
  once.look(files);
  EXPECT_EQ(known.items, once.items);
  EXPECT_NE(known.items.at(kClineGrowthSession + "/1769000000003.tool").find("toolu_0"), std::string::npos);
}

// Reading any part of a rewrite loses and duplicates nothing. The next read gives the state of the complete file.
TEST(ClineGrowth, ATornRewriteTakesNothingAway) {
  const Script script(3);
  for (std::size_t s = 1; s < script.steps.size(); ++s)
    for (std::size_t cut = 0; cut < script.steps[s].ui.size(); cut += 13) {
      test::FolderView files;
      test::KnownItems known(cline_growth_cline(), kSource);
      write(files, script.steps[s - 1]);
      known.look(files);
      const auto before = known.keys(kClineGrowthSession);
      files.write(kUi, script.steps[s].ui.substr(0, cut));
      known.look(files);
      EXPECT_TRUE(known.gone.empty()) << s << " cut at " << cut << ": " << known.gone.front();
      const auto torn = known.keys(kClineGrowthSession);
      ASSERT_GE(torn.size(), before.size());
      write(files, script.steps[s]);
      known.look(files);
      test::KnownItems once(cline_growth_cline(), kSource);
      once.look(files);
      ASSERT_EQ(known.items, once.items) << s << " cut at " << cut;
      EXPECT_EQ(known.keys(kClineGrowthSession), once.keys(kClineGrowthSession));
      EXPECT_EQ(known.bytes(), known.size);
    }
}

// A torn document read for the first time gives its complete messages, and the ledger covers each byte.
TEST(ClineGrowth, ATornDocumentGivesItsWholeMessages) {
  const Script script(2);
  test::FolderView whole;
  write(whole, script.steps.back());
  test::KnownItems all(cline_growth_cline(), kSource);
  all.look(whole);
  const auto keys = all.keys(kClineGrowthSession);
  for (std::size_t cut = 1; cut < script.steps.back().ui.size(); ++cut) {
    test::FolderView files;
    files.write(kUi, script.steps.back().ui.substr(0, cut));
    test::KnownItems known(cline_growth_cline(), kSource);
    known.look(files);
    const auto found = known.keys(kClineGrowthSession);
    EXPECT_TRUE(found.size() <= keys.size() && std::equal(found.begin(), found.end(), keys.begin())) << cut;
    EXPECT_EQ(known.bytes(), known.size) << cut;
    // A document that is unchanged at the next pass is not being written: its torn end is reported once.
    known.look(files);
    EXPECT_EQ(known.bytes(), known.size) << cut;
    EXPECT_EQ(known.keys(kClineGrowthSession).size(), found.size() + (known.changed.empty() ? 0 : 1)) << cut;
    known.look(files);
    EXPECT_TRUE(known.unchanged) << cut;
  }
}

// A file that changes between stat and read is read later.
TEST(ClineGrowth, AFileThatChangesWhileItIsReadIsBusy) {
  class ChangingView : public test::FolderView {
   public:
    Result<std::string> read(const std::string& path, std::uint64_t offset, std::uint64_t length) const override {
      const auto text = FolderView::read(path, offset, length);
      if (path == kUi) const_cast<ChangingView*>(this)->append(path, " ");
      return text;
    }
  };
  ChangingView files;
  files.write(kUi, Script(1).steps.back().ui);
  Source source;
  source.path = kUi;
  EXPECT_TRUE(cline_growth_cline().open_snapshot(source, files)->plan("").error().is(Errc::busy));
}

TEST(ClineGrowth, AnUnchangedTaskIsNotRead) {
  test::FolderView files;
  write(files, Script(2).steps.back());
  test::KnownItems known(cline_growth_cline(), kSource);
  known.look(files);
  files.forget_reads();
  known.look(files);
  EXPECT_TRUE(known.unchanged);
  EXPECT_EQ(files.bytes_read(), 0U);
  files.write(kTask + "README.md", "notes");
  known.look(files);
  EXPECT_FALSE(known.unchanged);
  EXPECT_TRUE(known.changed.empty());
  EXPECT_EQ(known.bytes(), known.size);
}

// Messages that stay empty are read from the history, unless they were read before: then only what came later is new.
TEST(ClineGrowth, EmptyMessagesAreReadFromTheHistoryOnce) {
  const Script script(2);
  test::FolderView files;
  test::KnownItems known(cline_growth_cline(), kSource);
  write(files, script.steps.back());
  known.look(files);
  const auto keys = known.keys(kClineGrowthSession);
  files.write(kUi, "");
  for (int looks = 0; looks < 2; ++looks) {
    known.look(files);
    EXPECT_EQ(known.keys(kClineGrowthSession), keys);
  }
  test::KnownItems cold(cline_growth_cline(), kSource);
  cold.look(files);
  EXPECT_EQ(cold.keys(kClineGrowthSession).front(), "h0");
  EXPECT_EQ(cold.bytes(), cold.size);

  std::string later = files.text(kHistory);
  later.insert(later.rfind(']'), R"(,{"role":"user","ts":1769000500000,"content":"<feedback>One more</feedback>"})");
  files.write(kHistory, later);
  files.write(kUi, "[]");
  known.look(files);
  known.look(files);
  auto more = keys;
  more.push_back("h4");
  EXPECT_EQ(known.keys(kClineGrowthSession), more);
  // The messages come back and tell it.
  std::string ui = script.steps.back().ui;
  ui.insert(ui.rfind(']'), R"(,{"ts":1769000500001,"type":"say","say":"user_feedback","text":"One more"})");
  files.write(kUi, ui);
  known.look(files);
  more.back() = "1769000500001.user_feedback";
  test::KnownItems once(cline_growth_cline(), kSource);
  once.look(files);
  EXPECT_EQ(once.keys(kClineGrowthSession), more);
}

// A crash cuts the messages in their last one, which the history has whole.
TEST(ClineGrowth, WhatTheCutMessagesLackComesFromTheHistory) {
  const std::string ui =
      R"([{"ts":1769000000000,"type":"say","say":"text","text":"Build it"},)"
      R"({"ts":1769000000001,"type":"say","say":"api_req_started","text":"{\"request\":\"<task>Build it</task>\"}"},)"
      R"({"ts":1769000000002,"type":"say","say":"text","text":"Built."},)"
      R"({"ts":1769000000003,"type":"say","say":"user_feedback","text":"Test it"},)"
      R"({"ts":1769000000004,"type":"say","say":"text","text":"All te)";
  const std::string history = R"([{"role":"user","content":[{"type":"text","text":"<task>Build it</task>"}]},)"
                              R"({"role":"assistant","content":[{"type":"text","text":"Built."}]},)"
                              R"({"role":"user","content":[{"type":"text","text":"<feedback>Test it</feedback>"},)"
                              R"({"type":"text","text":"<environment_details>\nopen tabs\n</environment_details>"}]},)"
                              R"({"role":"assistant","content":[{"type":"text","text":"All tests pass."}]}])";
  test::FolderView files;
  files.write(kUi, ui);
  files.write(kHistory, history);
  const auto snapshot = test::decode_snapshot(cline_growth_cline(), kSource, files);
  std::string words;
  for (const Event& e : snapshot.sessions.begin()->second.batch.events)
    words += e.text + "|";
  EXPECT_EQ(words, "Build it|Built.|Test it|All tests pass.|");
  EXPECT_EQ(snapshot.item_bytes + test::bytes_of(snapshot.plan.rest), snapshot.plan.size);

  test::KnownItems known(cline_growth_cline(), kSource);
  known.look(files);
  EXPECT_EQ(known.keys(kClineGrowthSession).back(), "h3");
  known.look(files);  // the end is reported as damaged
  EXPECT_EQ(known.bytes(), known.size);
  // Cline writes the messages again.
  files.write(kUi, ui + R"(sts pass."}])");
  known.look(files);
  EXPECT_EQ(known.keys(kClineGrowthSession).back(), "1769000000004.text");
}

// A short answer stands in words of other messages by chance.
TEST(ClineGrowth, AShortLastEntryIsNotShownByAPartOfAWord) {
  test::FolderView files;
  files.write(kUi, R"([{"ts":1769000000000,"type":"say","say":"text","text":"Since yesterday?"},)"
                   R"({"ts":1769000000001,"type":"say","say":"api_req_started","text":"{}"},)"
                   R"({"ts":1769000000002,"type":"say","sa)");
  files.write(kHistory, R"([{"role":"user","content":[{"type":"text","text":"<task>Since yesterday?</task>"}]},)"
                        R"({"role":"assistant","content":[{"type":"text","text":"yes"}]}])");
  const auto snapshot = test::decode_snapshot(cline_growth_cline(), kSource, files);
  std::string words;
  for (const Event& e : snapshot.sessions.begin()->second.batch.events)
    words += e.text + "|";
  EXPECT_EQ(words, "Since yesterday?|yes|");
}

// The interface marks the words of a task that changed files.
TEST(ClineGrowth, AShortEndOfATaskIsShownWithItsMark) {
  test::FolderView files;
  files.write(kUi, R"([{"ts":1769000000000,"type":"say","say":"text","text":"Since yesterday?"},)"
                   R"({"ts":1769000000001,"type":"say","say":"api_req_started","text":"{}"},)"
                   R"({"ts":1769000000002,"type":"say","say":"completion_result","text":"Done.HAS_CHANGES"},)"
                   R"({"ts":1769000000003,"type":"say","sa)");
  files.write(kHistory, R"([{"role":"user","content":[{"type":"text","text":"<task>Since yesterday?</task>"}]},)"
                        R"({"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"attempt_completion",)"
                        R"("input":{"result":"Done."}}]}])");
  const auto snapshot = test::decode_snapshot(cline_growth_cline(), kSource, files);
  std::string words;
  for (const Event& e : snapshot.sessions.begin()->second.batch.events)
    words += e.text + "|";
  EXPECT_EQ(words, "Since yesterday?|Done.|");
}

// A history that is reset to nothing takes no call's input and no result away.
TEST(ClineGrowth, AResetHistoryTakesNothingAway) {
  const std::string ui =
      R"([{"ts":1769000000000,"type":"say","say":"task","text":"Read f","conversationHistoryIndex":-1},)"
      R"({"ts":1769000000001,"type":"say","say":"api_req_started","text":"{}","conversationHistoryIndex":-1},)"
      R"({"ts":1769000000002,"type":"say","say":"tool","text":"{\"tool\":\"readFile\",\"path\":\"f\"}","conversationHistoryIndex":0},)"
      R"({"ts":1769000000003,"type":"say","say":"api_req_started","text":"{}","conversationHistoryIndex":1},)"
      R"({"ts":1769000000004,"type":"say","say":"text","text":"Read.","conversationHistoryIndex":2})";
  const std::string history =
      R"([{"role":"user","content":"<task>Read f</task>"},)"
      R"({"role":"assistant","content":[{"type":"tool_use","id":"toolu_f","name":"read_file","input":{"path":"f"}}]},)"
      R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_f","content":"the words of f"}]},)"
      R"({"role":"assistant","content":[{"type":"text","text":"Read."}]}])";
  test::FolderView files;
  files.write(kUi, ui + "]");
  files.write(kHistory, history);
  test::KnownItems known(cline_growth_cline(), kSource);
  known.look(files);
  const auto before = known.items;
  files.write(kHistory, "[]");
  known.look(files);
  EXPECT_EQ(known.items, before);
  // The task is resumed: requests follow.
  files.write(
      kUi,
      ui + R"(,{"ts":1769000000005,"type":"say","say":"user_feedback","text":"More"},)"
           R"({"ts":1769000000006,"type":"say","say":"api_req_started","text":"{}","conversationHistoryIndex":0}])");
  known.look(files);
  EXPECT_TRUE(known.gone.empty());
  for (const auto& [key, bytes] : before)
    EXPECT_EQ(known.items.at(key), bytes) << key;
  EXPECT_EQ(known.items.size(), before.size() + 2);
}

// The file of a compaction replaces that of the one before.
TEST(ClineGrowth, ASecondCompactionIsAnother) {
  const std::string folder = "/home/ada/.cline/data/sessions/s_1/";
  std::string messages;
  const auto talk = [&](int turn) {
    const std::string time = std::to_string(1769000000000 + 1000 * turn);
    messages += std::string(messages.empty() ? "" : ",") + R"({"role":"user","ts":)" + time +
                R"(,"content":[{"type":"text","text":"Go )" + std::to_string(turn) +
                R"("}]},{"role":"assistant","ts":)" + time + R"(,"content":[{"type":"text","text":"Ok"}]})";
    return R"({"version":1,"messages":[)" + messages + "]}";
  };
  const auto compaction = [](int count) {
    return R"({"version":1,"source_message_count":)" + std::to_string(count) +
           R"(,"messages":[{"role":"user","content":"So far","metadata":{"kind":"compaction_summary","generatedAt":)" +
           std::to_string(1769000000500 + 500 * count) + "}}]}";
  };
  test::FolderView files;
  test::KnownItems known(cline_growth_cline(), {Platform::cline, folder + "s_1.messages.json", SourceFormat::json});
  files.write(folder + "s_1.messages.json", talk(0));
  files.write(folder + "s_1.compaction.json", compaction(2));
  known.look(files);
  ASSERT_EQ(known.keys("s_1").size(), 3U);
  EXPECT_EQ(known.keys("s_1").back(), "compaction.2");
  EXPECT_NE(known.items.at("s_1/compaction.2").find(R"("time":1769000001500,"compaction")"), std::string::npos);
  files.write(folder + "s_1.messages.json", talk(2));
  files.write(folder + "s_1.compaction.json", compaction(4));
  known.look(files);
  EXPECT_EQ(known.keys("s_1").back(), "compaction.4");
  EXPECT_EQ(known.gone, std::vector<std::string>{"compaction.2"});  // the store keeps what is gone
  EXPECT_EQ(known.bytes(), known.size);
}

// The newer store gives messages new ids when it reads them back. They are still the same messages.
TEST(ClineGrowth, NewIdsAreNoNewMessages) {
  const std::string path = "/home/ada/.cline/data/sessions/s_1/s_1.messages.json";
  const auto document = [](const std::string& id, const std::string& more) {
    return R"({"version":1,"messages":[{"id":")" + id +
           R"(1","role":"user","content":[{"type":"text","text":"Go"}]},)" + R"({"id":")" + id +
           R"(2","role":"assistant","ts":1769000000100,"content":[{"type":"text","text":"Ok"}]})" + more + "]}";
  };
  test::FolderView files;
  test::KnownItems known(cline_growth_cline(), {Platform::cline, path, SourceFormat::json});
  files.write(path, document("a", ""));
  known.look(files);
  const auto keys = known.keys("s_1");
  ASSERT_EQ(keys.size(), 2U);
  files.write(path, document("b", R"(,{"id":"b3","role":"user","content":[{"type":"text","text":"Go"}]})"));
  known.look(files);
  EXPECT_TRUE(known.gone.empty());
  EXPECT_EQ(known.keys("s_1").size(), 3U);
  EXPECT_EQ(known.bytes(), known.size);
  for (std::size_t cut = 0; cut < files.text(path).size(); ++cut) {
    test::FolderView torn;
    torn.write(path, files.text(path).substr(0, cut));
    test::KnownItems copy = known;
    copy.look(torn);
    EXPECT_TRUE(copy.gone.empty()) << cut;
  }
}

}  // namespace
}  // namespace memd
