#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/ids.hpp"
#include "test/adapters/batch_json.hpp"
#include "test/adapters/decode_snapshot.hpp"
#include "test/adapters/folder_view.hpp"
#include "test/adapters/golden_case.hpp"
#include "test/adapters/snapshot_follower.hpp"

#include <gtest/gtest.h>

#include <set>

namespace memd {
namespace {

using Keys = std::vector<std::string>;

const Adapter& gemini() { return *find_adapter(Platform::gemini); }

constexpr std::string_view kGeminiRoot = "/home/ada/.gemini/tmp";
constexpr std::string_view kHash = "9c8a0b7e3f0d4e5b8a6c7d8e9f0a1b2c3d4e5f60718293a4b5c6d7e8f9001122";

std::string source_of(std::string_view relative) {
  const auto candidate = gemini().classify(kGeminiRoot, std::string(kGeminiRoot) + "/" + std::string(relative));
  return candidate ? std::string(to_string(candidate->format)) : "(no source)";
}

std::string gemini_uid(std::string_view relative, std::string_view head) {
  return gemini().session_uid(*gemini().classify(kGeminiRoot, std::string(kGeminiRoot) + "/" + std::string(relative)),
                              head);
}

TEST(GeminiAdapter, DescribesItself) {
  const auto& d = gemini().describe();
  EXPECT_EQ(d.platform, Platform::gemini);
  EXPECT_EQ(d.adapter_version, "1.0.0");
  EXPECT_EQ(d.capabilities.size(), kAllCapabilities.size() - 2);  // all but branch and end
  EXPECT_FALSE(d.limitations.empty());
}

TEST(GeminiAdapter, RootsFollowGeminiCliHome) {
  using Paths = std::vector<std::filesystem::path>;
  EXPECT_EQ(gemini().roots({"/home/ada", {}}), Paths{kGeminiRoot});
  EXPECT_EQ(gemini().roots({"/home/ada", {"/mnt/.gemini/tmp"}}), Paths{"/mnt/.gemini/tmp"});
  EXPECT_EQ(gemini().roots({"/home/ada", {"/mnt/.gemini"}}), Paths{"/mnt/.gemini/tmp"});
  EXPECT_EQ(gemini().roots({"/home/ada", {"/mnt/g"}}), (Paths{"/mnt/g/.gemini/tmp", "/mnt/g"}));
}

TEST(GeminiAdapter, ChatsAreSourcesAndNothingElse) {
  EXPECT_EQ(source_of("app/chats/session-2026-03-01T10-00-aaaaaaaa.json"), "json");
  EXPECT_EQ(source_of("app/chats/session-2026-03-01T10-00-aaaaaaaa.jsonl"), "jsonl");
  EXPECT_EQ(source_of(std::string(kHash) + "/chats/session-x.json"), "json");
  EXPECT_EQ(source_of("app/chats/parent-id/sub.jsonl"), "jsonl");
  EXPECT_EQ(source_of("app/logs.json"), "json");
  for (const std::string file : {"logs.json", "app/chats/logs.json", "app/checkpoint-x.json", "app/chats/notes.json",
                                 "app/chats/parent/x.json", "app/.project_root", "app/tool-outputs/session-x.json",
                                 "app/chats/a/b/session-x.jsonl", "chats/session-x.json"})
    EXPECT_EQ(source_of(file), "(no source)") << file;
  const std::filesystem::path root(kGeminiRoot);
  for (const std::string folder : {"app", "app/chats", "app/chats/parent"})
    EXPECT_TRUE(gemini().looks_into(root, root / folder)) << folder;
  for (const std::string folder : {"app/tool-outputs", "app/chats/parent/x", "../tmp2"})
    EXPECT_FALSE(gemini().looks_into(root, root / folder)) << folder;
}

TEST(GeminiAdapter, SessionsAreNamedByWhatTheyHold) {
  EXPECT_EQ(gemini_uid("app/chats/session-x.json", "{\n  \"sessionId\": \"s-1\",\n"), "gemini:s-1");
  EXPECT_EQ(gemini_uid("app/chats/session-x.jsonl", R"({"sessionId":"s-1")"), "gemini:s-1");
  EXPECT_EQ(gemini_uid("app/chats/session-x.jsonl", R"({"sessionI)"), "");
  EXPECT_EQ(gemini_uid("app/chats/s-1/sub.jsonl", R"({"sessionId":"sub")"), "gemini:s-1/sub");
}

std::string chat(const std::string& messages) {
  return R"({"sessionId":"s-1","projectHash":"h","messages":[)" + messages + "]}";
}
std::string user(const std::string& id, const std::string& text) {
  return R"({"id":")" + id + R"(-0000-4000-8000-000000000000","type":"user","content":")" + text + R"("})";
}

TEST(GeminiAdapter, AHalfWrittenDocumentIsBusy) {
  const std::string path = std::string(kGeminiRoot) + "/app/chats/session-x.json";
  const std::string whole = chat(user("00000001", "a \\\" {[") + ",\n" + user("00000002", "b"));
  test::FolderView files;
  Source source;
  source.path = path;
  for (std::size_t n = 0; n < whole.size(); ++n) {
    files.write(path, whole.substr(0, n));
    const auto plan = gemini().open_snapshot(source, files)->plan("");
    ASSERT_FALSE(plan) << n;
    EXPECT_TRUE(plan.error().is(Errc::busy)) << n;
  }
  files.write(path, whole);
  EXPECT_TRUE(gemini().open_snapshot(source, files)->plan(""));
  files.remove(path);
  EXPECT_TRUE(gemini().open_snapshot(source, files)->plan("").error().is(Errc::not_found));
}

TEST(GeminiAdapter, ARewrittenDocumentIsComparedMessageByMessage) {
  const std::string path = std::string(kGeminiRoot) + "/app/chats/session-x.json";
  test::FolderView files;
  files.write(path, chat(user("00000001", "a") + "," + user("00000002", "b")));
  Source source;
  source.path = path;
  test::SnapshotFollower follower(gemini(), source, files);
  const std::string one = "00000001-0000-4000-8000-000000000000";
  const std::string two = "00000002-0000-4000-8000-000000000000";
  const std::string three = "00000003-0000-4000-8000-000000000000";
  EXPECT_EQ(follower.look().read["s-1"], (Keys{one, two}));
  const auto bytes = files.bytes_read();
  EXPECT_TRUE(follower.look().unchanged);
  EXPECT_EQ(files.bytes_read(), bytes);
  // Different whitespace is not a change.
  files.write(path, chat("\n " + user("00000001", "a") + ",\n " + user("00000002", "b") + "\n"));
  EXPECT_TRUE(follower.look().read.empty());
  files.write(path, chat(user("00000001", "a") + "," + user("00000002", "b, and more") + "," + user("00000003", "c")));
  EXPECT_EQ(follower.look().read["s-1"], (Keys{two, three}));
  files.write(path, chat(user("00000001", "a")));
  EXPECT_EQ(follower.look().vanished["s-1"], (Keys{two, three}));
}

TEST(GeminiAdapter, ALogIsFollowedThroughRewinds) {
  const std::string path = std::string(kGeminiRoot) + "/app/chats/session-x.jsonl";
  test::FolderView files;
  std::string text = R"({"sessionId":"s-1","projectHash":"h"})"
                     "\n" +
                     user("00000001", "a") + "\n" + user("00000002", "b") + "\n";
  files.write(path, text);
  Source source;
  source.path = path;
  test::SnapshotFollower follower(gemini(), source, files);
  EXPECT_EQ(follower.look().read["s-1"].size(), 2u);
  files.write(path, text += R"({"$rewindTo":"00000002-0000-4000-8000-000000000000"})"
                            "\n");
  EXPECT_EQ(follower.look().vanished["s-1"].size(), 1u);
  files.write(path, text += user("00000004", "d") + "\n" + user("00000004", "d, told again"));  // complete: no newline
  EXPECT_EQ(follower.look().read["s-1"], Keys{"00000004-0000-4000-8000-000000000000"});
  EXPECT_EQ(follower.shown("s-1").size(), 2u);
  // An unknown id rewinds everything, as in Gemini CLI.
  files.write(path, text + "\n{\"$rewindTo\":\"nobody\"}\n");
  EXPECT_EQ(follower.look().vanished["s-1"].size(), 2u);
}

// Gemini CLI creates the file before it writes the header: a session named after the file would stay empty for good.
TEST(GeminiAdapter, ALogIsNoSessionBeforeItsHeader) {
  const std::string path = std::string(kGeminiRoot) + "/app/chats/session-2026-03-01T10-00-aaaaaaaa.jsonl";
  const std::string header = R"({"sessionId":"s-1","projectHash":"h"})";
  test::FolderView files;
  Source source;
  source.path = path;
  for (std::size_t n = 0; n < header.size(); ++n) {
    files.write(path, header.substr(0, n));
    test::SnapshotFollower follower(gemini(), source, files);
    EXPECT_TRUE(follower.look().sessions.empty()) << n;
    files.write(path, header + "\n" + user("00000001", "a") + "\n");
    EXPECT_EQ(follower.look().sessions, Keys{"s-1"}) << n;
  }
  // A damaged header comes no more: the file's name identifies the session.
  files.write(path, "\0\0\n" + user("00000001", "a") + "\n");
  EXPECT_EQ(test::SnapshotFollower(gemini(), source, files).look().sessions, Keys{"session-2026-03-01T10-00-aaaaaaaa"});
}

// After a compaction Gemini CLI may write the file anew, with the turns that the compaction kept and without those they
// repeat.
TEST(GeminiAdapter, AFileWrittenAnewRepeatsNothing) {
  const auto made = [](const std::string& id, const std::string& type, const std::string& text) {
    return R"({"id":")" + id + R"(-0000-4000-8000-000000000000","type":")" + type + R"(","content":[{"text":")" + text +
           R"("}]})";
  };
  const std::string header = R"({"sessionId":"s-1","projectHash":"h"})";
  const std::string summary = made("00000011", "user", "<state_snapshot>s</state_snapshot>");
  const std::string answer = made("00000012", "gemini", "Got it. Thanks for the additional context!");
  const std::string kept = made("00000013", "user", "b");
  const std::string path = std::string(kGeminiRoot) + "/app/chats/session-x.jsonl";
  test::FolderView files;
  Source source;
  source.path = path;
  files.write(path, header + "\n" + user("00000001", "a") + "\n" + user("00000002", "b") + "\n" +
                        R"({"$set":{"messages":[)" + summary + "," + answer + "," + kept + "]}}\n");
  test::SnapshotFollower follower(gemini(), source, files);
  EXPECT_EQ(follower.look().read["s-1"].size(), 5u);
  files.write(path, header + "\n" + summary + "\n" + answer + "\n" + kept + "\n" + user("00000004", "c") + "\n");
  EXPECT_EQ(follower.look().read["s-1"], Keys{"00000004-0000-4000-8000-000000000000"});
}

// A session that is resumed writes its messages again, and gives its prompts the time of the resumption.
TEST(GeminiAdapter, AResumedLogKeepsTheTimesOfItsPrompts) {
  const auto prompt = [](const std::string& id, const std::string& time) {
    return R"({"id":")" + id + R"(-0000-4000-8000-000000000000","timestamp":"2026-03-02T)" + time +
           R"(.000Z","type":"user","content":[{"text":"a"}]})";
  };
  const std::string path = std::string(kGeminiRoot) + "/app/chats/session-x.jsonl";
  const std::string first = "{\"sessionId\":\"s-1\"}\n" + prompt("00000001", "10:00:01") + "\n";
  test::FolderView files;
  Source source;
  source.path = path;
  files.write(path, first);
  test::SnapshotFollower follower(gemini(), source, files);
  EXPECT_EQ(follower.look().read["s-1"].size(), 1u);
  files.write(path, first + R"({"$set":{"messages":[)" + prompt("00000001", "11:00:00") + "]}}\n" +
                        prompt("00000002", "11:00:01") + "\n");
  EXPECT_EQ(follower.look().read["s-1"], Keys{"00000002-0000-4000-8000-000000000000"});
}

// Two prompts with the same words are two, and a list that tells them again adds none.
TEST(GeminiAdapter, MessagesWithoutAnIdAreNeitherMergedNorTwice) {
  const std::string yes = R"({"type":"user","content":"yes"})";
  const std::string path = std::string(kGeminiRoot) + "/app/chats/session-x.jsonl";
  const std::string first = "{\"sessionId\":\"s-1\"}\n" + yes + "\n" + user("00000001", "a") + "\n" + yes + "\n";
  test::FolderView files;
  Source source;
  source.path = path;
  files.write(path, first);
  test::SnapshotFollower follower(gemini(), source, files);
  EXPECT_EQ(follower.look().read["s-1"], (Keys{"#1", "00000001-0000-4000-8000-000000000000", "#3"}));
  std::set<std::uint64_t> ids;
  for (const auto& [uid, session] :
       test::decode_snapshot(gemini(), {Platform::gemini, path, SourceFormat::jsonl}, files).sessions)
    for (const Event& e : session.batch.events)
      ids.insert(e.event_id);
  EXPECT_EQ(ids.size(), 3u);
  files.write(path, first + R"({"$set":{"messages":[)" + yes + "," + yes + "," + yes + "]}}\n");
  EXPECT_EQ(follower.look().read["s-1"], Keys{"#4"});
}

// A resumed chat has a header for each process.
TEST(GeminiAdapter, AResumedChatKeepsItsStart) {
  const auto header = [](const std::string& time) {
    return R"({"sessionId":"s-1","startTime":"2026-03-02T)" + time + ".000Z\"}\n";
  };
  const std::string path = std::string(kGeminiRoot) + "/app/chats/session-x.jsonl";
  test::FolderView files;
  Source source;
  source.path = path;
  files.write(path, header("10:00:00") + user("00000001", "a") + "\n" + header("11:00:00"));
  const auto head = gemini().open_snapshot(source, files)->item("s-1", "(head)");
  ASSERT_TRUE(head);
  EXPECT_NE(head->find("2026-03-02T10:00:00"), std::string::npos) << *head;
}

TEST(GeminiAdapter, PromptsInTheLogStay) {
  const std::string path = std::string(kGeminiRoot) + "/app/logs.json";
  const auto entry = [](int id, const std::string& text) {
    return R"({"sessionId":"s-1","messageId":)" + std::to_string(id) + R"(,"type":"user","message":")" + text +
           R"(","timestamp":"2026-03-01T10:00:00.000Z"})";
  };
  test::FolderView files;
  Source source;
  source.path = path;
  test::SnapshotFollower follower(gemini(), source, files);
  files.write(path, "[" + entry(0, "a") + "," + entry(1, "b") + "]");
  EXPECT_EQ(follower.look().read["s-1"].size(), 2u);
  const Keys before = follower.shown("s-1");
  // Cut while it is written, then begun anew: it counts from 0 again.
  files.write(path, "[" + entry(0, "a") + ",{\"sess");
  EXPECT_TRUE(follower.look().vanished.empty());
  files.write(path, "[" + entry(0, "c") + "]");
  const auto look = follower.look();
  EXPECT_TRUE(look.vanished.empty());
  EXPECT_EQ(look.read.at("s-1").size(), 1u);
  Keys after = follower.shown("s-1");
  ASSERT_EQ(after.size(), 3u);
  after.pop_back();
  EXPECT_EQ(after, before);
}

std::string cwd_of(const test::FolderView& files, const std::string& path) {
  const auto candidate = gemini().classify(kGeminiRoot, path).value();
  const auto snapshot = test::decode_snapshot(gemini(), candidate, files);
  const EventBatch& batch = snapshot.sessions.begin()->second.batch;
  // The session may be known from its prompts before its chat: then only events tell the directory.
  EXPECT_EQ(batch.events.at(0).cwd, batch.sessions.at(0).cwd);
  return batch.sessions.at(0).cwd;
}

TEST(GeminiAdapter, WorkingDirectoryOfTheProject) {
  const std::string by_name = std::string(kGeminiRoot) + "/app/chats/session-x.json";
  const std::string by_hash = std::string(kGeminiRoot) + "/" + sha256_hex("/home/ada/app") + "/chats/session-x.json";
  test::FolderView files;
  files.write(by_name, chat(user("00000001", "a")));
  files.write(by_hash, chat(user("00000001", "a")));
  EXPECT_EQ(cwd_of(files, by_name), "");
  files.write("/home/ada/.gemini/projects.json", R"({"v":1,"projects":{"/home/ada/b":"b","/home/ada/app":"app"}})");
  EXPECT_EQ(cwd_of(files, by_name), "/home/ada/app");
  EXPECT_EQ(cwd_of(files, by_hash), "/home/ada/app");
  files.write(std::string(kGeminiRoot) + "/app/.project_root", "/home/ada/moved\n");
  EXPECT_EQ(cwd_of(files, by_name), "/home/ada/moved");
}

// The same session under the hash and under the readable name, and in both formats, gives the same events.
TEST(GeminiAdapter, ASessionInTwoPlacesIsOneSession) {
  const auto golden = [](std::string_view name) {
    return test::read_case(gemini(), test::golden_folder(gemini()) / name).value();
  };
  const auto events = [](const SourceCandidate& source, const FileView& files) {
    EventBatch batch;
    batch.events = test::decode_snapshot(gemini(), source, files).sessions.begin()->second.batch.events;
    return test::batch_json(batch);
  };
  const std::string root = "/.project_root";  // of each project folder
  test::GoldenCase compact = golden("compact_document");
  compact.files.write(std::string(kGeminiRoot) + "/app" + root, "/home/ada/app");
  test::GoldenCase c = golden("pretty_document");
  const std::string pretty = events(c.source(), c.files);
  EXPECT_EQ(pretty, events(compact.source(), compact.files));
  SourceCandidate elsewhere = c.source();
  elsewhere.path =
      std::string(kGeminiRoot) + "/" + std::string(kHash) + "/chats/session-2026-03-01T10-01-aaaaaaaa.json";
  c.files.write(elsewhere.path, c.input());
  c.files.write(std::string(kGeminiRoot) + "/" + std::string(kHash) + root, "/home/ada/app");
  EXPECT_EQ(pretty, events(elsewhere, c.files));
}

}  // namespace
}  // namespace memd
