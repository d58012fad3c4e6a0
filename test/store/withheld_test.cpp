#include "store/db/withheld.hpp"
#include "schemas/base/error.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace memd {
namespace {

class WithheldTest : public testing::Test {
 protected:
  std::shared_ptr<Withheld> open() {
    auto out = Withheld::open(file_);
    EXPECT_TRUE(out) << (out ? "" : out.error().message());
    return out ? *out : nullptr;
  }
  std::string bytes() { return test::bytes_of(file_); }
  test::TempDir dir_;
  const std::filesystem::path file_ = dir_ / "withheld";
};

TEST_F(WithheldTest, NamesAreNotInTheFile) {
  EXPECT_FALSE(std::filesystem::exists(file_));
  EXPECT_FALSE(open()->has_session("codex:abc"));
  EXPECT_FALSE(std::filesystem::exists(file_)) << "a question writes nothing";
  ASSERT_TRUE(open()->forget({"codex:abc"}, {"/home/me/abc.jsonl"}));
  const auto again = open();
  EXPECT_TRUE(again->is_unfinished());
  EXPECT_TRUE(again->has_session("codex:abc"));
  EXPECT_TRUE(again->has_session("codex:abc/agent-1")) << "its subagents, new ones too";
  EXPECT_FALSE(again->has_session("codex:abcd"));
  EXPECT_FALSE(again->has_session("/home/me/abc.jsonl"));
  EXPECT_TRUE(again->has_source("/home/me/abc.jsonl"));
  EXPECT_FALSE(again->has_source("codex:abc"));
  EXPECT_EQ(bytes().find("abc.jsonl"), std::string::npos);
  EXPECT_EQ(bytes().find("codex"), std::string::npos);
  struct stat st {};
  ASSERT_EQ(::stat(file_.c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0600u);
  ASSERT_TRUE(again->finished());
  EXPECT_FALSE(open()->is_unfinished());
  EXPECT_TRUE(open()->has_session("codex:abc"));
}

TEST_F(WithheldTest, TheSameNamesHaveOtherHashesElsewhere) {
  ASSERT_TRUE(open()->forget({"codex:abc"}, {}));
  const std::string here = bytes();
  std::filesystem::remove(file_);
  ASSERT_TRUE(open()->forget({"codex:abc"}, {}));
  EXPECT_NE(bytes(), here);
}

TEST_F(WithheldTest, Pauses) {
  ASSERT_TRUE(open()->pause(100, kOpenEnd));
  EXPECT_TRUE(open()->was_paused(100));
  EXPECT_TRUE(open()->was_paused(1'000'000));
  ASSERT_TRUE(open()->pause(150, 300)) << "the one that runs gets an end";
  EXPECT_EQ(open()->pauses().size(), 1u);
  EXPECT_TRUE(open()->was_paused(299));
  EXPECT_FALSE(open()->was_paused(300));
  ASSERT_TRUE(open()->resume(200));
  EXPECT_FALSE(open()->was_paused(250));
  EXPECT_TRUE(open()->was_paused(199)) << "what was written then stays out";
  EXPECT_FALSE(open()->was_paused(99));
}

TEST_F(WithheldTest, AFileThatIsNoneIsRefused) {
  for (const char* text : {"", "memd withheld 2\n", "memd withheld 1\n", "memd withheld 1\nkey ab\nforgotten 12\n",
                           "memd withheld 1\nkey ab\nsomething else\n"}) {
    test::write_file(file_, text);
    const auto opened = Withheld::open(file_);
    ASSERT_FALSE(opened) << text;
    EXPECT_TRUE(opened.error().is(Errc::store_corrupt));
  }
}

}  // namespace
}  // namespace memd
