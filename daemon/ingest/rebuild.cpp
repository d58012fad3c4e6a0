#include "daemon/ingest/rebuild.hpp"

#include "daemon/ingest/log_decoding.hpp"
#include "schemas/source.hpp"
#include "store/db/withheld.hpp"
#include "store/raw/raw_archive.hpp"
#include "store/raw/raw_file.hpp"
#include "store/raw/raw_frame.hpp"
#include "store/text/redaction/redactor.hpp"
#include "store/write/retention.hpp"
#include "store/write/writer.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace memd {
namespace fs = std::filesystem;
namespace {

// Makes the slices that ingest once made, from what the raw layer kept of them. Remembers how far each source is. One
// thread.
class SliceReplay {
 public:
  explicit SliceReplay(FindAdapter find) : find_(std::move(find)) {}

  // `content` has kRecordPadding readable bytes behind it. Errc::unsupported when no adapter reads the platform.
  Result<SourceSlice> slice(const raw::FrameHeader& header, const raw::Part& part, std::string_view content);

  // What the store knows by other ways.
  void learn(const std::vector<Source>& sources);

 private:
  void decode_items(const raw::Part& part, std::string_view content, const Adapter& adapter, SourceSlice& slice);

  FindAdapter find_;
  std::map<std::pair<Platform, std::string>, Source> sources_;
};

std::string_view next_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

void SliceReplay::learn(const std::vector<Source>& sources) {
  for (const auto& s : sources)
    sources_[{s.platform, s.path}] = s;
}

void SliceReplay::decode_items(const raw::Part& part, std::string_view content, const Adapter& adapter,
                               SourceSlice& slice) {
  if (!slice.items) return;
  Source of_session = slice.source;
  of_session.session_uid = slice.items->session_uid;
  const auto decoder = adapter.open(of_session);
  if (slice.items->has_head) decoder->decode({next_line(content), 0, false}, slice.batch);
  std::uint64_t number = part.items->keep;
  for (const auto& item : slice.items->added) {
    const std::string_view line = next_line(content);
    ++number;
    if (item.ledger.record_type == "(oversized)")
      slice.batch.diagnostics.push_back(
          {slice.source.platform, DiagnosticType::oversized_record, Severity::warning, {}, 0, number});
    else if (!line.empty())  // empty: it was not to be captured
      decoder->decode({line, number, false}, slice.batch);
  }
  slice.batch.coverage.clear();  // the store keeps it from the items
}

Result<SourceSlice> SliceReplay::slice(const raw::FrameHeader& h, const raw::Part& p, std::string_view content) {
  const Adapter* adapter = find_(h.platform);
  if (adapter == nullptr) return Error(Errc::unsupported, "no adapter for " + std::string(to_string(h.platform)));
  Source& source = sources_[{h.platform, h.path}];
  source.platform = h.platform;
  source.path = h.path;
  source.format = h.format;
  source.generation = h.generation;
  source.session_uid = h.session_uid;
  source.identity = p.identity;
  source.size = p.size;
  source.mtime = p.mtime;
  source.state = SourceState::active;
  source.state_reason.clear();

  SourceSlice slice;
  slice.adapter_version = adapter->describe().adapter_version;
  slice.restart = p.restart;
  if (h.kind == raw::FrameKind::items) {
    source.cursor = p.first;
    source.mark = p.mark;
    slice.source = source;
    slice.items = p.items;
    slice.rest = p.rest;
    decode_items(p, content, *adapter, slice);
  } else {
    if (p.restart) restart_source(source, p.restart_why, slice.batch);
    if (source.cursor != p.first && p.first == 0) {
      slice.restart = true;  // it was read again after the raw layer had lost a part
      restart_source(source, std::nullopt, slice.batch);
    } else if (source.cursor < p.first) {
      slice.batch.cover("(lost)", Disposition::skipped, "the raw layer has lost it", p.first - source.cursor);
      source.cursor = p.first;
      source.open_tail.clear();
    }
    const auto decoder = adapter->open(source);
    if (h.kind == raw::FrameKind::document) {
      decoder->decode({content, 0, false}, slice.batch);
      source.cursor = content.size();
    } else if (!content.empty()) {
      decode_log(content, source, *decoder, slice.batch);
    }
    if (p.passed_over > 0) pass_over_oversized(p.passed_over, p.passed_over_ends, source, slice.batch);
    slice.source = source;
  }
  mask_secrets(slice.batch);
  return slice;
}

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
  // First, because their exchanges have their keys already, and because what was evicted is not taken in again.
  std::vector<std::string> evicted;
  for (const auto& [uid, record] : order.evictions())
    if (!writer.withheld()->has_session(uid)) evicted.push_back(record);
  MEMD_TRY(Retention(writer).restore(evicted));
  MEMD_TRY_ASSIGN(const auto restored, writer.sources());
  slices.learn(restored);
  std::uint64_t uncommitted = 0;
  const auto visit = [&](const raw::FrameHeader& header, const raw::Part& part,
                         std::string_view content) -> Result<void> {
    clock.set(part.applied_at);
    if (writer.withheld()->has_session(header.session())) return {};  // forgetting it was not finished
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
                                    const OnRebuildProgress& on_progress,
                                    const std::shared_ptr<seal::LazyCipher>& cipher) {
  RebuildReport report;
  raw::RawOrder order(layout.raw_dir(), raw::FrameSeal(cipher));
  MEMD_TRY(order.scan());
  report.files = raw::raw_file_names(layout.raw_dir()).size();
  if (order.slices() == 0 && order.evictions().empty())
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
    MEMD_TRY_ASSIGN(const auto writer, Writer::open(fresh, clock, layout.raw_dir(), cipher));
    MEMD_TRY(writer->optimize());
  }
  report.damaged_bytes = order.damaged_bytes();
  report.damages = order.damages();
  MEMD_TRY(take_the_place_of(layout.database(), fresh));
  return report;
}

}  // namespace memd
