// Transcripts that their agent rewrites: what is new comes in, what is gone stays with a mark, nothing comes twice.
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/ingest/record_finder.hpp"
#include "schemas/sql_text.hpp"
#include "store/read/exchanges.hpp"
#include "store/reader.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/transcript_home.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace memd {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr TimeMs kBegin = 1'770'000'000'000;

enum class Way { in_place, by_rename };

class RewrittenSource : public testing::TestWithParam<std::tuple<bool, Way>> {
 protected:
  RewrittenSource() : discovery_(all_adapters(), home_.path(), {}, {}) {
    for (int i = 1; i <= 3; ++i)  // the ids after these have the same number of digits, so turns have the same size
      home_.turn("/w/q", 2, kBegin, "other", "Other.", "Done.");
    fs::remove(home_.transcript("/w/q", 2));
    for (int i = 1; i <= 4; ++i)
      home_.turn("/w/p", 1, kBegin + i * 60'000, "word" + std::to_string(i), prompt(i), "Done " + std::to_string(i));
    settle_time(file_);
  }
  bool is_live() const { return std::get<0>(GetParam()); }  // else memd is down while the file is rewritten
  static std::string prompt(int i) { return "Please mend number " + std::to_string(i) + "."; }

  // The records of the given turns, a part of three lines each.
  std::vector<std::string> turns() const {
    std::vector<std::string> out;
    std::string text = test::bytes_of(file_);
    for (std::size_t at = 0, line = 0; at < text.size(); ++line) {
      const std::size_t end = text.find('\n', at) + 1;
      if (line % 3 == 0) out.emplace_back();
      out.back() += text.substr(at, end - at);
      at = end;
    }
    return out;
  }
  void rewrite(const std::string& text) {
    const fs::path target = std::get<1>(GetParam()) == Way::in_place ? file_ : home_.path() / "new";
    test::write_file(target, text);
    settle_time(target);
    if (target != file_) fs::rename(target, file_);
  }
  // A clock of coarse ticks gives several changes one time.
  void settle_time(const fs::path& file) {
    std::array<timespec, 2> times{};
    times[0].tv_sec = times[1].tv_sec = 1'790'000'000 + ++changes_;
    ::utimensat(AT_FDCWD, file.c_str(), times.data(), 0);
  }
  void read() {
    if (!is_live()) service_.reset();
    if (!service_) {
      auto writer = Writer::open(store_ / "memd.db", clock_);
      ASSERT_TRUE(writer) << writer.error().message();
      service_ = std::make_unique<IngestService>(discovery_, clock_);
      ASSERT_TRUE(service_->start(std::move(*writer)));
      service_->scan();
    } else {
      service_->hint(file_);
    }
    ASSERT_TRUE(service_->block_until_idle(20s));
  }
  std::int64_t count(std::string_view sql) const {
    auto db = sqlite::Database::open(store_ / "memd.db", sqlite::OpenMode::read_only);
    auto& q = db.prepare(sql).bind();
    q.step();
    return q.int64(0);
  }
  std::int64_t exchanges(int i) const {
    return count("SELECT count(*) FROM exchanges WHERE user_message = '" + prompt(i) + "'");
  }
  // Whether the prompt has the mark.
  bool is_gone(int i) const {
    return count(
               std::string(sql_text("SELECT count(*) FROM events e JOIN exchanges x ON x.session_pk = e.session_pk AND"
                                    " x.first_seq = e.seq WHERE e.flags & kFlagGone AND x.user_message = '")) +
               prompt(i) + "'") == 1;
  }
  std::string thinking_of(int i) const {
    Reader reader(store_ / "memd.db");
    const auto seq = count(
        "SELECT e.seq FROM events e JOIN exchanges x ON x.session_pk = e.session_pk AND e.seq BETWEEN"
        " x.first_seq AND x.last_seq WHERE e.kind = 2 AND x.user_message = '" +
        prompt(i) + "'");
    const auto where = reader.ask(EventSourceQuery{1, seq});
    EXPECT_TRUE(where);
    std::string text;
    if (!where) return text;
    const auto found = RecordFinder(store_ / "memd.db", store_ / "raw").find(*where, [&](std::string_view record) {
      text = record;
      return true;
    });
    EXPECT_EQ(found.has_value(), !where->is_gone);
    return text;
  }

  test::TranscriptHome home_;
  const fs::path file_ = home_.transcript("/w/p", 1);
  const test::TempDir store_;
  const test::FakeClock clock_;
  const Discovery discovery_;
  std::unique_ptr<IngestService> service_;
  int changes_ = 0;
};

TEST_P(RewrittenSource, ItsNewTurnsComeInAndWhatIsGoneStaysWithAMark) {
  const auto before = turns();
  read();
  const std::int64_t events = count("SELECT count(*) FROM events");
  const std::int64_t of_a_turn = count("SELECT last_seq - first_seq + 1 FROM exchanges WHERE exchange_number = 1");
  home_.turn("/w/p", 1, kBegin + 300'000, "word5", prompt(5), "Done 5");
  const std::string added = turns().back();
  ASSERT_EQ(added.size(), before[1].size()) << "so that the rewritten file has the old size";
  for (const std::string& text : {before[0] + before[2] + before[3] + added,          // as long as before
                                  before[0] + before[2] + before[3] + added + added,  // longer, with a repetition
                                  before[0] + before[3] + added}) {                   // shorter
    rewrite(text);
    read();
    for (int i = 1; i <= 5; ++i)
      EXPECT_EQ(exchanges(i), 1) << i;
    EXPECT_EQ(count("SELECT count(*) FROM events"), events + of_a_turn);
    EXPECT_EQ(count("SELECT sum(tool_calls) FROM sessions"), 5);
    EXPECT_EQ(count("SELECT sum(turns) FROM sessions"), 5);
    EXPECT_EQ(count("SELECT sum(bytes) FROM coverage"), static_cast<std::int64_t>(text.size()));
    const bool third_is_gone = text.size() < before[0].size() * 4;
    const std::array<bool, 6> gone{false, false, true, third_is_gone, false, false};
    for (int i = 1; i <= 5; ++i)
      EXPECT_EQ(is_gone(i), gone[static_cast<std::size_t>(i)]) << i;
    for (const int i : {1, 4, 5})
      EXPECT_NE(thinking_of(i).find("about word" + std::to_string(i)), std::string::npos) << "its place is the new one";
    EXPECT_EQ(thinking_of(2), "") << "what stands at its old place is something else";
  }
}

TEST_P(RewrittenSource, WhatComesBackLosesItsMark) {
  const auto before = turns();
  read();
  rewrite(before[0] + before[3]);
  read();
  EXPECT_TRUE(is_gone(2));
  rewrite(before[0] + before[1] + before[2] + before[3]);
  read();
  for (int i = 1; i <= 4; ++i)
    EXPECT_FALSE(is_gone(i)) << i;
  EXPECT_EQ(count(sql_text("SELECT count(*) FROM events WHERE flags & kFlagGone")), 0);
}

INSTANTIATE_TEST_SUITE_P(LiveAndDown, RewrittenSource,
                         testing::Combine(testing::Bool(), testing::Values(Way::in_place, Way::by_rename)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param) ? "Live" : "Down") +
                                  (std::get<1>(test.param) == Way::in_place ? "InPlace" : "ByRename");
                         });

}  // namespace
}  // namespace memd
