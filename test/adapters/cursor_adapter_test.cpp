#include "adapters/adapter.hpp"
#include "adapters/cursor/composer.hpp"
#include "adapters/cursor/global_state_reader.hpp"
#include "adapters/cursor/state_rows.hpp"
#include "daemon/ingest/source_file.hpp"
#include "test/adapters/cursor_home.hpp"

#include <gtest/gtest.h>

namespace memd::cursor {
namespace {

namespace fs = std::filesystem;

const Adapter& adapter() { return *find_adapter(Platform::cursor); }

std::string classified(const std::string& path) {
  const auto candidate = adapter().classify("/home/ada", path);
  return candidate ? candidate->path : "";
}

TEST(CursorAdapter, FindsItsSourcesByTheirPlace) {
  const std::string user = "/home/ada/.config/Cursor/User";
  for (const char* companion : {"", "-wal", "-shm"}) {
    EXPECT_EQ(classified(user + "/globalStorage/state.vscdb" + companion), user + "/globalStorage/state.vscdb");
    EXPECT_EQ(classified(user + "/workspaceStorage/abc/state.vscdb" + companion),
              user + "/workspaceStorage/abc/state.vscdb");
    EXPECT_EQ(classified(std::string("/home/ada/.cursor/chats/0f/u-1/store.db") + companion),
              "/home/ada/.cursor/chats/0f/u-1/store.db");
  }
  const std::string mac = "/Users/ada/Library/Application Support/Cursor/User/globalStorage/state.vscdb";
  EXPECT_EQ(classified(mac), mac);
  const std::string transcripts = "/home/ada/.cursor/projects/home-ada-app/agent-transcripts/";
  for (const char* file : {"u-1.jsonl", "u-1.txt", "u-1/u-1.jsonl", "u-1/subagents/u-2.jsonl"})
    EXPECT_EQ(classified(transcripts + file), transcripts + file);
  for (const char* other :
       {"/globalStorage/state.vscdb.backup", "/globalStorage/conversation-search.db", "/globalStorage/x/state.vscdb",
        "/workspaceStorage/abc/x/state.vscdb", "/workspaceStorage/abc/workspace.json", "/History/1/state.vscdb"})
    EXPECT_EQ(classified(user + other), "") << other;
  EXPECT_EQ(classified("/home/ada/.cursor/projects/p/terminals/1.txt"), "");
  EXPECT_EQ(classified("/home/ada/.config/Code/x/state.vscdb"), "");
}

TEST(CursorAdapter, LooksIntoNothingElse) {
  const auto looks = [](const fs::path& root, const std::string& below) {
    return adapter().looks_into(root, below.empty() ? root : root / below);
  };
  const auto roots = adapter().roots({"/home/ada", {}});
  ASSERT_EQ(roots.size(), 5U);
  for (const auto& user : {roots[0], roots[1], roots[2]}) {
    for (const char* yes : {"", "globalStorage", "workspaceStorage", "workspaceStorage/abc"})
      EXPECT_TRUE(looks(user, yes)) << user << yes;
    for (const char* no : {"History", "snippets", "globalStorage/ms-python", "workspaceStorage/abc/ms-python"})
      EXPECT_FALSE(looks(user, no)) << user << no;
  }
  for (const char* yes : {"", "0f", "0f/u-1"})
    EXPECT_TRUE(looks(roots[3], yes)) << yes;
  EXPECT_FALSE(looks(roots[3], "0f/u-1/more"));
  for (const char* yes : {"", "p", "p/agent-transcripts", "p/agent-transcripts/u-1/subagents"})
    EXPECT_TRUE(looks(roots[4], yes)) << yes;
  EXPECT_FALSE(looks(roots[4], "p/terminals"));
  // A configured root may be above or below the usual one.
  EXPECT_TRUE(looks("/data/ada/.cursor", "projects/p/agent-transcripts"));
  EXPECT_FALSE(looks("/data/ada/.cursor", "extensions"));
  EXPECT_TRUE(looks("/mnt/c/Cursor", "User/globalStorage"));
  EXPECT_TRUE(looks("/mnt/c/Cursor/User/workspaceStorage/abc", ""));
}

TEST(CursorAdapter, SessionsOfFilesThatHoldOne) {
  const auto uid = [](const std::string& path) {
    return adapter().session_uid({Platform::cursor, path, SourceFormat::json, 0}, "");
  };
  EXPECT_EQ(uid("/home/ada/.cursor/chats/0f/u-1/store.db"), "cursor:u-1");
  EXPECT_EQ(uid("/home/ada/.cursor/projects/p/agent-transcripts/u-1/subagents/u-2.jsonl"), "cursor:u-2");
  EXPECT_EQ(uid("/home/ada/.config/Cursor/User/globalStorage/state.vscdb"), "");
}

TEST(CursorAdapter, PathsOfUris) {
  EXPECT_EQ(path_of_uri("file:///home/ada/my%20app/"), "/home/ada/my app");
  EXPECT_EQ(path_of_uri("file:///c%3A/Users/ada"), "c:/Users/ada");
  EXPECT_EQ(path_of_uri("file://nas/share/app"), "//nas/share/app");
  EXPECT_EQ(path_of_uri("vscode-remote://ssh-remote%2Bbox/home/ada/app"), "/home/ada/app");
  EXPECT_EQ(path_of_uri("untitled:Untitled-1"), "");
  EXPECT_EQ(path_of_uri("/plain/100%"), "/plain/100%");
  EXPECT_EQ(path_of_uri("file:///a%2"), "/a%2");
}

TEST(CursorAdapter, FolderOfFiles) {
  EXPECT_EQ(common_folder({"/home/ada/app/src/a.ts", "/home/ada/app/b.ts"}), "/home/ada/app");
  EXPECT_EQ(common_folder({"c:/app/a.ts", "c:/app/c:\\x\\y.json"}), "c:/app");
  EXPECT_EQ(common_folder({"/a.ts", "/b/c.ts"}), "");
  EXPECT_EQ(common_folder({}), "");
}

TEST(CursorAdapter, MarksComeBackAsTheyWere) {
  StateMark mark;
  mark.change = "1a.2b.-.-";
  mark.schema_version = 7;
  mark.last_rowid = 12;
  mark.counted_rowid = 9;
  mark.size = 1'000'000'007;
  mark.active = {"c-1", "c-2"};
  mark.last_key = "a key with spaces";
  const auto back = StateMark::parse(mark.to_text());
  ASSERT_TRUE(back);
  EXPECT_EQ(back->to_text(), mark.to_text());
  EXPECT_EQ(back->active, mark.active);
  EXPECT_EQ(back->last_key, mark.last_key);
  for (const char* bad : {"", "cursor0 a 1 2 3 4 x y", "cursor1 a 1 two 3 4 x y", "cursor1 a 1"})
    EXPECT_FALSE(StateMark::parse(bad)) << bad;
}

TEST(CursorAdapter, TimesStandBetweenTheirNeighbours) {
  const TimedBubble user{true, {}}, answer{false, {}};
  const auto times =
      bubble_times(std::vector{user, answer, answer, TimedBubble{false, {2'000, 0, 0}}, user}, 1'000, 3'000);
  ASSERT_EQ(times.size(), 5U);
  EXPECT_EQ(times[0].time, 1'000);
  EXPECT_EQ(times[1].time, 1'333);
  EXPECT_EQ(times[2].time, 1'666);
  EXPECT_EQ(times[3].time, 2'000);
  EXPECT_FALSE(times[3].estimated);
  EXPECT_EQ(times[4].time, 3'000);
  EXPECT_TRUE(times[4].estimated);
  for (const auto& time : bubble_times(std::vector{user, answer}, 0, 0))
    EXPECT_EQ(time.time, 0);
  // An end before the beginning is ignored.
  for (const auto& time : bubble_times(std::vector{user, answer}, 5'000, 1'000))
    EXPECT_EQ(time.time, 5'000);
}

TEST(CursorAdapter, ListsOfMessages) {
  const std::string id(32, '\x01');
  EXPECT_EQ(child_ids("\x0a\x20" + id + "\x12\x02hi\x18\x05\x0a\x20" + id).size(), 2U);
  EXPECT_EQ(child_ids("\x0a\x20" + id + "\x0a\x20short").size(), 1U);
  EXPECT_EQ(child_ids("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01").size(), 0U);
  EXPECT_EQ(decode_state("~aGk="), "hi");
  EXPECT_EQ(decode_state("~6869"), "hi");
  EXPECT_EQ(decode_state("~"), "");
  EXPECT_EQ(decode_state("~not base64!"), "");
}

TEST(CursorAdapter, KindsOfKeys) {
  EXPECT_EQ(key_class("bubbleId:a:b"), "bubbleId");
  EXPECT_EQ(key_class("agentKv:blob:ab"), "agentKv:blob");
  EXPECT_EQ(key_class("agentKv:checkpoint:ab"), "agentKv:checkpoint");
  EXPECT_EQ(key_class("inlineDiffs-17481"), "inlineDiffs");
  EXPECT_EQ(key_class("composer.content.0f"), "composer.content");
  EXPECT_EQ(key_class("what ever a person wrote"), "(other key)");
}

// The folder of a conversation comes from the workspace that lists it, unless that has several roots.
TEST(CursorAdapter, FolderFromTheWorkspaceThatListsIt) {
  const std::string id = "aaaaaaaa-0000-4000-8000-000000000001", other = "aaaaaaaa-0000-4000-8000-000000000002";
  const std::string state = ".config/Cursor/User/globalStorage/state.vscdb";
  const auto workspace = [](const char* hash, const char* file) {
    return std::string(".config/Cursor/User/workspaceStorage/") + hash + "/" + file;
  };
  boost::json::object rows;
  for (const auto& conversation : {id, other}) {
    rows["composerData:" + conversation] =
        boost::json::parse(R"({"fullConversationHeadersOnly":[{"bubbleId":"b","type":1}],"createdAt":1760000000000})");
    rows["bubbleId:" + conversation + ":b"] = boost::json::parse(R"({"type":1,"text":"hi"})");
  }
  boost::json::object databases;
  databases[state] = {{"cursorDiskKV", rows}};
  databases[workspace("w1", "state.vscdb")] = {
      {"ItemTable", {{"composer.composerData", {{"allComposers", boost::json::array{{{"composerId", id}}}}}}}}};
  databases[workspace("w2", "state.vscdb")] = {
      {"ItemTable", {{"workbench.panel.composerChatViewPane." + other, "{}"}}}};
  boost::json::object files;
  files[workspace("w1", "workspace.json")] = {{"folder", "file:///home/ada/one%20app"}};
  files[workspace("w2", "workspace.json")] = {{"workspace", "file:///home/ada/all.code-workspace"}};
  const test::CursorHome home(boost::json::object{{"databases", databases}, {"files", files}});

  const DiskView view;
  Source source;
  source.path = home.path(state);
  const auto head = [&](const std::string& conversation) {
    return adapter().open_snapshot(source, view)->item(conversation, "(head)").value();
  };
  EXPECT_NE(head(id).find(R"("cwd":"/home/ada/one app")"), std::string::npos) << head(id);
  EXPECT_EQ(head(other).find("\"cwd\""), std::string::npos);
  // A changed workspace is read again.
  test::write_file(home.path(workspace("w2", "workspace.json")), R"({"folder":"file:///home/ada/two"})");
  EXPECT_NE(head(other).find(R"("cwd":"/home/ada/two")"), std::string::npos) << head(other);
}

}  // namespace
}  // namespace memd::cursor
