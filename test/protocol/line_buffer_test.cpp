#include "protocol/transport/line_transport.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace {

using memd::transport::LineBuffer;

void feed(LineBuffer& b, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto room = b.prepare();
    const std::size_t n = std::min(room.size(), bytes.size());
    std::memcpy(room.data(), bytes.data(), n);
    b.commit(n);
    bytes.remove_prefix(n);
    if (bytes.empty()) break;
    ASSERT_FALSE(b.next()) << "only for lines longer than a read";
  }
}
std::vector<std::string> lines(LineBuffer& b) {
  std::vector<std::string> out;
  while (const auto line = b.next())
    out.push_back(line->oversized ? "<oversized>" : std::string(line->text));
  return out;
}
using Strings = std::vector<std::string>;

TEST(LineBuffer, CutsWhereverTheReadsFall) {
  const std::string text = "one\r\ntwo\n\nfour";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    LineBuffer b(100);
    feed(b, text.substr(0, cut));
    Strings got = lines(b);
    feed(b, text.substr(cut));
    for (auto& line : lines(b))
      got.push_back(line);
    EXPECT_EQ(got, (Strings{"one", "two", ""})) << cut;
    const auto rest = b.rest();
    ASSERT_TRUE(rest);
    EXPECT_EQ(rest->text, "four");
    EXPECT_FALSE(b.rest());
  }
}

TEST(LineBuffer, SkipsAnOversizedLineAndGoesOn) {
  LineBuffer b(10);
  feed(b, "ok\n12345678901");
  EXPECT_EQ(lines(b), Strings{"ok"});
  feed(b, "still the same line");
  EXPECT_EQ(lines(b), Strings{});
  feed(b, "and its end\nnext\n");
  EXPECT_EQ(lines(b), (Strings{"<oversized>", "next"}));
}

TEST(LineBuffer, TheEndsOfAnOversizedLineAreKept) {
  const std::string line = "BEGIN" + std::string(5000, 'x') + "END";
  for (std::size_t cut = 0; cut <= line.size(); cut += 7) {
    LineBuffer b(2000);
    feed(b, line.substr(0, cut));
    EXPECT_EQ(lines(b), Strings{});
    feed(b, line.substr(cut) + "\r\nnext\n");
    const auto ends = b.next();
    ASSERT_TRUE(ends && ends->oversized != nullptr) << cut;
    EXPECT_EQ(ends->oversized->beginning.substr(0, 6), "BEGINx");
    EXPECT_EQ(ends->oversized->beginning.size(), 1024U);
    EXPECT_EQ(ends->oversized->end, line.substr(line.size() - 1024));
    EXPECT_EQ(lines(b), Strings{"next"});
  }
}

// Programs of Windows begin their output with it.
TEST(LineBuffer, AByteOrderMarkIsNoPartOfALine) {
  LineBuffer b(100);
  feed(b, "\xEF\xBB\xBFone\n\xEF\xBB\xBF\ntwo\xEF\xBB\xBF\n\xEF\xBB\xBFthree");
  EXPECT_EQ(lines(b), (Strings{"one", "", "two\xEF\xBB\xBF"}));
  EXPECT_EQ(b.rest()->text, "three");
}

TEST(LineBuffer, AByteOrderMarkIsNoPartOfTheKeptBeginning) {
  const std::string mark = "\xEF\xBB\xBF";
  const std::string line = "BEGIN" + std::string(5000, 'x') + "END";
  for (const std::size_t cut : {0, 1, 3, 2001, 2500}) {
    LineBuffer b(2000);
    feed(b, (mark + line).substr(0, cut));
    EXPECT_EQ(lines(b), Strings{});
    feed(b, (mark + line).substr(cut) + "\n");
    const auto ends = b.next();
    ASSERT_TRUE(ends && ends->oversized != nullptr) << cut;
    EXPECT_EQ(ends->oversized->beginning.substr(0, 6), "BEGINx") << cut;
    EXPECT_EQ(ends->oversized->end, line.substr(line.size() - 1024)) << cut;
  }
}

TEST(LineBuffer, AnOversizedLineInOneReadIsReportedOnce) {
  LineBuffer b(3);
  feed(b, "12345\nab\n");
  EXPECT_EQ(lines(b), (Strings{"<oversized>", "ab"}));
}

TEST(LineBuffer, NothingIsLeftOfASkippedLine) {
  LineBuffer b(3);
  feed(b, "12345");
  EXPECT_EQ(lines(b), Strings{});
  const auto rest = b.rest();
  ASSERT_TRUE(rest);
  EXPECT_TRUE(rest->oversized);
  EXPECT_FALSE(b.rest());
}

TEST(LineBuffer, LongLinesSpanManyReads) {
  LineBuffer b(10'000'000);
  const std::string big(3'000'000, 'x');
  feed(b, big);
  feed(b, "\ny\n");
  EXPECT_EQ(lines(b), (Strings{big, "y"}));
}

TEST(LineBuffer, AnOversizedLineIsNotKept) {
  LineBuffer b(1000);
  feed(b, std::string(900, 'x'));
  EXPECT_EQ(lines(b), Strings{});
  feed(b, std::string(900, 'x'));
  EXPECT_EQ(lines(b), Strings{});
  for (int i = 0; i < 10000; ++i) {
    feed(b, std::string(900, 'x'));
    EXPECT_EQ(lines(b), Strings{});
  }
  EXPECT_LT(b.prepare().size(), 1U << 20);
}

}  // namespace
