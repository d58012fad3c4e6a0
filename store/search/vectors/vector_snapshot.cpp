#include "store/search/vectors/vector_snapshot.hpp"

#include "store/search/vectors/kernels.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace memd::vectors {
namespace {

constexpr std::size_t kMaxRecent = 4096;

}  // namespace

const ExchangeTable::Entry* ExchangeTable::find(const Entries& entries, ExchangeId exchange) {
  const auto at = std::lower_bound(entries.begin(), entries.end(), exchange,
                                   [](const Entry& e, ExchangeId id) { return e.exchange < id; });
  return at != entries.end() && at->exchange == exchange ? &*at : nullptr;
}

std::optional<RowRange> ExchangeTable::find(ExchangeId exchange) const {
  const Entry* found = find(*recent_, exchange);
  if (!found) found = find(*base_, exchange);
  if (!found || found->count == kGone) return std::nullopt;
  return RowRange{found->first, found->count};
}

void ExchangeTable::apply(std::vector<Change> changes) {
  if (changes.empty()) return;
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.exchange < b.exchange; });
  Entries entries;
  entries.reserve(changes.size());
  for (const Change& c : changes) {
    if (find(c.exchange)) --size_;
    if (c.rows) ++size_;
    entries.push_back(c.rows ? Entry{c.exchange, c.rows->first, c.rows->count} : Entry{c.exchange, 0, kGone});
  }
  recent_ = merged(*recent_, entries, true);
  if (recent_->size() <= kMaxRecent) return;
  base_ = merged(*base_, *recent_, false);
  recent_ = std::make_shared<Entries>();
}

std::shared_ptr<const ExchangeTable::Entries> ExchangeTable::merged(const Entries& old, const Entries& recent,
                                                                    bool keep_gone) {
  auto out = std::make_shared<Entries>();
  out->reserve(old.size() + recent.size());
  auto a = old.begin();
  for (const Entry& b : recent) {
    for (; a != old.end() && a->exchange < b.exchange; ++a)
      out->push_back(*a);
    if (a != old.end() && a->exchange == b.exchange) ++a;
    if (keep_gone || b.count != kGone) out->push_back(b);
  }
  out->insert(out->end(), a, old.end());
  return out;
}

PageBuffer::PageBuffer(std::size_t size)
    : memory_(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)), size_(size) {
  if (memory_ == MAP_FAILED) throw std::bad_alloc();
}

PageBuffer::~PageBuffer() { munmap(memory_, size_); }

namespace {

constexpr std::int64_t kMinDead = 1024;              // dead rows from which the index is compacted …
constexpr std::int64_t kDeadShare = 5;               // … if at least one row in this many is dead
constexpr std::size_t kSegmentsCompactedAtOnce = 8;  // keeps a refresh short and its memory small
constexpr std::uint32_t kSampledRows = 128;          // rows sampled from a segment that becomes cold

void add_sketches(Segment& segment, std::size_t words) {
  segment.signs = std::make_shared<PageBuffer>(kSegmentRows * words * sizeof(std::uint64_t));
  segment.shapes = std::make_shared<PageBuffer>(2 * kSegmentRows * sizeof(float));
}

// Returns the mean of the unit vectors, from the first rows of each segment.
std::vector<float> centre_of(const Snapshot& s) {
  constexpr std::uint32_t kRows = 1024;
  std::vector<double> sum(s.dimension);
  double count = 0;
  for (const Segment& segment : s.segments)
    for (std::uint32_t row = 0; row < std::min(kRows, segment.rows); ++row) {
      const float inverse = segment.inverse->as<float>()[row];
      if (inverse == 0) continue;
      const std::int8_t* const codes = segment.codes->as<std::int8_t>() + row * s.stride;
      for (std::size_t d = 0; d < s.dimension; ++d)
        sum[d] += static_cast<float>(codes[d]) * inverse;
      ++count;
    }
  std::vector<float> out(s.dimension);
  if (count > 0)
    std::transform(sum.begin(), sum.end(), out.begin(), [&](double v) { return static_cast<float>(v / count); });
  return out;
}

}  // namespace

void SnapshotBuilder::start(std::int64_t model, std::size_t dimension) {
  next_ = {};
  next_.model = model;
  next_.dimension = dimension;
  next_.stride = row_stride(dimension);
  next_.words = next_.stride / 64;
  copied_.clear();
  changes_.clear();
}

void SnapshotBuilder::put(ExchangeId exchange, std::span<const std::int8_t> codes) {
  if (const auto old = next_.table.find(exchange)) kill(*old);
  if (codes.size() % next_.dimension != 0) codes = {};
  changes_.push_back({exchange, append(exchange, codes.first(std::min(codes.size(), kSegmentRows * next_.dimension)))});
}

void SnapshotBuilder::drop(ExchangeId exchange) {
  if (const auto old = next_.table.find(exchange)) kill(*old);
  changes_.push_back({exchange, std::nullopt});
}

Snapshot SnapshotBuilder::finish() {
  apply();
  compact();
  constexpr std::int64_t kGrowth = 4;  // factor of growth after which the centre is computed again
  if (next_.live > tuning_.sketched_above && (!next_.centre || next_.live > kGrowth * next_.centred_rows)) sketch_all();
  cool();
  return std::move(next_);
}

void SnapshotBuilder::apply() {
  next_.table.apply(std::move(changes_));
  changes_.clear();
}

void SnapshotBuilder::kill(RowRange rows) {
  if (rows.count == 0) return;
  const std::size_t number = rows.first / kSegmentRows;
  Segment& segment = next_.segments[number];
  if (!copied_[number]) {
    auto copy = std::make_shared<PageBuffer>(kSegmentRows * sizeof(float));
    std::memcpy(copy->as<float>(), segment.inverse->as<float>(), segment.rows * sizeof(float));
    segment.inverse = std::move(copy);
    copied_[number] = true;
  }
  segment.dead += rows.count;
  next_.dead += rows.count;
  float* const inverse = segment.inverse->as<float>() + rows.first % kSegmentRows;
  for (std::uint32_t i = 0; i < rows.count; ++i) {
    if (inverse[i] == 0) continue;
    inverse[i] = 0;
    --segment.live;
    --next_.live;
  }
}

void SnapshotBuilder::open_segment() {
  next_.open = SIZE_MAX;
  cool();  // also while a large store is loaded
  Segment fresh;
  fresh.codes = std::make_shared<PageBuffer>(kSegmentRows * next_.stride);
  if (next_.centre) add_sketches(fresh, next_.words);
  fresh.exchanges = std::make_shared<PageBuffer>(kSegmentRows * sizeof(ExchangeId));
  fresh.inverse = std::make_shared<PageBuffer>(kSegmentRows * sizeof(float));
  const auto free =
      std::find_if(next_.segments.begin(), next_.segments.end(), [](const Segment& s) { return s.is_free(); });
  next_.open = static_cast<std::size_t>(free - next_.segments.begin());
  if (free == next_.segments.end()) {
    next_.segments.emplace_back();
    copied_.push_back(false);
  }
  next_.segments[next_.open] = std::move(fresh);
  copied_[next_.open] = true;
}

RowRange SnapshotBuilder::append(ExchangeId exchange, std::span<const std::int8_t> codes) {
  const auto count = static_cast<std::uint32_t>(codes.size() / next_.dimension);
  if (count == 0) return {};
  if (next_.open == SIZE_MAX || next_.segments[next_.open].rows + count > kSegmentRows) open_segment();
  Segment& segment = next_.segments[next_.open];
  const RowRange out{static_cast<std::uint32_t>(next_.open) * kSegmentRows + segment.rows, count};
  for (std::uint32_t i = 0; i < count; ++i)
    append_row(segment, exchange, codes.data() + i * next_.dimension);
  segment.lowest = std::min(segment.lowest, exchange);
  segment.highest = std::max(segment.highest, exchange);
  return out;
}

void SnapshotBuilder::append_row(Segment& segment, ExchangeId exchange, const std::int8_t* codes) {
  const std::size_t row = segment.rows++;
  std::int8_t* const to = segment.codes->as<std::int8_t>() + row * next_.stride;
  std::memcpy(to, codes, next_.dimension);
  std::memset(to + next_.dimension, 0, next_.stride - next_.dimension);
  segment.exchanges->as<ExchangeId>()[row] = exchange;
  const float inverse = inverse_length({to, next_.dimension});
  segment.inverse->as<float>()[row] = inverse;
  if (next_.centre) sketch_row(segment, row);
  ++next_.rows;
  if (inverse == 0) return;
  ++segment.live;
  ++next_.live;
}

void SnapshotBuilder::sketch_row(Segment& segment, std::size_t row) const {
  const SketchShape shape =
      sketch({segment.codes->as<std::int8_t>() + row * next_.stride, next_.dimension},
             segment.inverse->as<float>()[row], *next_.centre, segment.signs->as<std::uint64_t>() + row * next_.words);
  segment.spread()[row] = shape.spread;
  segment.offset()[row] = shape.offset;
}

void SnapshotBuilder::sketch_all() {
  if (next_.sample) return;  // cold rows keep their sketches, so the centre must not change
  next_.centre = std::make_shared<const std::vector<float>>(centre_of(next_));
  next_.centred_rows = next_.live;
  for (Segment& segment : next_.segments) {
    if (!segment.codes) continue;
    add_sketches(segment, next_.words);
    for (std::uint32_t row = 0; row < segment.rows; ++row)
      sketch_row(segment, row);
  }
}

// Above the threshold, drops the codes of all segments except the open one, after sampling their rows.
void SnapshotBuilder::cool() {
  if (next_.live <= tuning_.cold_above) return;
  sketch_all();
  std::shared_ptr<RowSample> sample;
  for (std::size_t i = 0; i < next_.segments.size(); ++i) {
    Segment& segment = next_.segments[i];
    if (!segment.codes || i == next_.open) continue;
    if (!sample) sample = next_.sample ? std::make_shared<RowSample>(*next_.sample) : std::make_shared<RowSample>();
    sample_rows(segment, *sample);
    segment.codes.reset();
  }
  if (sample) next_.sample = std::move(sample);
}

void SnapshotBuilder::sample_rows(const Segment& segment, RowSample& into) const {
  const std::uint32_t step = std::max<std::uint32_t>(1, segment.rows / kSampledRows);
  for (std::uint32_t row = 0; row < segment.rows; row += step) {
    const float inverse = segment.inverse->as<float>()[row];
    if (inverse == 0) continue;
    const std::int8_t* const codes = segment.codes->as<std::int8_t>() + row * next_.stride;
    into.codes.insert(into.codes.end(), codes, codes + next_.stride);
    into.inverse.push_back(inverse);
    into.exchanges.push_back(segment.exchanges->as<ExchangeId>()[row]);
  }
}

void SnapshotBuilder::compact() {
  if (next_.dead < kMinDead || next_.dead * kDeadShare < next_.rows) return;
  std::vector<std::size_t> worst;
  for (std::size_t i = 0; i < next_.segments.size(); ++i) {
    const Segment& s = next_.segments[i];
    if (s.is_cold() && stored_ == nullptr) continue;
    if (s.dead > 0 && s.dead * kDeadShare >= s.rows) worst.push_back(i);
  }
  std::sort(worst.begin(), worst.end(),
            [&](std::size_t a, std::size_t b) { return next_.segments[a].dead > next_.segments[b].dead; });
  worst.resize(std::min(worst.size(), kSegmentsCompactedAtOnce));
  // Rows must not be moved into the segment they come from.
  if (std::find(worst.begin(), worst.end(), next_.open) != worst.end()) next_.open = SIZE_MAX;
  for (const std::size_t i : worst)
    move_live_rows(i);
  apply();
}

void SnapshotBuilder::move_live_rows(std::size_t from) {
  const Segment old = std::exchange(next_.segments[from], {});
  copied_[from] = false;
  next_.rows -= old.rows;
  next_.live -= old.live;
  next_.dead -= old.dead;
  const auto* const exchanges = old.exchanges->as<ExchangeId>();
  std::vector<std::int8_t> codes;
  for (std::uint32_t row = 0; row < old.rows;) {
    const ExchangeId exchange = exchanges[row];
    const auto at = next_.table.find(exchange);
    if (!at || at->count == 0 || at->first != from * kSegmentRows + row) {
      ++row;  // dead
      continue;
    }
    codes.clear();
    if (old.is_cold()) {
      (*stored_)(exchange, codes);
      if (codes.size() % next_.dimension != 0) codes.clear();
      codes.resize(std::min(codes.size(), kSegmentRows * next_.dimension));
      row += at->count;
    } else {
      for (std::uint32_t i = 0; i < at->count; ++i, ++row) {
        const std::int8_t* const code = old.codes->as<std::int8_t>() + row * next_.stride;
        codes.insert(codes.end(), code, code + next_.dimension);
      }
    }
    changes_.push_back({exchange, append(exchange, codes)});
  }
}

}  // namespace memd::vectors
