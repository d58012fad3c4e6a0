#include "daemon/ingest/tailer.hpp"
#include "test/support/line_adapter.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <random>

namespace memd {
namespace {

using test::append_file;
using test::TempDir;
using test::write_file;

class TailerTest : public testing::Test {
 protected:
  TailerTest() {
    source_.platform = Platform::thunderus;
    source_.path = file_.string();
  }

  // Reads until nothing is new. Keeps the ledger as the store would.
  std::vector<std::string> read_all() {
    std::vector<std::string> out;
    for (int rounds = 0; rounds < 10'000; ++rounds) {
      auto r = tailer_.next(source_, adapter_);
      if (!r) {
        error_ = r.error().message();
        return out;
      }
      if (r->slice) {
        source_.id = 1;
        if (r->slice->restart) ledger_ = 0, ++restarts_;
        for (const auto& c : r->slice->batch.coverage)
          ledger_ += c.bytes;
        for (const auto& e : r->slice->batch.events)
          out.push_back(e.text);
        diagnostics_ += r->slice->batch.diagnostics.size();
      }
      if (!r->more) return out;
    }
    ADD_FAILURE() << "the tailer never came to an end";
    return out;
  }

  TempDir dir_;
  std::filesystem::path file_ = dir_ / "s.jsonl";
  test::LineAdapter adapter_;
  Tailer tailer_{TailerLimits{64, 1024}};
  Source source_;
  std::uint64_t ledger_ = 0;
  std::size_t diagnostics_ = 0;
  int restarts_ = 0;
  std::string error_;
};

using Lines = std::vector<std::string>;

TEST_F(TailerTest, ReadsWhatIsAppendedOnce) {
  write_file(file_, "one\ntwo\n");
  EXPECT_EQ(read_all(), (Lines{"one", "two"}));
  EXPECT_EQ(read_all(), Lines{});
  append_file(file_, "three\n");
  EXPECT_EQ(read_all(), Lines{"three"});
  EXPECT_EQ(ledger_, 14u);
}

TEST_F(TailerTest, PartialLineWaits) {
  write_file(file_, "one\ntw");
  EXPECT_EQ(read_all(), Lines{"one"});
  EXPECT_EQ(source_.cursor, 4u);
  append_file(file_, "o\n");
  EXPECT_EQ(read_all(), Lines{"two"});
}

TEST_F(TailerTest, CompleteObjectWithoutNewlineIsARecordAndItsNewlineBelongsToIt) {
  write_file(file_, "one\n{two}");
  EXPECT_EQ(read_all(), (Lines{"one", "{two}"}));
  EXPECT_EQ(ledger_, 9u);
  append_file(file_, "\nthree\n");
  EXPECT_EQ(read_all(), Lines{"three"});
  EXPECT_EQ(ledger_, 16u);
  EXPECT_EQ(source_.cursor, 16u);
}

TEST_F(TailerTest, LinesLongerThanASliceAreOneRecord) {
  const std::string longer(300, 'x');
  write_file(file_, "a\n" + longer + "\nb\n");
  EXPECT_EQ(read_all(), (Lines{"a", longer, "b"}));
}

TEST_F(TailerTest, OversizedRecordIsSkippedCountedAndDiagnosed) {
  write_file(file_, "a\n" + std::string(5000, 'x') + "\nb\n");
  EXPECT_EQ(read_all(), (Lines{"a", "b"}));
  EXPECT_EQ(ledger_, 5005u);
  EXPECT_EQ(diagnostics_, 1u);
}

TEST_F(TailerTest, OversizedRecordStillBeingWrittenWaits) {
  write_file(file_, "a\n" + std::string(5000, 'x'));
  EXPECT_EQ(read_all(), Lines{"a"});
  EXPECT_EQ(source_.cursor, 2u);
  append_file(file_, "\nb\n");
  EXPECT_EQ(read_all(), Lines{"b"});
}

TEST_F(TailerTest, TruncationStartsOver) {
  write_file(file_, "one\ntwo\nthree\n");
  read_all();
  write_file(file_, "new\n");
  EXPECT_EQ(read_all(), Lines{"new"});
  EXPECT_EQ(restarts_, 1);
  EXPECT_EQ(diagnostics_, 1u);
  EXPECT_EQ(ledger_, 4u);
  EXPECT_EQ(source_.generation, 1u);
}

TEST_F(TailerTest, ReplacementByALongerFileIsNoticedByItsHead) {
  write_file(file_, "one\n");
  read_all();
  write_file(dir_ / "tmp", "other\nlines\n");
  std::filesystem::rename(dir_ / "tmp", file_);
  EXPECT_EQ(read_all(), (Lines{"other", "lines"}));
  EXPECT_EQ(restarts_, 1);
}

TEST_F(TailerTest, ACopyRenamedIntoPlaceGoesOn) {
  write_file(file_, "one\n");
  read_all();
  write_file(dir_ / "tmp", "one\ntwo\n");
  std::filesystem::rename(dir_ / "tmp", file_);
  EXPECT_EQ(read_all(), Lines{"two"});
  EXPECT_EQ(restarts_, 0);
}

TEST_F(TailerTest, MissingFileIsNotFound) {
  read_all();
  EXPECT_NE(error_.find("s.jsonl"), std::string::npos);
}

TEST_F(TailerTest, DocumentIsReadWholeEachTimeItChanges) {
  source_.path = (dir_ / "d.json").string();
  source_.format = SourceFormat::json;
  write_file(source_.path, "{one}");
  EXPECT_EQ(read_all(), Lines{"{one}"});
  write_file(source_.path, "{half of it");
  EXPECT_EQ(read_all(), Lines{});
  write_file(source_.path, "{two, longer}");
  EXPECT_EQ(read_all(), Lines{"{two, longer}"});
  EXPECT_EQ(ledger_, 13u);
}

// Against a model: a random history of appends, partial lines, truncations, replacements, deletions and re-creations,
// read at random moments. Whatever complete lines are in the file when it is read have been delivered since the file
// last started over, each once and in order, and the ledger equals the cursor.
TEST_F(TailerTest, AgreesWithAModelUnderRandomHistories) {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&random](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    std::filesystem::remove(file_);
    source_ = {};
    source_.platform = Platform::thunderus;
    source_.path = file_.string();
    ledger_ = 0;
    restarts_ = 0;
    std::string content;
    Lines delivered;
    int serial = 0;
    bool exists = false;
    const auto line = [&] {
      return "r" + std::to_string(seed) + "." + std::to_string(serial++) + std::string(pick(90), 'y');
    };

    for (int step = 0; step < 120; ++step) {
      switch (pick(10)) {
        case 0:
        case 1:
        case 2: content += line() + "\n"; break;
        case 3: content += line(); break;
        case 4: content += "\n"; break;
        case 5: content += "{" + line() + "}"; break;
        case 6:
          if (pick(4) == 0) content = line() + "\n";
          break;
        case 7:
          if (pick(4) == 0) content.clear();
          break;
        case 8:
          if (pick(6) == 0) {
            std::filesystem::remove(file_);
            exists = false;
          }
          break;
        default: break;
      }
      if (exists && pick(2) == 0 && content.size() >= std::filesystem::file_size(file_)) {
        write_file(file_, content);  // in place: same inode
      } else {
        write_file(dir_ / "tmp", content);
        std::filesystem::rename(dir_ / "tmp", file_);
      }
      exists = true;
      if (pick(3) != 0) continue;

      const int restarts_before = restarts_;
      const Lines got = read_all();
      if (restarts_ != restarts_before) delivered.clear();
      delivered.insert(delivered.end(), got.begin(), got.end());
      ASSERT_EQ(ledger_, source_.cursor) << "seed " << seed << " step " << step;
      ASSERT_LE(source_.cursor, content.size());
      const std::string_view rest = std::string_view(content).substr(source_.cursor);
      ASSERT_EQ(rest.find('\n'), std::string_view::npos) << "seed " << seed << " step " << step;
      // Joined without separators: a record taken without newline and what was appended to it are two records here.
      std::string want;
      for (const char c : content.substr(0, source_.cursor))
        if (c != '\n') want += c;
      std::string have;
      for (const auto& d : delivered)
        have += d;
      ASSERT_EQ(have, want) << "seed " << seed << " step " << step;
    }
  }
}

}  // namespace
}  // namespace memd
