#include "store/write/identity_index.hpp"

#include "schemas/base/hash.hpp"
#include "store/db/database.hpp"

#include <algorithm>
#include <limits>

namespace memd::assembly {
namespace {

constexpr std::int64_t kScanPerProbe = 10;  // entries that can be scanned in the time of one probe
constexpr std::int64_t kBulk = 1'000;       // facts in a commit that count as a bulk ingest
constexpr std::int64_t kMergePerAdded = 3;  // entries; a merge must finish before the next one is due
constexpr std::int64_t kLeastMerge = 256;
constexpr std::size_t kMostUnsorted = 256;
constexpr std::int64_t kMostAtOnce = 4'096;  // entries of a run held in memory

}  // namespace

void IdentityIndex::load() {
  if (loaded_) return;
  runs_.clear();
  entries_ = 0;
  auto& q = db_.query("SELECT run, level, entries, sealed, coalesce(merges_into, 0) FROM identity_runs ORDER BY run");
  while (q.step()) {
    runs_.push_back({q.int64(0), q.int64(1), q.int64(2), q.int64(3) != 0, q.int64(4)});
    entries_ += q.int64(2);
  }
  last_hit_ = runs_.empty() ? 0 : runs_.back().run;
  loaded_ = true;
}

std::int64_t IdentityIndex::open_run(std::int64_t level) {
  const std::int64_t number = runs_.empty() ? 1 : runs_.back().run + 1;
  db_.run("INSERT INTO identity_runs (run, level) VALUES (?, ?)", number, level);
  runs_.push_back({number, level});
  return number;
}

IdentityIndex::Run& IdentityIndex::newest() {
  const auto open = [&] {
    return std::find_if(runs_.rbegin(), runs_.rend(), [](const Run& r) { return r.level == 0 && !r.sealed; });
  };
  if (const auto run = open(); run != runs_.rend()) {
    if (run->entries < shape_.run_entries) return *run;
    run->sealed = true;
    db_.run("UPDATE identity_runs SET sealed = 1, entries = ? WHERE run = ?", run->entries, run->run);
  }
  open_run(0);
  return runs_.back();
}

std::optional<IdentityIndex::Place> IdentityIndex::look_into(std::int64_t run, std::uint64_t identity) {
  auto& q = db_.query("SELECT session_pk, place FROM identities WHERE run = ? AND identity = ?", run, as_sql(identity));
  std::optional<Place> place;
  if (const auto row = q.row()) place = Place{row->int64(0), row->int64(1)};
  return place;
}

std::optional<IdentityIndex::Place> IdentityIndex::look_into_held(std::int64_t identity) {
  const auto place_of = [](const Entry& e) { return Place{e.session_pk, e.place}; };
  const auto sorted_end = [this] { return held_.begin() + static_cast<std::ptrdiff_t>(sorted_); };
  if (held_.size() - sorted_ > kMostUnsorted) {
    std::sort(sorted_end(), held_.end(), in_order);
    std::inplace_merge(held_.begin(), sorted_end(), held_.end(), in_order);
    sorted_ = held_.size();
  }
  const auto it = std::lower_bound(held_.begin(), sorted_end(), Entry{identity}, in_order);
  if (it != sorted_end() && it->identity == identity) return place_of(*it);
  const auto last =
      std::find_if(sorted_end(), held_.end(), [identity](const Entry& e) { return e.identity == identity; });
  return last == held_.end() ? std::nullopt : std::optional(place_of(*last));
}

void IdentityIndex::make_filter() {
  filter_capacity_ = std::max(shape_.run_entries, entries_ * 2);
  filter_.emplace(static_cast<std::uint64_t>(filter_capacity_), shape_.filter_bytes);
  probes_ = 0;
  if (entries_ == 0) return;
  auto& q = db_.query("SELECT identity FROM identities");
  while (q.step())
    filter_->add(from_sql(q.int64(0)));
  for (const Entry& e : held_)
    filter_->add(from_sql(e.identity));
}

bool IdentityIndex::is_certainly_new(std::uint64_t identity) {
  if (!filter_) {
    probes_ += static_cast<std::int64_t>(runs_.size());
    if (probes_ * kScanPerProbe < entries_) return false;
    make_filter();
  }
  return !filter_->may_contain(identity);
}

std::optional<IdentityIndex::Place> IdentityIndex::find(std::uint64_t identity) {
  load();
  if (is_certainly_new(identity)) return std::nullopt;
  if (const auto place = look_into_held(as_sql(identity))) return place;
  // Copies are read in the order of the original, so the next one is probably in the run of the last hit.
  if (auto place = look_into(last_hit_, identity)) return place;
  for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
    if (run->run == last_hit_) continue;
    if (auto place = look_into(run->run, identity)) {
      last_hit_ = run->run;
      return place;
    }
  }
  return std::nullopt;
}

void IdentityIndex::add(std::uint64_t identity, std::int64_t session_pk, std::int64_t place) {
  load();
  held_.push_back({as_sql(identity), session_pk, place});
  ++entries_;
  ++added_;
  if (!filter_) return;
  if (entries_ > filter_capacity_ && filter_->bytes() < shape_.filter_bytes / 2)
    make_filter();
  else
    filter_->add(identity);
}

void IdentityIndex::write() {
  if (held_.empty()) return;
  std::sort(held_.begin(), held_.end(), in_order);
  for (auto next = held_.begin(); next != held_.end();) {
    Run& run = newest();
    const auto room = std::min<std::int64_t>(shape_.run_entries - run.entries, held_.end() - next);
    insert(run.run, std::span(next, static_cast<std::size_t>(room)));
    run.entries += room;
    next += room;
  }
  held_.clear();
  sorted_ = 0;
}

void IdentityIndex::insert(std::int64_t run, std::span<const Entry> entries) {
  sqlite::RowInserter rows(db_, "identities (run, identity, session_pk, place)", entries.size());
  for (const Entry& e : entries)
    rows.add(run, e.identity, e.session_pk, e.place);
}

void IdentityIndex::flush() {
  if (!loaded_ || added_ == 0) return;
  write();
  const Run& run = newest();
  db_.run("UPDATE identity_runs SET entries = ? WHERE run = ?", run.entries, run.run);
  plan_merge();
  merge(std::max(kLeastMerge, added_ * kMergePerAdded));
  if (added_ < kBulk) probes_ = 0;
  added_ = 0;
}

// Plans one merge at a time, at the lowest level with enough runs.
void IdentityIndex::plan_merge() {
  if (std::any_of(runs_.begin(), runs_.end(), [](const Run& r) { return r.merges_into != 0; })) return;
  std::int64_t levels = 0;
  for (const Run& r : runs_)
    levels = std::max(levels, r.level + 1);
  for (std::int64_t level = 0; level < levels; ++level) {
    const auto ready = [&](const Run& r) { return r.level == level && r.sealed; };
    if (std::count_if(runs_.begin(), runs_.end(), ready) < static_cast<std::ptrdiff_t>(shape_.fan_in)) continue;
    const std::int64_t into = open_run(level + 1);
    for (Run& r : runs_)
      if (ready(r)) r.merges_into = into;
    db_.run("UPDATE identity_runs SET merges_into = ? WHERE level = ? AND sealed = 1", into, level);
    return;
  }
}

void IdentityIndex::merge(std::int64_t budget) {
  std::vector<std::int64_t> sources;
  std::int64_t into = 0;
  for (const Run& r : runs_)
    if (r.merges_into != 0) {
      into = r.merges_into;
      sources.push_back(r.run);
    }
  if (sources.empty()) return;
  std::int64_t moved = 0;
  while (moved < budget && !sources.empty())
    moved += merge_step(into, sources, budget - moved);

  const bool done = sources.empty();
  if (done) {
    std::erase_if(runs_, [&](const Run& r) { return r.merges_into == into; });
    db_.run("DELETE FROM identity_runs WHERE merges_into = ?", into);
  }
  const auto target = std::find_if(runs_.begin(), runs_.end(), [&](const Run& r) { return r.run == into; });
  target->entries += moved;
  target->sealed = done;
  db_.run("UPDATE identity_runs SET entries = ?, sealed = ? WHERE run = ?", target->entries, target->sealed, into);
}

// Moves the smallest entries of all sources, and drops empty sources from the list.
std::int64_t IdentityIndex::merge_step(std::int64_t into, std::vector<std::int64_t>& sources, std::int64_t budget) {
  const std::int64_t share =
      std::clamp<std::int64_t>(budget / static_cast<std::int64_t>(sources.size()), 32, kMostAtOnce);
  std::int64_t bound = std::numeric_limits<std::int64_t>::max();  // all entries up to here have been read
  std::vector<Entry> smallest;
  auto& q = db_.prepare("SELECT identity, session_pk, place FROM identities WHERE run = ? ORDER BY identity LIMIT ?");
  std::erase_if(sources, [&](std::int64_t run) {
    std::int64_t read = 0;
    for (q.bind(run, share); q.step(); ++read)
      smallest.push_back({q.int64(0), q.int64(1), q.int64(2)});
    if (read == share) bound = std::min(bound, smallest.back().identity);
    return read == 0;
  });

  std::erase_if(smallest, [&](const Entry& e) { return e.identity > bound; });
  std::sort(smallest.begin(), smallest.end(), in_order);
  auto& remove = db_.prepare("DELETE FROM identities WHERE run = ? AND identity <= ?");
  for (const std::int64_t run : sources)
    remove.bind(run, bound).run();
  insert(into, smallest);
  return static_cast<std::int64_t>(smallest.size());
}

void IdentityIndex::forget() {
  loaded_ = false;  // the filter may contain more than the index, never less
  held_.clear();
  sorted_ = 0;
  added_ = 0;
}

void IdentityIndex::release() {
  filter_.reset();
  probes_ = 0;
}

}  // namespace memd::assembly
