#pragma once

#include "daemon/ingest/snapshot_pass.hpp"
#include "schemas/base/error.hpp"
#include "store/read/session_contents.hpp"
#include "store/reader.hpp"
#include "store/write/writer.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/scripted_adapter.hpp"
#include "test/support/store_dump.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace memd::test {

// A store that is filled from a ScriptedSource, one pass at a time. Single-threaded.
class InPlaceStore {
 public:
  explicit InPlaceStore(ScriptedSource& script, SnapshotLimits limits = {})
      : limits_(limits), adapter_(script), reader_(file()) {
    restart();
  }

  std::filesystem::path file() const { return dir_ / "memd.db"; }
  const Adapter& adapter() const { return adapter_; }
  Writer& writer() { return *writer_; }
  const std::filesystem::path& directory() const { return dir_.path(); }
  void close() { writer_.reset(); }

  void restart() {
    writer_.reset();
    auto writer = Writer::open(file(), clock_, dir_ / "raw");
    if (!writer) throw std::runtime_error(writer.error().message());
    writer_ = std::move(*writer);
  }
  // Returns the stored source row, or a fresh one.
  Source source() {
    for (const auto& s : *writer_->sources())
      if (s.path == "/script.db") return s;
    Source fresh;
    fresh.platform = adapter_.describe().platform;
    fresh.path = "/script.db";
    fresh.format = SourceFormat::sqlite;
    return fresh;
  }
  // Returns the slices that one pass produces, without writing them.
  std::vector<SourceSlice> read() {
    std::vector<SourceSlice> out;
    EXPECT_TRUE(pass([&](SourceSlice& slice) { out.push_back(std::move(slice)); }));
    return out;
  }
  // Runs one pass to its end or its first error and writes its slices. With `commit_each` each slice is committed on
  // its own.
  Result<void> try_sync(bool commit_each = false) {
    const auto done = pass([&](SourceSlice& slice) {
      write(slice);
      if (commit_each) {
        EXPECT_TRUE(writer_->commit());
      }
    });
    EXPECT_TRUE(writer_->commit());
    return done;
  }
  void sync() {
    const auto done = try_sync();
    EXPECT_TRUE(done) << (done ? "" : done.error().message());
  }
  bool write(SourceSlice& slice) {
    const auto stats = writer_->apply(slice);
    EXPECT_TRUE(stats) << (stats ? "" : stats.error().message());
    return stats && stats->sources_set_back;
  }

  std::vector<std::string> dump() {
    auto db = sqlite::Database::open(file(), sqlite::OpenMode::read_write);
    check_full_text_index(db);
    return dump_store(db);
  }
  std::string text(const std::string& sql) {
    auto db = sqlite::Database::open(file(), sqlite::OpenMode::read_only);
    sqlite::Statement q(db.handle(), sql);
    return q.step() ? (q.is_null(0) ? "NULL" : q.str(0)) : "(no row)";
  }
  std::int64_t number(const std::string& sql) { return std::stoll(text(sql)); }

 private:
  template <class OnSlice>
  Result<void> pass(OnSlice on_slice) {
    Source s = source();
    SnapshotPass pass(adapter_,
                      {[&](const std::string& uid) {
                         return reader_.ask(SessionItemsQuery{s.platform, s.path, uid});
                       },
                       [&] {
                         return reader_.ask(ItemSessionsQuery{s.platform, s.path});
                       }},
                      limits_);
    for (bool more = true; more;) {
      const auto reader = adapter_.open_snapshot(s, files_);
      MEMD_TRY_ASSIGN(auto outcome, pass.next(*reader, s));
      if (outcome.slice) on_slice(*outcome.slice);
      more = outcome.more;
    }
    return {};
  }

  class NoFiles final : public FileView {
   public:
    std::optional<Entry> stat(const std::string&) const override { return std::nullopt; }
    Result<std::string> read(const std::string&, std::uint64_t, std::uint64_t) const override {
      return Error(Errc::not_found, "no files");
    }
    std::vector<Entry> list(const std::string&) const override { return {}; }
  };

  const SnapshotLimits limits_;
  TempDir dir_;
  FakeClock clock_;
  NoFiles files_;
  ScriptedAdapter adapter_;
  Reader reader_;
  std::unique_ptr<Writer> writer_;
};

}  // namespace memd::test
