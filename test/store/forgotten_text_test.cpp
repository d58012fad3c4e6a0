// Forgotten texts are found by hashes, however they are escaped.
#include "store/text/redaction/forgotten_text.hpp"
#include "store/db/withheld.hpp"
#include "store/text/redaction/redactor.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <span>
#include <string>

namespace memd {
namespace {

namespace bj = boost::json;

class ForgottenText : public testing::Test {
 protected:
  void forget(const std::string& text) { ASSERT_TRUE(open()->forget_text(text)); }
  std::shared_ptr<Withheld> open() { return *Withheld::open(dir_ / "withheld"); }
  std::string redacted(std::string text) {
    redact_forgotten(text, *open()->texts());
    return text;
  }
  std::string masked(std::string line) {
    const std::size_t size = line.size();
    mask_forgotten(std::span(line.data(), line.size()), *open()->texts());
    EXPECT_EQ(line.size(), size);
    return line;
  }
  test::TempDir dir_;
};

TEST_F(ForgottenText, IsMaskedWhereverItStands) {
  EXPECT_EQ(redacted("hunter2-or-so"), "hunter2-or-so");
  forget("hunter2-or-so");
  forget("12345678");
  const std::string m = "[redacted:forgotten]";
  EXPECT_EQ(redacted("hunter2-or-so"), m);
  EXPECT_EQ(redacted("a hunter2-or-so, hunter2-or-sohunter2-or-so"), "a " + m + ", " + m + m);
  EXPECT_EQ(redacted("hunter2-or-s hunter2-or-S"), "hunter2-or-s hunter2-or-S");
  EXPECT_EQ(redacted("012345678"), "0" + m);
  EXPECT_EQ(masked(R"({"a":"x hunter2-or-so"})"), R"({"a":"x [redacted]"}   )");
  EXPECT_EQ(masked(R"({"a":"12345678","b":12345678})"), R"({"a":"***","b":11111111}     )");
  EXPECT_EQ(open()->texts()->tokens().size(), 2U);
  forget("12345678");
  EXPECT_EQ(open()->texts()->tokens().size(), 2U) << "it is remembered once";
  const std::string file = test::bytes_of(dir_ / "withheld");
  EXPECT_EQ(file.find("hunter2"), std::string::npos);
  EXPECT_EQ(file.find("12345678"), std::string::npos);
}

TEST_F(ForgottenText, IsFoundEscapedAnyNumberOfTimes) {
  const std::string text = "first \"line\"\n\tsecond lin\xC3\xA9 \xF0\x9F\x98\x80 with C:\\temp\\x";
  forget(text);
  bj::value value(bj::string("before " + text + " after"));
  for (int depth = 0; depth < 4; ++depth) {
    value = bj::object{{"k", depth == 0 ? value : bj::value(bj::string(bj::serialize(value)))}};
    const std::string line = masked(bj::serialize(value));
    EXPECT_NO_THROW((void)bj::parse(line)) << line;
    EXPECT_EQ(line.find("second"), std::string::npos) << line;
    EXPECT_NE(line.find("before [redacted:forgotten] after"), std::string::npos) << line;
  }
  const std::string other =
      R"({"k":"first \u0022line\u0022\u000a\tsecond lin\u00e9 \ud83d\ude00 with C:\\temp\u005cx!"})";
  EXPECT_EQ(masked(other).find("second"), std::string::npos) << masked(other);
  EXPECT_NE(masked(other).find("[redacted:forgotten]!"), std::string::npos) << masked(other);
}

TEST_F(ForgottenText, SurvivesTheFile) {
  forget("hunter2-or-so");
  EXPECT_TRUE(open()->is_unfinished());
  EXPECT_FALSE(open()->forgot_something()) << "no session is looked for";
  WithheldTexts texts(dir_ / "withheld");
  EXPECT_EQ(texts.now()->tokens().size(), 1U);
  forget("another of them");
  EXPECT_EQ(texts.now()->tokens().size(), 2U);
  EXPECT_TRUE(WithheldTexts(dir_ / "none").now()->is_empty());
}

}  // namespace
}  // namespace memd
