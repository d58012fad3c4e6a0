#pragma once

#include "store/write/writer.hpp"
#include "test/support/event_script.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/store_dump.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace memd::test {

// A store that the writer fills from batches of events, as ingest does. Change file_ and call open() to start another
// store.
class WriterFixture : public testing::Test {
 protected:
  // Opens the store as a new process would.
  void open() {
    writer_.reset();
    auto writer = Writer::open(file_, clock_);
    ASSERT_TRUE(writer) << writer.error().message();
    writer_ = std::move(*writer);
  }
  void apply(EventBatch batch) {
    if (!writer_) open();
    SourceSlice slice;
    slice.source.platform = Platform::claude_code;
    slice.source.path = "/h/t.jsonl";
    slice.batch = std::move(batch);
    slice.adapter_version = "1";
    const auto applied = writer_->apply(slice);
    ASSERT_TRUE(applied) << applied.error().message();
    ASSERT_TRUE(writer_->commit());
  }
  sqlite::Database reading() const { return sqlite::Database::open(file_, sqlite::OpenMode::read_only); }
  // Checks that `script` gives the same rows and full-text index when applied at once and event by event, with the
  // writer reopened before each event.
  void expect_same_event_by_event(const EventScript& script) {
    apply(script.batch());
    auto at_once = reading();
    const auto expected = dump_store(at_once);
    file_ = dir_ / "stepwise.db";
    for (const Event& event : script.events()) {
      open();
      EventBatch one;
      one.events.push_back(event);
      apply(std::move(one));
    }
    auto stepwise = sqlite::Database::open(file_, sqlite::OpenMode::read_write);
    EXPECT_EQ(dump_store(stepwise), expected);
    EXPECT_NO_THROW(check_full_text_index(stepwise));
  }
  // Returns the first column of the rows of `sql`.
  std::vector<std::string> rows(const char* sql) const {
    auto db = reading();
    sqlite::Statement q(db.handle(), sql);
    std::vector<std::string> out;
    while (q.step())
      out.push_back(q.str(0));
    return out;
  }

  TempDir dir_;
  std::filesystem::path file_ = dir_ / "memd.db";
  FakeClock clock_;
  std::unique_ptr<Writer> writer_;
};

}  // namespace memd::test
