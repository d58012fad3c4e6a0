#include "adapters/adapter.hpp"
#include "test/adapters/folder_view.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

// Changes of a file that aider appends to.
namespace memd {
namespace {

class AiderChats : public testing::Test {
 protected:
  AiderChats() { source_.path = "/home/ada/kite/.aider.chat.history.md"; }

  void append(const std::string& text) { files_.append(source_.path, text); }
  SnapshotReader::Plan plan(const std::string& mark) {
    reader_ = find_adapter(Platform::aider)->open_snapshot(source_, files_);
    return reader_->plan(mark).value();
  }
  std::size_t items(const std::string& chat) { return reader_->session(chat, {}).value()->items.size(); }

  test::FolderView files_;
  Source source_;
  std::unique_ptr<SnapshotReader> reader_;
};

TEST_F(AiderChats, OnlyTheLastChatsAreReadOfAFileThatGrew) {
  append("\n# aider chat started at 2026-03-01 10:00:00\n\n#### One?  \n\nOne.\n");
  append("\n# aider chat started at 2026-03-01 11:00:00\n\n#### Two?  \n");
  const auto first = plan("");
  EXPECT_TRUE(first.complete);
  ASSERT_EQ(first.sessions.size(), 2U);
  EXPECT_TRUE(plan(first.mark).unchanged);

  append("\nTwo.\n\n# aider chat started at 2026-03-01 12:00:00\n");
  const auto second = plan(first.mark);
  EXPECT_FALSE(second.complete);
  ASSERT_EQ(second.sessions.size(), 2U);
  EXPECT_EQ(second.sessions.front(), first.sessions.back());
  EXPECT_EQ(items(second.sessions.front()), 2U);

  files_.write(source_.path, files_.text(source_.path).substr(1));
  const auto rewritten = plan(second.mark);
  EXPECT_TRUE(rewritten.complete);
  EXPECT_EQ(rewritten.sessions.size(), 3U);
}

TEST_F(AiderChats, StartsWithinASecondAreDifferentChats) {
  for (const char* word : {"One", "Two"})
    append(std::string("# aider chat started at 2026-03-01 10:00:00\n\n") + word + "\n");
  const auto both = plan("");
  ASSERT_EQ(both.sessions.size(), 2U);
  EXPECT_NE(both.sessions[0], both.sessions[1]);
}

}  // namespace
}  // namespace memd
