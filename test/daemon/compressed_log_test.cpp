#include "daemon/ingest/record_finder.hpp"
#include "daemon/ingest/tailer.hpp"
#include "test/support/line_adapter.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <zstd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace memd {
namespace {

using test::TempDir;
using test::write_file;

std::string compressed(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  const std::size_t n = ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3);
  EXPECT_EQ(ZSTD_isError(n), 0u);
  out.resize(n);
  return out;
}

std::string lines(int from, int to, std::size_t padding = 0) {
  std::string out;
  for (int i = from; i < to; ++i) {
    std::string noise;  // keeps the compressed form long
    for (std::size_t k = 0; k < padding; ++k)
      noise += static_cast<char>('a' + (static_cast<std::size_t>(i) * 7919 + k * k * 31) % 26);
    out += "line " + std::to_string(i) + " " + noise + "\n";
  }
  return out;
}

struct Followed {
  Source source;
  std::string text;  // all events, one per line
  std::uint64_t ledger = 0;
  std::vector<DiagnosticType> diagnostics;
  int restarts = 0;
  int turns = 0;

  explicit Followed(const std::filesystem::path& file) {
    source.platform = Platform::thunderus;
    source.path = file.string();
  }
  bool turn(Tailer& tailer, const Adapter& adapter) {
    auto r = tailer.next(source, adapter);
    EXPECT_TRUE(r) << r.error().message();
    if (!r) return false;
    ++turns;
    if (r->slice) {
      source.id = 1;
      if (r->slice->restart) ledger = 0, text.clear(), ++restarts;
      for (const auto& c : r->slice->batch.coverage)
        ledger += c.bytes;
      for (const auto& e : r->slice->batch.events)
        text += e.text + "\n";
      for (const auto& d : r->slice->batch.diagnostics)
        diagnostics.push_back(d.type);
    }
    return r->more;
  }
  void read(Tailer& tailer, const Adapter& adapter) {
    while (turn(tailer, adapter))
      ASSERT_LT(turns, 10'000);
  }
};

class CompressedLog : public testing::Test {
 protected:
  TempDir dir_;
  std::filesystem::path file_ = dir_ / "s.jsonl.zst";
  test::LineAdapter adapter_;
  Tailer tailer_{TailerLimits{4096, 65'536}};
};

TEST_F(CompressedLog, IsTheLogOfItsDecompressedBytes) {
  const std::string text = lines(0, 2000, 40);
  write_file(file_, compressed(text));
  Followed f(file_);
  f.read(tailer_, adapter_);
  EXPECT_EQ(f.text, text);
  EXPECT_EQ(f.source.cursor, text.size());
  EXPECT_EQ(f.source.size, text.size());
  EXPECT_EQ(f.ledger, text.size());
  EXPECT_GT(f.turns, 10);
  EXPECT_TRUE(f.diagnostics.empty());
  EXPECT_LT(tailer_.buffer_bytes(), 100'000u);
  const auto again = tailer_.next(f.source, adapter_);
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->slice);
}

TEST_F(CompressedLog, AProcessThatStartsInTheMiddleGoesOnThere) {
  const std::string text = lines(0, 500, 40);
  write_file(file_, compressed(text));
  Followed f(file_);
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(f.turn(tailer_, adapter_));
  Tailer fresh(TailerLimits{4096, 65'536});
  f.read(fresh, adapter_);
  EXPECT_EQ(f.text, text);
  EXPECT_EQ(f.restarts, 0);
}

TEST_F(CompressedLog, TruncatedFrameGivesWhatCameBefore) {
  const std::string text = lines(0, 20'000, 60);
  std::string bytes = compressed(text);
  bytes.resize(bytes.size() * 2 / 3);
  write_file(file_, bytes);
  Followed f(file_);
  f.read(tailer_, adapter_);
  EXPECT_GT(f.text.size(), text.size() / 4);
  EXPECT_EQ(text.substr(0, f.text.size()), f.text);
  EXPECT_EQ(f.diagnostics, std::vector{DiagnosticType::damaged_record});
  EXPECT_EQ(f.ledger, f.source.cursor);
  EXPECT_GE(f.source.size, f.source.cursor);
  EXPECT_FALSE(tailer_.next(f.source, adapter_)->slice) << "said once, not at every look";

  // The writer was only slow: the rest is read, and nothing is read twice.
  write_file(file_, compressed(text));
  f.read(tailer_, adapter_);
  EXPECT_EQ(f.text, text);
  EXPECT_EQ(f.restarts, 0);
}

TEST_F(CompressedLog, GarbageBehindAFrameAndInsteadOfOneIsDiagnosed) {
  const std::string text = lines(0, 100);
  write_file(file_, compressed(text) + "no frame at all, and more of it");
  Followed f(file_);
  f.read(tailer_, adapter_);
  EXPECT_EQ(f.text, text);
  EXPECT_EQ(f.diagnostics, std::vector{DiagnosticType::damaged_record});

  const auto other = dir_ / "other.jsonl.zst";
  write_file(other, "{\"plain\": true}\n");
  Followed g(other);
  g.read(tailer_, adapter_);
  EXPECT_EQ(g.diagnostics, std::vector{DiagnosticType::not_a_transcript});
  EXPECT_EQ(g.ledger, 0u);
}

TEST_F(CompressedLog, FramesOneAfterAnotherAreOneLog) {
  write_file(file_, compressed("one\ntw") + compressed("o\nthree\n"));
  Followed f(file_);
  f.read(tailer_, adapter_);
  EXPECT_EQ(f.text, "one\ntwo\nthree\n");
  test::append_file(file_, compressed("four\n"));
  f.read(tailer_, adapter_);
  EXPECT_EQ(f.text, "one\ntwo\nthree\nfour\n");
  EXPECT_EQ(f.restarts, 0);
}

TEST_F(CompressedLog, ReplacedByAShorterOneStartsOver) {
  write_file(file_, compressed(lines(0, 300, 20)));
  Followed f(file_);
  f.read(tailer_, adapter_);
  write_file(file_, compressed("x\n"));
  f.read(tailer_, adapter_);
  EXPECT_EQ(f.text, "x\n");
  EXPECT_EQ(f.restarts, 1);
  EXPECT_EQ(f.ledger, 2u);
}

// There are more logs than open streams, and they are read in turn. Each stream only moves forward.
TEST_F(CompressedLog, ReplacedByOneWithAnotherMiddleStartsOver) {
  write_file(file_, compressed(lines(0, 300, 50)));
  Followed followed(file_);
  followed.read(tailer_, adapter_);
  const std::string other = lines(0, 100, 50) + "six\n" + lines(100, 400, 50);
  write_file(dir_ / "new", compressed(other));
  std::filesystem::last_write_time(dir_ / "new", std::filesystem::last_write_time(file_) + std::chrono::seconds(1));
  std::filesystem::rename(dir_ / "new", file_);
  followed.read(tailer_, adapter_);
  EXPECT_EQ(followed.restarts, 1);
  EXPECT_EQ(followed.text, other);
}

TEST_F(CompressedLog, WhatIsAppendedToItGoesOn) {
  write_file(file_, compressed(lines(0, 300, 50)));
  Followed followed(file_);
  followed.read(tailer_, adapter_);
  test::append_file(file_, compressed(lines(300, 400, 50)));
  followed.read(tailer_, adapter_);
  EXPECT_EQ(followed.restarts, 0);
  EXPECT_EQ(followed.text, lines(0, 400, 50));
}

TEST_F(CompressedLog, ManyAtATimeTakeTurns) {
  constexpr int kFiles = 9;
  const std::string text = lines(0, 400, 40);
  std::vector<Followed> all;
  for (int i = 0; i < kFiles; ++i) {
    const auto file = dir_ / ("m" + std::to_string(i) + ".jsonl.zst");
    write_file(file, compressed(text));
    all.emplace_back(file);
  }
  std::vector<bool> done(kFiles);
  for (int round = 0; round < 1000 && std::count(done.begin(), done.end(), true) < kFiles; ++round)
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!done[i]) done[i] = !all[i].turn(tailer_, adapter_);
  for (const auto& f : all)
    EXPECT_EQ(f.text, text);
}

TEST_F(CompressedLog, ALongLineNeedsNoSecondDecompression) {
  const std::string longer = "long " + std::string(30'000, 'x');
  write_file(file_, compressed("a\n" + longer + "\nb\n" + std::string(90'000, 'o') + "\nc\n"));
  Followed f(file_);
  f.read(tailer_, adapter_);
  EXPECT_EQ(f.text, "a\n" + longer + "\nb\nc\n");
  EXPECT_EQ(f.diagnostics, std::vector{DiagnosticType::oversized_record});
}

TEST_F(CompressedLog, RecordsAreReadBackByTheirDecompressedPlace) {
  const std::string text = lines(0, 50'000, 10);
  write_file(file_, compressed(text));
  const auto at = text.find("line 43210 ");
  const auto length = text.find('\n', at) - at;
  const auto bytes = read_log_bytes(file_.string(), at, length);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(*bytes, text.substr(at, length));
  EXPECT_EQ(read_log_bytes(file_.string(), text.size() - 3, 10)->size(), 3u);
  EXPECT_EQ(read_log_bytes(file_.string(), text.size() + 3, 10)->size(), 0u);
}

// The same session beside its compressed copy gives the same events, which the store takes once.
TEST_F(CompressedLog, ACompressedCopyGivesTheSameEvents) {
  write_file(dir_ / "s.jsonl", lines(0, 10));
  write_file(file_, compressed(lines(0, 10)));
  const auto ids = [&](const std::filesystem::path& file) {
    Source source;
    source.platform = Platform::thunderus;
    source.path = file.string();
    std::vector<std::uint64_t> out;
    const auto r = tailer_.next(source, adapter_);
    for (const auto& e : r->slice->batch.events)
      out.push_back(e.event_id);
    return out;
  };
  EXPECT_EQ(ids(file_), ids(dir_ / "s.jsonl"));
}

}  // namespace
}  // namespace memd
