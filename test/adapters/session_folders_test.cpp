#include "test/adapters/golden_case.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

// Changes in the folders in which OpenHands and Mistral Vibe keep a session.
namespace memd {
namespace {

struct FolderOfSession {
  explicit FolderOfSession(Platform platform)
      : adapter(*find_adapter(platform)), files(test::golden_cases(adapter).at(0).files) {
    source.platform = platform;
    source.path = test::golden_cases(adapter).at(0).source().path;
    folder = std::filesystem::path(source.path).parent_path().string();
  }
  Result<SnapshotReader::Plan> plan(const std::string& mark = {}) {
    reader = adapter.open_snapshot(source, files);
    return reader->plan(mark);
  }
  std::vector<SnapshotReader::Item> items() {
    const auto now = plan().value();
    return reader->session(now.sessions.at(0), {}).value()->items;
  }

  const Adapter& adapter;
  test::FolderView files;
  Source source;
  std::string folder;
  std::unique_ptr<SnapshotReader> reader;
};

// OpenHands writes the tokens of a response after its event.
TEST(OpenhandsConversation, TokensThatComeLaterChangeTheirEvent) {
  FolderOfSession f(Platform::openhands);
  const auto whole = f.items();
  const std::string state = f.files.text(f.source.path);
  f.files.write(f.source.path, R"({"workspace":{"working_dir":"/home/ada/weir"}})");
  const auto before = f.items();
  ASSERT_EQ(before.size(), whole.size());
  std::size_t changed = 0;
  for (std::size_t i = 0; i < whole.size(); ++i)
    changed += whole[i].version != before[i].version ? 1 : 0;
  EXPECT_EQ(changed, 7U) << "the events of five responses";
  f.files.write(f.source.path, state);
  EXPECT_EQ(f.items().at(2).version, whole.at(2).version);
  f.files.remove(f.source.path);
  EXPECT_EQ(f.items().size(), whole.size()) << "events are read without the state";
}

TEST(OpenhandsConversation, AFileThatIsBeingWrittenIsNotDamaged) {
  FolderOfSession f(Platform::openhands);
  const std::size_t whole = f.items().size();
  const std::string newest = f.folder + "/events/event-00999-00000000-0000-4000-8000-000000000999.json";
  const std::string event = R"({"kind":"PauseEvent","id":"x"})";
  for (const std::string& part : {std::string(), event.substr(0, 12), event.substr(0, event.size() - 1)}) {
    f.files.write(newest, part);
    EXPECT_EQ(f.items().size(), whole) << part;
    const auto torn = f.plan().value().rest.at(1);
    EXPECT_EQ(torn.reason, "unfinished");
    EXPECT_EQ(torn.bytes, part.size());
  }
  f.files.write(newest, event);
  EXPECT_EQ(f.items().size(), whole + 1);
  EXPECT_EQ(f.plan().value().rest.at(1).records, 0U);
  f.files.write(f.source.path, "{\"works");
  EXPECT_EQ(f.items().size(), whole + 1) << "events are read without the state";
}

TEST(VibeSession, AMissingChunkIsWaitedFor) {
  FolderOfSession f(Platform::vibe);
  f.files.remove(f.folder + "/chunks/aa02.json");
  EXPECT_TRUE(f.plan().error().is(Errc::busy)) << "the chunk may just be coming";
}

TEST(VibeSession, TheJournalIsReadWhileItGrows) {
  FolderOfSession f(Platform::vibe);
  const auto first = f.plan().value();
  const std::string journal = f.folder + "/journal/0000000000000021.jsonl";
  std::string text = f.files.text(journal);
  text.resize(text.rfind('\n') + 1);
  text += R"({"payload":{"delta":[{"entry":{"createdAt":1772359210000,"id":"user-3","content":[{"type":"text",)"
          R"("text":"And the queen?"}],"role":"user","source":"turn_start","type":"message"},"op":"append_entry"}]},)"
          R"("type":"projection_delta"})"
          "\n";
  f.files.write(journal, text);
  EXPECT_FALSE(f.plan(first.mark).value().unchanged);
  EXPECT_EQ(f.items().back().key, "user-3");
}

}  // namespace
}  // namespace memd
