#include "daemon/ingest/rebuild.hpp"

#include "store/raw/raw_file.hpp"
#include "store/raw/raw_order.hpp"
#include "store/write/retention.hpp"
#include "store/write/writer.hpp"

#include <atomic>
#include <system_error>

namespace memd {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kCommitBytes = 32 << 20;

// Stands where the recorded moment is.
class RecordedClock final : public Clock {
 public:
  TimeMs now() const override { return now_; }
  void set(TimeMs t) { now_ = t; }

 private:
  TimeMs now_ = 0;
};

fs::path with_suffix(const fs::path& file, const char* suffix) { return file.string() + suffix; }

Result<void> remove_store(const fs::path& file) {
  for (const char* suffix : {"", "-wal", "-shm"}) {
    std::error_code ec;
    fs::remove(with_suffix(file, suffix), ec);
    if (ec) return Error(ec, "remove " + with_suffix(file, suffix).string());
  }
  return {};
}

// The write-ahead log of the old store must not be found beside the new one: SQLite would take it for its own.
Result<void> take_the_place_of(const fs::path& database, const fs::path& fresh) {
  std::error_code ec;
  if (fs::exists(database, ec)) {
    const auto closed = sqlite::guard([&] {
      auto old = sqlite::Database::open(database, sqlite::OpenMode::read_write);
      old.exec("PRAGMA journal_mode = DELETE");
    });
    if (!closed) {  // damaged: it is kept aside
      for (const char* suffix : {"-wal", "-shm", ""}) {
        std::error_code ignored;
        fs::rename(with_suffix(database, suffix), with_suffix(with_suffix(database, ".damaged"), suffix), ignored);
      }
    }
  }
  for (const char* suffix : {"-wal", "-shm"}) {
    std::error_code ignored;
    fs::remove(with_suffix(database, suffix), ignored);
  }
  fs::rename(fresh, database, ec);
  if (ec) return Error(ec, "rename " + fresh.string());
  return {};
}

Result<void> replay(raw::RawOrder& order, Writer& writer, RecordedClock& clock, const FindAdapter& find,
                    const OnRebuildProgress& on_progress, RebuildReport& report) {
  SliceReplay slices(find);
  std::uint64_t uncommitted = 0;
  const auto visit = [&](const raw::FrameHeader& header, const raw::Part& part,
                         std::string_view content) -> Result<void> {
    clock.set(part.applied_at);
    if (header.kind == raw::FrameKind::evicted) {
      MEMD_TRY(Retention(writer).restore(header.eviction));
      MEMD_TRY_ASSIGN(const auto sources, writer.sources());
      slices.learn(sources);
      return {};
    }
    auto slice = slices.slice(header, part, content);
    if (!slice) {
      if (!slice.error().is(Errc::unsupported)) return slice.error();
      ++report.unsupported;
      return {};
    }
    MEMD_TRY_ASSIGN(const auto stats, writer.apply(*slice));
    if (stats.sources_set_back) {
      MEMD_TRY_ASSIGN(const auto sources, writer.sources());
      slices.learn(sources);
    }
    ++report.slices;
    report.bytes += content.size();
    report.events += stats.events;
    uncommitted += content.size();
    if (!part.ends_commit) return {};
    clock.set(part.committed_at);
    if (uncommitted < kCommitBytes) return writer.flush();
    uncommitted = 0;
    MEMD_TRY(writer.commit());
    if (on_progress)
      on_progress(static_cast<double>(report.bytes), static_cast<double>(order.content_bytes()), header.path);
    return {};
  };
  MEMD_TRY(order.for_each(visit));
  return writer.commit();
}

}  // namespace

Result<RebuildReport> rebuild_store(const StoreLayout& layout, const FindAdapter& find,
                                    const OnRebuildProgress& on_progress) {
  RebuildReport report;
  raw::RawOrder order(layout.raw_dir());
  MEMD_TRY(order.scan());
  report.files = raw::raw_file_names(layout.raw_dir()).size();
  if (order.slices() == 0)
    return Error(Errc::not_found, "there is no raw layer in " + layout.raw_dir().string() + " to rebuild from");

  const fs::path fresh = with_suffix(layout.database(), ".rebuild");
  MEMD_TRY(remove_store(fresh));
  RecordedClock clock;
  {
    MEMD_TRY_ASSIGN(const auto writer, Writer::open(fresh, clock));
    MEMD_TRY(replay(order, *writer, clock, find, on_progress, report));
  }
  {
    // Opened with the raw layer, an empty account of it is filled from the files.
    MEMD_TRY_ASSIGN(const auto writer, Writer::open(fresh, clock, layout.raw_dir()));
    MEMD_TRY(writer->optimize());
  }
  report.damaged_bytes = order.damaged_bytes();
  MEMD_TRY(take_the_place_of(layout.database(), fresh));
  return report;
}

}  // namespace memd
