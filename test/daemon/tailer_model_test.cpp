// Compares the tailer with a model: random histories of a file, read at random moments. Every complete record in the
// file has been delivered once and in order since the tailer last started over, and the ledger equals the cursor. The
// file is appended to, cut, replaced, and rewritten with a part of what it contained, also to the size it had.
#include "daemon/ingest/tailer.hpp"
#include "schemas/base/error.hpp"
#include "test/support/line_adapter.hpp"
#include "test/support/temp_dir.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <random>
#include <string>

namespace memd {
namespace {

namespace fs = std::filesystem;

class History {
 public:
  explicit History(std::uint32_t seed) : seed_(seed), random_(seed) {
    source_.platform = Platform::thunderus;
    source_.path = file_.string();
  }

  void step() {
    change();
    if (!fs::exists(file_)) return;
    // Each change has a time of its own, as with a clock of fine ticks.
    std::array<timespec, 2> times{};
    times[0].tv_sec = times[1].tv_sec = 1'500'000'000 + (pick(12) == 0 ? -1 : 1) * ++changes_;
    ::utimensat(AT_FDCWD, file_.c_str(), times.data(), 0);
  }

  void change() {
    switch (pick(18)) {
      case 0:
      case 1:
      case 2: return append(line() + "\n");
      case 3: return append(line());  // an unfinished write, or a last line without its newline
      case 4: return append("\n");
      case 5: return append("{" + line() + "}");                    // complete without a newline
      case 6: return append("{" + line() + "}{" + line() + "}\n");  // two records on one line
      case 7: return append(std::string(1 + pick(40), '\0') + (pick(2) == 0 ? "\n" : ""));
      case 8: return rarely([this] { rewrite(line() + "\n" + line() + "\n"); });
      case 9: return rarely([this] { rewrite(""); });
      case 10: return rarely([this] { replace(line() + "\n" + line()); });
      case 11: return rarely([this] { rename_away(); });
      case 12: return rarely([this] { remove(); });
      case 13: return rarely([this] { rewrite(without_a_part() + line() + "\n"); });
      case 14: return rarely([this] { replace(without_a_part() + line() + "\n"); });
      case 15: return rarely([this] { rewrite(with_another_part()); });
      case 16: return rarely([this] { replace(content_ + line() + "\n"); });  // as programs that write anew each time
      default: return;                                                        // only the time changes
    }
  }

  void read() {
    const Source before = source_;
    const bool exists = fs::exists(file_);
    for (int turn = 0; turn < 10'000; ++turn) {
      auto r = tailer_.next(source_, adapter_);
      if (!exists) {
        ASSERT_FALSE(r);
        EXPECT_TRUE(r.error().is(Errc::not_found));
        EXPECT_EQ(source_.cursor, before.cursor);
        EXPECT_EQ(source_.generation, before.generation);
        return;
      }
      ASSERT_TRUE(r) << r.error().message();
      if (r->slice) take(*r->slice);
      if (!r->more) return check();
    }
    FAIL() << "the tailer never came to an end";
  }
  // Reads the file to its end, whatever was done to it before.
  void settle() {
    if (!away_.empty()) bring_back();
    if (!fs::exists(file_)) replace("");
    append("\n");
    read();
    EXPECT_EQ(source_.cursor, content_.size());
    EXPECT_EQ(source_.state, SourceState::active);
  }

 private:
  std::uint32_t pick(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  template <class F>
  void rarely(F&& f) {
    if (pick(4) == 0) f();
  }
  std::string line() {
    return "r" + std::to_string(seed_) + "." + std::to_string(serial_++) + std::string(pick(90), 'y');
  }

  void append(const std::string& bytes) {
    if (!away_.empty()) bring_back();
    content_ += bytes;
    test::append_file(file_, bytes);
  }
  void rewrite(std::string content) {  // in place: the inode stays
    if (!away_.empty()) bring_back();
    content_ = std::move(content);
    test::write_file(file_, content_);
  }
  void replace(std::string content) {
    away_.clear();
    content_ = std::move(content);
    test::write_file(dir_ / "tmp", content_);
    fs::rename(dir_ / "tmp", file_);
  }
  void rename_away() {
    if (!fs::exists(file_)) return;
    away_ = dir_ / "elsewhere";
    fs::rename(file_, away_);
  }
  void bring_back() {
    fs::rename(away_, file_);
    away_.clear();
  }
  void remove() {
    if (!fs::exists(file_)) return;
    fs::remove(file_);
    content_.clear();
  }
  std::string without_a_part() {
    const std::size_t from = content_.empty() ? 0 : pick(static_cast<std::uint32_t>(content_.size()));
    const std::size_t begin = content_.find('\n', from);
    if (begin == std::string::npos) return content_;
    const std::size_t end = content_.find('\n', std::min(content_.size() - 1, begin + 1 + pick(300)));
    return content_.substr(0, begin + 1) + (end == std::string::npos ? "" : content_.substr(end + 1));
  }
  std::string with_another_part() {  // of the same size
    std::string content = content_;
    if (content.empty()) return content;
    const std::size_t at = pick(static_cast<std::uint32_t>(content.size()));
    for (std::size_t i = at; i < std::min(content.size(), at + 30); ++i)
      if (content[i] == 'y') content[i] = 'z';
    return content;
  }

  void take(const SourceSlice& slice) {
    source_.id = 1;
    if (slice.restart) ledger_ = 0, delivered_.clear();
    for (const auto& c : slice.batch.coverage)
      ledger_ += c.bytes;
    for (const auto& e : slice.batch.events)
      delivered_ += e.text;
  }
  // Compares without newlines: a record read without its newline and the text appended to it are two records here.
  void check() {
    ASSERT_EQ(ledger_, source_.cursor);
    ASSERT_LE(source_.cursor, content_.size());
    ASSERT_EQ(content_.find('\n', source_.cursor), std::string::npos);
    std::string want;
    for (const char c : content_.substr(0, source_.cursor))
      if (c != '\n') want += c;
    ASSERT_EQ(delivered_, want);
  }

  std::uint32_t seed_;
  std::mt19937 random_;
  test::TempDir dir_;
  fs::path file_ = dir_ / "s.jsonl";
  fs::path away_;  // the path the file was moved to; empty if it was not moved
  test::LineAdapter adapter_;
  Tailer tailer_{TailerLimits{64, 1024}};
  Source source_;
  std::string content_;
  std::string delivered_;
  std::uint64_t ledger_ = 0;
  int serial_ = 0;
  time_t changes_ = 0;
};

TEST(TailerModel, AgreesUnderRandomHistories) {
  for (std::uint32_t seed = 1; seed <= 150; ++seed) {
    History history(seed);
    std::mt19937 when(seed);
    for (int step = 0; step < 150; ++step) {
      history.step();
      if (when() % 3 == 0) history.read();
      ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed << " step " << step;
    }
    history.settle();
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed << " at the end";
  }
}

}  // namespace
}  // namespace memd
