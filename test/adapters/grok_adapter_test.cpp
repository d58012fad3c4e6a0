#include "adapters/grok/update_log.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/time.hpp"
#include "test/adapters/decode_snapshot.hpp"
#include "test/adapters/golden_case.hpp"
#include "test/adapters/known_items.hpp"

#include <gtest/gtest.h>

#include <random>

namespace memd {
namespace {

const Adapter& grok() { return *find_adapter(Platform::grok); }

constexpr std::string_view kFolder = "/home/ada/.grok/sessions/%2Fhome%2Fada/019f0000-0000-7000-8000-00000000000a/";
const std::string kLog = std::string(kFolder) + "updates.jsonl";
const SourceCandidate kGrokSource{Platform::grok, kLog, SourceFormat::json};
const std::string kGrokSession = "019f0000-0000-7000-8000-00000000000a";

std::string chunk(const std::string& kind, const std::string& text) {
  return R"({"timestamp":1784000000,"method":"session/update","params":{"update":{"sessionUpdate":")" + kind +
         R"(","content":{"type":"text","text":")" + text + "\"}}}}\n";
}

TEST(GrokAdapter, ASessionIsOneSource) {
  const std::filesystem::path root = "/home/ada/.grok/sessions";
  EXPECT_EQ(grok().roots({"/home/ada", {}}), std::vector<std::filesystem::path>{root});
  const auto path_of = [&](const std::string& file) {
    const auto candidate = grok().classify(root, std::string(kFolder) + file);
    return candidate ? candidate->path : std::string();
  };
  for (const auto name : {"updates.jsonl", "summary.json", "chat_history.jsonl", "events.jsonl"})
    EXPECT_EQ(path_of(name), kLog);
  EXPECT_EQ(path_of("summary.json.0b9f.tmp"), "");
  EXPECT_EQ(path_of("compaction_checkpoints/x.json"), "");
  EXPECT_FALSE(grok().classify(root, root / "%2Fhome%2Fada/prompt_history.jsonl"));
  EXPECT_FALSE(grok().classify(root, root / "session_search.sqlite"));
  EXPECT_TRUE(grok().looks_into(root, std::filesystem::path(kFolder).parent_path()));
  EXPECT_FALSE(grok().looks_into(root, std::filesystem::path(std::string(kFolder) + "subagents")));
}

TEST(GrokAdapter, HeadsTellWhatTheSummarySays) {
  std::map<std::string, SessionUpdate> heads;
  for (const auto& c : test::golden_cases(grok()))
    for (const auto& [path, candidate] : c.sources)
      for (const auto& [uid, session] : test::decode_snapshot(grok(), candidate, c.files).sessions)
        heads[uid.substr(uid.size() - 1)] = session.batch.sessions.front();
  EXPECT_EQ(heads.at("a").cwd, "/home/ada/shop");
  EXPECT_EQ(heads.at("a").git_branch, "main");
  EXPECT_EQ(heads.at("a").model, "grok-4.5-build");
  EXPECT_EQ(heads.at("a").title, "Cart total");
  EXPECT_EQ(format_rfc3339(heads.at("a").started_at), "2026-07-13T19:33:20.123Z");
  EXPECT_EQ(heads.at("b").cwd, "/home/ada/shop");  // from the folder's name
  EXPECT_EQ(heads.at("c").kind, SessionKind::subagent);
  EXPECT_EQ(heads.at("c").parent_uid, heads.at("b").session_uid);
  EXPECT_EQ(heads.at("d").cwd, "");  // the folder's name is a hash
  EXPECT_EQ(heads.at("e").title_rank, TitleRank::custom);
}

// Reading a few lines or parts of lines at a time gives the same rows as reading everything at once.
TEST(GrokLog, ReadingOnGivesWhatOneReadingGives) {
  for (const auto& c : test::golden_cases(grok())) {
    SCOPED_TRACE(c.name());
    for (const auto& [path, candidate] : c.sources) {
      if (!c.files.holds(path)) continue;
      test::KnownItems once(grok(), candidate);
      once.look(c.files);
      for (unsigned seed = 0; seed < 20; ++seed) {
        std::mt19937 random(seed);
        test::FolderView files = c.files;
        const std::string whole = c.files.text(path);
        test::KnownItems known(grok(), candidate);
        for (std::size_t size = 0; size < whole.size();) {
          size = std::min(whole.size(), size + 1 + random() % 700);
          files.write(path, whole.substr(0, size));
          known.look(files);
          EXPECT_EQ(known.bytes(), known.size);
          EXPECT_TRUE(known.gone.empty());
        }
        EXPECT_EQ(known.items, once.items);
        EXPECT_EQ(known.sessions.begin()->second.size(), once.sessions.begin()->second.size());
        known.look(files);
        EXPECT_TRUE(known.unchanged);
      }
    }
  }
}

// Older versions truncate the log and let it grow again.
TEST(GrokLog, ACutLogIsReadAnew) {
  test::FolderView files;
  test::KnownItems known(grok(), kGrokSource);
  std::string log;
  for (int i = 0; i < 5; ++i)
    log += chunk("user_message_chunk", "prompt " + std::to_string(i)) + chunk("agent_message_chunk", "answer");
  files.write(kLog, log);
  known.look(files);
  const auto before = known.keys(kGrokSession);
  ASSERT_EQ(before.size(), 10U);

  const auto cut = log.find("prompt 3");
  const auto start = log.rfind('\n', cut) + 1;
  files.write(kLog, log.substr(0, start) + chunk("user_message_chunk", "another way") +
                        chunk("agent_message_chunk", "a longer answer") + chunk("agent_thought_chunk", "hm"));
  known.look(files);
  EXPECT_FALSE(known.gone.empty());
  const auto after = known.keys(kGrokSession);
  ASSERT_EQ(after.size(), 9U);
  EXPECT_TRUE(std::equal(after.begin(), after.begin() + 6, before.begin()));
  EXPECT_NE(known.items.at(kGrokSession + "/" + after[6]).find("another way"), std::string::npos);
  EXPECT_EQ(known.bytes(), known.size);
}

// Only a turn with the same prompt's id is reported again.
TEST(GrokLog, TurnsWithoutAPromptIdAreEachCounted) {
  const auto turn = [](const std::string& prompt, int input) {
    return R"({"timestamp":1784000000,"method":"session/update","params":{"update":{"sessionUpdate":"turn_completed")" +
           (prompt.empty() ? "" : R"(,"prompt_id":")" + prompt + "\"") +
           R"(,"stop_reason":"end_turn","usage":{"inputTokens":)" + std::to_string(input) + "}}}}\n";
  };
  test::FolderView files;
  files.write(kLog,
              chunk("user_message_chunk", "do it") + turn("p", 1) + turn("p", 10) + turn("", 100) + turn("", 1000));
  std::int64_t input = 0;
  for (const auto& [uid, session] : test::decode_snapshot(grok(), kGrokSource, files).sessions)
    for (const Event& e : session.batch.events)
      input += e.usage.input;
  EXPECT_EQ(input, 1110);
  const auto spent = grok::usage_between(files, kLog, 0, TimeMs{1784000001000});
  ASSERT_TRUE(spent);
  EXPECT_EQ(spent->size(), 3u);
}

// An additional line causes a read of the last exchange, not of the whole log.
TEST(GrokLog, ALineMoreDoesNotReadTheWholeLog) {
  test::FolderView files;
  std::string log;
  for (int i = 0; i < 2000; ++i)
    log += chunk("user_message_chunk", "prompt " + std::to_string(i)) +
           chunk("agent_message_chunk", std::string(1000, 'a'));
  files.write(kLog, log);
  test::KnownItems known(grok(), kGrokSource);
  known.look(files);
  ASSERT_EQ(known.keys(kGrokSession).size(), 4000U);
  files.append(kLog, chunk("agent_message_chunk", " and on"));
  files.forget_reads();
  known.look(files);
  EXPECT_EQ(known.changed.size(), 1U);
  EXPECT_LT(files.bytes_read(), 16U * 1024);
  EXPECT_EQ(known.bytes(), known.size);
  EXPECT_NE(known.items.at(kGrokSession + "/" + known.changed.front()).find("aaa and on"), std::string::npos);
}

TEST(GrokLog, OldItemsAreReadByTheirKeyAlone) {
  test::FolderView files;
  std::string log;
  for (int i = 0; i < 10; ++i)
    log += chunk("user_message_chunk", "prompt " + std::to_string(i));
  files.write(kLog, log);
  test::KnownItems known(grok(), kGrokSource);
  known.look(files);
  Source source;
  source.path = kLog;
  const auto reader = grok().open_snapshot(source, files);
  const auto item = reader->item(kGrokSession, "0.user");
  ASSERT_TRUE(item);
  EXPECT_NE(item->find("prompt 0prompt 1"), std::string::npos);  // no answer between them: one prompt in many chunks
  EXPECT_TRUE(reader->item(kGrokSession, "7.user").error().is(Errc::not_found));
  EXPECT_TRUE(reader->item("other", "0.user").error().is(Errc::not_found));
}

// The history for the model has the same turns without times: it is read only if the log never was.
TEST(GrokLog, ALogThatIsGoneIsNotReadFromTheHistory) {
  test::FolderView files;
  test::KnownItems known(grok(), kGrokSource);
  files.write(kLog, chunk("user_message_chunk", "hello") + chunk("agent_message_chunk", "yes"));
  files.write(std::string(kFolder) + "chat_history.jsonl", R"({"type":"user","prompt_index":0,"content":"hello"})");
  known.look(files);
  ASSERT_EQ(known.keys(kGrokSession).size(), 2U);
  files.remove(kLog);
  Source source;
  source.path = kLog;
  EXPECT_TRUE(grok().open_snapshot(source, files)->plan(known.mark()).error().is(Errc::not_found));
  const auto reader = grok().open_snapshot(source, files);
  EXPECT_TRUE(reader->session(kGrokSession, known.sessions[kGrokSession]).error().is(Errc::not_found));
  EXPECT_TRUE(reader->session(kGrokSession, {}));
}

TEST(GrokLog, AMarkThatCannotBeUnderstoodMeansReadingAll) {
  test::FolderView files;
  files.write(kLog, chunk("user_message_chunk", "hello"));
  Source source;
  source.path = kLog;
  for (const std::string mark : {"", "x", "grok/1", "grok/1 1 1 99999 1 1", "grok/1 a b c d e"}) {
    const auto reader = grok().open_snapshot(source, files);
    const auto plan = reader->plan(mark);
    ASSERT_TRUE(plan);
    EXPECT_FALSE(plan->unchanged);
    const auto session = reader->session(plan->sessions.front(), {});
    ASSERT_TRUE(session && *session);
    EXPECT_EQ((*session)->items.size(), 1U);
  }
  files.remove(kLog);
  EXPECT_TRUE(grok().open_snapshot(source, files)->plan("").error().is(Errc::not_found));
}

}  // namespace
}  // namespace memd
