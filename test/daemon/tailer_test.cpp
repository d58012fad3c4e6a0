#include "daemon/ingest/tailer.hpp"
#include "test/support/line_adapter.hpp"
#include "test/support/temp_dir.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>

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

  // Reads until there is no new record. Updates the ledger as the store would.
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

TEST_F(TailerTest, OversizedRecordStillBeingWrittenIsWalkedOverOnce) {
  write_file(file_, "a\n" + std::string(5000, 'x'));
  EXPECT_EQ(read_all(), Lines{"a"});
  EXPECT_EQ(source_.cursor, 5002u);
  append_file(file_, std::string(70, 'y'));
  EXPECT_EQ(read_all(), Lines{});
  append_file(file_, "z\nb\n");
  EXPECT_EQ(read_all(), Lines{"b"});
  EXPECT_EQ(ledger_, 5076u);
  EXPECT_EQ(diagnostics_, 1u);
}

TEST_F(TailerTest, OversizedRecordTakesASliceAtATime) {
  write_file(file_, std::string(64 * 40, 'x') + "\nb\n");
  int turns = 0;
  for (bool more = true; more; ++turns) {
    const auto before = source_.cursor;
    const auto r = tailer_.next(source_, adapter_);
    ASSERT_TRUE(r);
    EXPECT_LE(source_.cursor - before, 64u);
    source_.id = 1;
    more = r->more;
  }
  EXPECT_GE(turns, 40);
  EXPECT_EQ(source_.cursor, 64u * 40 + 3);
}

TEST_F(TailerTest, AFileThatIsBackUnchangedIsSaidToBeActive) {
  write_file(file_, "one\n");
  read_all();
  source_.state = SourceState::gone;
  const auto back = tailer_.next(source_, adapter_);
  ASSERT_TRUE(back && back->slice);
  EXPECT_TRUE(back->slice->batch.events.empty());
  EXPECT_EQ(back->slice->source.state, SourceState::active);
  EXPECT_FALSE(tailer_.next(source_, adapter_)->slice);
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

// Gives the file a time of its own, as a clock of coarse ticks may not.
void written_at(const std::filesystem::path& file, int second) {
  std::array<timespec, 2> times{};
  times[0].tv_sec = times[1].tv_sec = 1'790'000'000 + second;
  ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times.data(), 0), 0);
}

TEST_F(TailerTest, AFileRewrittenInPlaceIsReadAgainWhateverItsSize) {
  const std::string head = std::string(2000, 'h') + "\n";
  int second = 0;
  for (const std::string& after : {head + "one\nthree\n", head + "two\nseven\n", head + "two\neight and more\n"}) {
    write_file(file_, head + "one\ntwo\n12\n");
    written_at(file_, ++second);
    source_ = {};
    source_.platform = Platform::thunderus;
    source_.path = file_.string();
    read_all();
    restarts_ = 0;
    write_file(file_, after);
    written_at(file_, ++second);
    EXPECT_EQ(read_all().back() + "\n", after.substr(after.rfind('\n', after.size() - 2) + 1));
    EXPECT_EQ(restarts_, 1) << after.size();
    EXPECT_EQ(source_.cursor, after.size());
  }
}

TEST_F(TailerTest, AFileRewrittenWithTheTimeAndSizeItHadIsReadAgain) {
  write_file(file_, "one\ntwo\n");
  written_at(file_, 1);
  EXPECT_EQ(read_all(), (Lines{"one", "two"}));
  const auto changed_at = [&] { return SourceFile::open(file_).value().stat().changed_ns; };
  const auto before = changed_at();
  do {  // until the clock of the file system has ticked
    write_file(file_, "one\nsix\n");
    written_at(file_, 1);
  } while (changed_at() == before);
  EXPECT_EQ(read_all(), (Lines{"one", "six"}));
}

TEST_F(TailerTest, AFileReplacedByOneWithAnotherMiddleIsReadAgain) {
  const std::string end = std::string(100'000, 'e') + "\n";
  write_file(file_, std::string(2000, 'h') + "\none\n" + end);
  written_at(file_, 1);
  tailer_ = Tailer{TailerLimits{64, 1 << 20}};
  read_all();
  write_file(dir_ / "copy", std::string(2000, 'h') + "\nsix\n" + end + "more\n");
  written_at(dir_ / "copy", 2);
  std::filesystem::rename(dir_ / "copy", file_);
  const Lines again = read_all();
  ASSERT_EQ(again.size(), 4U);
  EXPECT_EQ(again[1], "six");
  EXPECT_EQ(restarts_, 1);
}

TEST_F(TailerTest, ATouchedFileGoesOn) {
  write_file(file_, "one\n" + std::string(100'000, 'x') + "\n");
  written_at(file_, 1);
  tailer_ = Tailer{TailerLimits{64, 1 << 20}};
  read_all();
  written_at(file_, 2);
  EXPECT_EQ(read_all(), Lines{});
  append_file(file_, "three\n");
  EXPECT_EQ(read_all(), Lines{"three"});
  EXPECT_EQ(restarts_, 0);
}

// A store of an earlier version has no checksums, nor has one that was rebuilt.
TEST_F(TailerTest, WithoutChecksumsAFileIsReadAgainWhenItChanges) {
  write_file(file_, "one\ntwo\n");
  written_at(file_, 1);
  read_all();
  source_.proof.clear();
  EXPECT_EQ(read_all(), Lines{});
  append_file(file_, "three\n");
  written_at(file_, 2);
  EXPECT_EQ(read_all(), (Lines{"one", "two", "three"}));
  EXPECT_EQ(diagnostics_, 0U) << "nothing is wrong with the file";
  append_file(file_, "four\n");
  EXPECT_EQ(read_all(), Lines{"four"});
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

}  // namespace
}  // namespace memd
