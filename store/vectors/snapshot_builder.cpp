#include "store/vectors/kernels.hpp"
#include "store/vectors/vector_snapshot.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace memd::vectors {
namespace {

constexpr std::int64_t kMinDead = 1024;              // fewer are left where they are
constexpr std::int64_t kDeadShare = 5;               // and up to one row in so many
constexpr std::size_t kSegmentsCompactedAtOnce = 8;  // so that one refresh stays short and needs little memory

// The signs of eight codes as a byte.
std::uint64_t signs(const std::int8_t* codes) {
  std::uint64_t eight;
  std::memcpy(&eight, codes, sizeof eight);
  return (eight & 0x8080808080808080U) * 0x0002040810204081U >> 56;
}

float inverse_length(const std::int8_t* codes, std::size_t dimension) {
  std::int32_t square = 0;
  for (std::size_t d = 0; d < dimension; ++d)
    square += codes[d] * codes[d];
  return square == 0 ? 0.F : 1.F / std::sqrt(static_cast<float>(square));
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
  Segment fresh;
  fresh.codes = std::make_shared<PageBuffer>(kSegmentRows * next_.stride);
  fresh.bits = std::make_shared<PageBuffer>(kSegmentRows * next_.words * sizeof(std::uint64_t));
  fresh.exchanges = std::make_shared<PageBuffer>(kSegmentRows * sizeof(ExchangeId));
  fresh.inverse = std::make_shared<PageBuffer>(kSegmentRows * sizeof(float));
  const auto free =
      std::find_if(next_.segments.begin(), next_.segments.end(), [](const Segment& s) { return !s.codes; });
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
  std::uint64_t* const bits = segment.bits->as<std::uint64_t>() + row * next_.words;
  for (std::size_t w = 0; w < next_.words; ++w) {
    bits[w] = 0;
    for (std::size_t byte = 0; byte < 8; ++byte)
      bits[w] |= signs(to + w * 64 + byte * 8) << byte * 8;
  }
  segment.exchanges->as<ExchangeId>()[row] = exchange;
  const float inverse = inverse_length(to, next_.dimension);
  segment.inverse->as<float>()[row] = inverse;
  ++next_.rows;
  if (inverse == 0) return;
  ++segment.live;
  ++next_.live;
}

void SnapshotBuilder::compact() {
  if (next_.dead < kMinDead || next_.dead * kDeadShare < next_.rows) return;
  std::vector<std::size_t> worst;
  for (std::size_t i = 0; i < next_.segments.size(); ++i) {
    const Segment& s = next_.segments[i];
    if (s.dead > 0 && s.dead * kDeadShare >= s.rows) worst.push_back(i);
  }
  std::sort(worst.begin(), worst.end(),
            [&](std::size_t a, std::size_t b) { return next_.segments[a].dead > next_.segments[b].dead; });
  worst.resize(std::min(worst.size(), kSegmentsCompactedAtOnce));
  // What is moved must not go where it is moved from.
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
      ++row;  // superseded
      continue;
    }
    codes.clear();
    for (std::uint32_t i = 0; i < at->count; ++i, ++row) {
      const std::int8_t* const code = old.codes->as<std::int8_t>() + row * next_.stride;
      codes.insert(codes.end(), code, code + next_.dimension);
    }
    changes_.push_back({exchange, append(exchange, codes)});
  }
}

}  // namespace memd::vectors
