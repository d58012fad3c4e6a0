#include "daemon/ingest/rebuild.hpp"

#include "daemon/ingest/slice_replay.hpp"
#include "schemas/base/error.hpp"
#include "schemas/source.hpp"
#include "store/db/store_copies.hpp"
#include "store/db/withheld.hpp"
#include "store/raw/raw_archive.hpp"
#include "store/raw/raw_file.hpp"
#include "store/raw/raw_frame.hpp"
#include "store/seal/cipher.hpp"
#include "store/write/old_store.hpp"
#include "store/write/retention.hpp"
#include "store/write/writer.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace memd {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kCommitBytes = 32 << 20;

// A clock that returns the time recorded with the slice.
class RecordedClock final : public Clock {
 public:
  TimeMs now() const override { return now_; }
  void set(TimeMs t) { now_ = t; }

 private:
  TimeMs now_ = 0;
};

class Rebuild {
 public:
  Rebuild(const StoreLayout& layout, const FindAdapter& find, const RebuildOptions& options)
      : layout_(layout), find_(find), options_(options) {}

  Result<RebuildReport> run();

 private:
  Result<void> open_old();
  Result<void> make(const std::set<std::string, std::less<>>& from_old);
  Result<void> replay(raw::RawOrder& order, const std::set<std::string, std::less<>>& from_old);
  Result<void> compare();
  Result<void> take_from_old();
  Result<void> finish();
  Result<std::vector<SessionLoss>> losses(OldStore::Compare what);
  Result<std::unique_ptr<Writer>> open_new(const fs::path& raw_directory = {});
  Result<void> go_on() const;

  const StoreLayout& layout_;
  const FindAdapter& find_;
  const RebuildOptions& options_;
  RecordedClock clock_;
  RebuildReport report_;
  std::optional<OldStore> old_;
  std::unique_ptr<Writer> writer_;
  std::vector<std::uint64_t> replayed_;  // numbers of slices
};

// Removes these sessions from the slice. Their rows come from the old store unchanged.
void leave_out(SourceSlice& slice, const std::set<std::string, std::less<>>& uids) {
  const auto is_out = [&uids](const auto& of) { return uids.contains(of.session_uid); };
  std::erase_if(slice.batch.events, is_out);
  std::erase_if(slice.batch.sessions, is_out);
  std::erase_if(slice.batch.silent, is_out);
}

Result<void> Rebuild::go_on() const {
  if (options_.stop.stop_requested()) return Error(Errc::cancelled, "the rebuild was ended");
  return {};
}

Result<std::unique_ptr<Writer>> Rebuild::open_new(const fs::path& raw_directory) {
  const auto cipher = raw_directory.empty() ? nullptr : options_.cipher;
  MEMD_TRY_ASSIGN(auto writer, Writer::open(layout_.rebuild(), clock_, raw_directory, cipher));
  MEMD_TRY(writer->transact([this](sqlite::Database& db) { db.watch(options_.stop); }));
  return writer;
}

Result<void> Rebuild::replay(raw::RawOrder& order, const std::set<std::string, std::less<>>& from_old) {
  SliceReplay slices(find_);
  // Evicted sessions come first: their exchanges have keys already, and evicted sessions must not be read in again.
  std::vector<std::string> evicted;
  for (const auto& [uid, record] : order.evictions())
    if (!writer_->withheld()->has_session(uid) && !from_old.contains(uid)) evicted.push_back(record);
  MEMD_TRY(Retention(*writer_).restore(evicted));
  if (!from_old.empty()) MEMD_TRY(old_->give_sessions(*writer_, {from_old.begin(), from_old.end()}));
  MEMD_TRY_ASSIGN(const auto restored, writer_->sources());
  slices.learn(restored);
  const auto tell = [&](std::string_view what) {
    if (options_.on_progress)
      options_.on_progress(static_cast<double>(report_.bytes), static_cast<double>(order.content_bytes()), what);
  };
  std::uint64_t uncommitted = 0;
  const auto visit = [&](const raw::FrameHeader& header, const raw::Part& part,
                         std::string_view content) -> Result<void> {
    MEMD_TRY(go_on());
    clock_.set(part.applied_at);
    replayed_.push_back(part.number);
    const std::string session = header.session();
    if (writer_->withheld()->has_session(session)) return {};  // its removal was interrupted
    if (header.kind == raw::FrameKind::items && from_old.contains(session)) return {};
    auto slice = slices.slice(header, part, content);
    if (!slice) {
      if (!slice.error().is(Errc::unsupported)) return slice.error();
      ++report_.unsupported;
      return {};
    }
    if (!from_old.empty()) leave_out(*slice, from_old);
    MEMD_TRY_ASSIGN(const bool follows, writer_->follows(*slice));
    if (!follows) return {};  // the data before it is damaged
    MEMD_TRY_ASSIGN(const auto stats, writer_->apply(*slice));
    if (stats.sources_set_back) {
      MEMD_TRY_ASSIGN(const auto sources, writer_->sources());
      slices.learn(sources);
    }
    ++report_.slices;
    report_.bytes += content.size();
    report_.events += stats.events;
    uncommitted += content.size();
    if (!part.ends_commit) return {};
    clock_.set(part.committed_at);
    if (uncommitted < kCommitBytes) return writer_->flush();
    uncommitted = 0;
    MEMD_TRY(writer_->commit());
    tell(header.path);
    return {};
  };
  MEMD_TRY(order.for_each(visit));
  MEMD_TRY(writer_->commit());
  tell("");
  return {};
}

// Opens the old store. One that is corrupt or too old reports no loss and does not prevent a rebuild; any other error
// does.
Result<void> Rebuild::open_old() {
  std::error_code ec;
  if (!fs::exists(layout_.database(), ec)) return {};
  auto opened = OldStore::open(layout_.database());
  if (opened)
    old_.emplace(std::move(*opened)).watch(options_.stop);
  else if (opened.error().is(Errc::store_corrupt) || opened.error().is(Errc::unsupported))
    report_.old_damage = opened.error().message();
  else
    return opened.error();
  report_.kept = layout_.before_rebuild();
  return {};
}

// Makes the new store, without an account of the raw layer yet.
Result<void> Rebuild::make(const std::set<std::string, std::less<>>& from_old) {
  writer_.reset();
  MEMD_TRY(remove_unfinished_rebuild(layout_));
  raw::RawOrder order(layout_.raw_dir(), raw::FrameSeal(options_.cipher));
  MEMD_TRY(order.scan());
  if (order.slices() == 0 && order.evictions().empty())
    return Error(Errc::not_found,
                 "there are no original records in " + layout_.raw_dir().string() + " to rebuild from");
  report_.files = raw::raw_file_names(layout_.raw_dir()).size();
  report_.slices = report_.bytes = report_.events = report_.unsupported = 0;
  replayed_.clear();
  MEMD_TRY_ASSIGN(writer_, open_new());
  if (old_) MEMD_TRY(old_->give_shares(*writer_));
  MEMD_TRY(replay(order, from_old));
  if (old_) MEMD_TRY(old_->give_projects(*writer_));
  report_.damaged_bytes = order.damaged_bytes();
  report_.damages = order.damages();
  std::sort(replayed_.begin(), replayed_.end());
  return {};
}

Result<std::vector<SessionLoss>> Rebuild::losses(OldStore::Compare what) {
  Result<std::vector<SessionLoss>> found = std::vector<SessionLoss>();
  MEMD_TRY(
      writer_->transact([&](sqlite::Database& fresh) { found = old_->losses(fresh, *writer_->withheld(), what); }));
  if (found || !found.error().is(Errc::store_corrupt)) return found;
  report_.old_damage = found.error().message();
  old_.reset();
  return std::vector<SessionLoss>();
}

// Compares the stores. Makes the new one again with data of the old one where the raw layer is incomplete. Data missing
// although the raw layer is complete is a loss: an adapter now reads its records differently.
Result<void> Rebuild::compare() {
  if (!old_) return {};
  Result<bool> had_more = false;
  MEMD_TRY(writer_->transact([&](sqlite::Database& fresh) { had_more = old_->had_more_records(fresh, replayed_); }));
  const bool raw_layer_is_whole = report_.damaged_bytes == 0 && report_.unsupported == 0 && had_more && !*had_more;
  if (!raw_layer_is_whole) MEMD_TRY(take_from_old());
  if (old_) {
    MEMD_TRY_ASSIGN(report_.lost, losses(OldStore::Compare::contents));
  }
  // A complete raw layer covers what the old store could not show.
  if (raw_layer_is_whole) std::erase_if(report_.lost, [](const SessionLoss& loss) { return loss.is_unreadable; });
  return {};
}

// Repeats until nothing is missing: a left-out session may have held data about another one, which is left out with its
// slices.
Result<void> Rebuild::take_from_old() {
  std::set<std::string, std::less<>> from_old;
  for (bool more = true; more;) {
    MEMD_TRY_ASSIGN(const auto missing, losses(OldStore::Compare::facts_too));
    if (!old_) return {};
    more = false;
    for (const auto& loss : missing) {
      if (loss.is_unreadable || !from_old.insert(loss.uid).second) continue;
      more = true;
      report_.from_old.push_back(loss);
    }
    if (more) MEMD_TRY(make(from_old));
  }
  // A missing slice may have made exchanges that a later slice took back. No data is lost then, but keys shift.
  auto given = old_->restore_exchange_keys(*writer_);
  if (given) given = old_->give_ledgers(*writer_);
  if (given || !given.error().is(Errc::store_corrupt)) return given;
  report_.old_damage = given.error().message();
  return {};
}

Result<void> Rebuild::finish() {
  old_.reset();
  writer_.reset();
  {
    // Opening with the raw layer fills the empty account of it from the files.
    MEMD_TRY_ASSIGN(const auto writer, open_new(layout_.raw_dir()));
    MEMD_TRY(writer->optimize());
  }
  if (options_.before_replacing) options_.before_replacing();
  MEMD_TRY(go_on());
  MEMD_TRY(replace_store(layout_));
  report_.replaced = true;
  return {};
}

Result<RebuildReport> Rebuild::run() {
  MEMD_TRY(open_old());
  MEMD_TRY(make({}));
  MEMD_TRY(compare());
  MEMD_TRY(go_on());  // an unfinished comparison shows no loss
  const bool loses_unknown = !report_.old_damage.empty() && report_.damaged_bytes > 0;
  if (options_.on_loss == OnLoss::accept || (report_.lost.empty() && !loses_unknown)) {
    MEMD_TRY(finish());
  } else {
    report_.kept.clear();
    writer_.reset();
    MEMD_TRY(remove_unfinished_rebuild(layout_));
  }
  return std::move(report_);
}

}  // namespace

Result<RebuildReport> rebuild_store(const StoreLayout& layout, const FindAdapter& find, const RebuildOptions& options) {
  auto report = Rebuild(layout, find, options).run();
  if (report || !report.error().is(Errc::cancelled)) return report;
  MEMD_TRY(remove_unfinished_rebuild(layout));
  return Error(Errc::cancelled, "the rebuild was ended");
}

}  // namespace memd
