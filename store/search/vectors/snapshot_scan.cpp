#include "store/search/vectors/snapshot_scan.hpp"

#include "store/search/vectors/codes.hpp"
#include "store/search/vectors/kernels.hpp"
#include "store/search/vectors/scan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace memd::vectors {
namespace {

// Running mean and standard deviation of cosines.
class Moments {
 public:
  void add(float cosine) {
    sum_ += cosine;
    squares_ += double{cosine} * cosine;
    ++count_;
  }

  std::int64_t count() const { return count_; }
  // Both require at least one value.
  double mean() const { return sum_ / static_cast<double>(count_); }
  double deviation() const {
    return std::sqrt(std::max(0.0, squares_ / static_cast<double>(count_) - mean() * mean()));
  }

 private:
  double sum_ = 0;
  double squares_ = 0;
  std::int64_t count_ = 0;
};

// Keeps the best chunk of each of the `count` nearest exchanges out of any number of chunks. Of equal cosines, prefers
// the newer exchange and the earlier chunk, so that the result does not depend on the order of the rows.
class NearestExchanges {
 public:
  explicit NearestExchanges(std::size_t count) : count_(count) {
    if (count == 0) threshold_ = 2;
  }

  // A chunk with a lower cosine cannot be among the nearest.
  float threshold() const { return threshold_; }
  void add(ExchangeId exchange, std::uint32_t row, float cosine);

  struct Found {
    ExchangeId exchange = 0;
    std::uint32_t row = 0;
    float cosine = 0;
  };
  std::vector<Found> take();  // best first

 private:
  void compact();

  std::size_t count_;
  float threshold_ = -2;
  std::vector<Found> found_;
};

using Found = NearestExchanges::Found;

bool nearer(const Found& a, const Found& b) {
  if (a.cosine != b.cosine) return a.cosine > b.cosine;
  return a.exchange > b.exchange;
}

bool by_exchange(const Found& a, const Found& b) {
  if (a.exchange != b.exchange) return a.exchange < b.exchange;
  if (a.cosine != b.cosine) return a.cosine > b.cosine;
  return a.row < b.row;
}

void NearestExchanges::add(ExchangeId exchange, std::uint32_t row, float cosine) {
  found_.push_back({exchange, row, cosine});
  if (found_.size() >= 4 * count_ + 64) compact();
}

void NearestExchanges::compact() {
  std::sort(found_.begin(), found_.end(), by_exchange);
  const auto same = [](const Found& a, const Found& b) { return a.exchange == b.exchange; };
  found_.erase(std::unique(found_.begin(), found_.end(), same), found_.end());
  if (found_.size() < count_) return;
  const auto last = found_.begin() + static_cast<std::ptrdiff_t>(count_) - 1;
  std::nth_element(found_.begin(), last, found_.end(), nearer);
  threshold_ = last->cosine;
  found_.resize(count_);
}

std::vector<Found> NearestExchanges::take() {
  if (count_ == 0) return {};
  compact();
  std::sort(found_.begin(), found_.end(), nearer);
  return std::move(found_);
}

constexpr std::uint32_t kBlockRows = 1024;
constexpr std::uint32_t kRun = 16;        // estimates compared with the threshold at once, because few exceed it
constexpr std::size_t kAhead = 8;         // candidates by which prefetching is ahead
constexpr std::uint32_t kSampleRun = 16;  // adjacent rows sampled together; the cost is mainly random access

struct Candidate {
  std::uint32_t row = 0;
  float estimate = 0;
};

// Returns the largest estimate of a run. Four at a time, which compilers do not do by themselves at -O2.
float largest(const float* run) {
  using Four = float __attribute__((vector_size(16)));
  Four most;
  std::memcpy(&most, run, sizeof most);
  for (std::size_t i = 4; i < kRun; i += 4) {
    Four next;
    std::memcpy(&next, run + i, sizeof next);
    most = most > next ? most : next;
  }
  return std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
}

class Scan {
 public:
  Scan(const Snapshot& snapshot, const ScanRequest& request, const ScanTuning& tuning)
      : s_(snapshot),
        request_(request),
        tuning_(tuning),
        nearest_(request.count),
        query_(snapshot.stride),
        codes_(query_.data()) {
    std::vector<std::int8_t> codes;
    append_quantised(request.query, codes);
    std::copy(codes.begin(), codes.end(), query_.data());
    inverse_ = inverse_length(codes);
    for (const Segment& segment : s_.segments) {
      if (!touched(segment)) continue;
      rows_in_range_ += segment.rows;
      cold_ = cold_ || segment.is_cold();
    }
    fetched_.emplace(request.stored, codes_, inverse_, s_.dimension, s_.stride, *tuning.kernels);
    if (cold_ || (s_.centre && rows_in_range_ > tuning_.exact_rows)) {
      sketch_.emplace(request.query, *s_.centre, s_.words);
      wanted_ = std::max({tuning_.min_kept, request.count * tuning_.kept_per_result,
                          static_cast<std::size_t>(rows_in_range_ / tuning_.rows_per_kept)});
    }
  }

  // Scans segment n. Call it for all segments in order, then result().
  void look_at(std::size_t n) {
    const Segment& s = s_.segments[n];
    if (request_.count == 0 || !touched(s)) return;
    const auto first = static_cast<std::uint32_t>(n * kSegmentRows);
    if (sketch_)
      sketched(s, first);
    else
      exact(s, first);
  }

  ScanResult result() {
    if (sketch_ && request_.count > 0)
      score_candidates();
    else
      scanned_ = moments_.count();
    ScanResult out;
    for (const auto& found : nearest_.take()) {
      const auto rows = s_.table.find(found.exchange);
      out.nearest.push_back({found.exchange, static_cast<int>(found.row - rows->first), found.cosine});
    }
    for (const ExchangeId id : request_.also) {
      const auto [cosine, chunk] = best_cosine(id);
      out.also.push_back(cosine);
      out.also_chunks.push_back(chunk);
    }
    out.scanned = scanned_;
    if (moments_.count() == 0) return out;
    out.mean = moments_.mean();
    out.deviation = moments_.deviation();
    return out;
  }

 private:
  bool touched(const Segment& s) const {
    return s.rows > 0 && s.highest >= request_.first && s.lowest <= request_.last;
  }
  bool in_range(ExchangeId id) const { return id >= request_.first && id <= request_.last; }
  bool whole(const Segment& s) const { return in_range(s.lowest) && in_range(s.highest); }

  // Caches the last result, because the chunks of an exchange are adjacent.
  bool passes(ExchangeId id) {
    if (!in_range(id)) return false;
    if (!request_.passes) return true;
    if (id != asked_) {
      asked_ = id;
      passed_ = (*request_.passes)(id);
    }
    return passed_;
  }

  // Computes the cosines of `count` rows from `row` on; 0 for dead rows.
  void cosines(const Segment& s, std::uint32_t row, std::uint32_t count, float* out) const {
    std::array<std::int32_t, kBlockRows> dots;
    tuning_.kernels->dots(codes_, 1, s.codes->as<std::int8_t>() + row * s_.stride, count, s_.stride, dots.data());
    const float* const inverse = s.inverse->as<float>() + row;
    for (std::uint32_t i = 0; i < count; ++i)
      out[i] = static_cast<float>(dots[i]) * (inverse[i] * inverse_);
  }

  void exact(const Segment& s, std::uint32_t first) {
    const bool all_in_range = whole(s);
    const ExchangeId* const ids = s.exchanges->as<ExchangeId>();
    const float* const inverse = s.inverse->as<float>();
    std::array<float, kBlockRows> cosine;
    for (std::uint32_t block = 0; block < s.rows; block += kBlockRows) {
      const std::uint32_t count = std::min(kBlockRows, s.rows - block);
      cosines(s, block, count, cosine.data());
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t row = block + i;
        if (inverse[row] == 0 || (!all_in_range && !in_range(ids[row]))) continue;
        moments_.add(cosine[i]);
        if (cosine[i] >= nearest_.threshold() && passes(ids[row])) nearest_.add(ids[row], first + row, cosine[i]);
      }
    }
  }

  // Adds the rows with the highest estimates to the candidates.
  void sketched(const Segment& s, std::uint32_t first) {
    // Testing a row costs two random memory accesses, and mostly all rows pass.
    const bool all_live = s.live == s.rows;
    const bool all_pass = whole(s) && !request_.passes;
    for (std::uint32_t block = 0; block < s.rows; block += kBlockRows) {
      const std::uint32_t count = std::min(kBlockRows, s.rows - block);
      std::array<float, kBlockRows> estimate;
      estimates(*sketch_, s, block, count, estimate.data());
      std::fill(estimate.begin() + count, estimate.end(), -std::numeric_limits<float>::infinity());
      for (std::uint32_t run = 0; run < count; run += kRun) {
        if (largest(estimate.data() + run) <= threshold_) continue;
        for (std::uint32_t i = run; i < std::min(run + kRun, count); ++i) {
          if (estimate[i] <= threshold_) continue;
          const std::uint32_t row = block + i;
          if (!all_live && s.inverse->as<float>()[row] == 0) continue;
          if (!all_pass && !passes(s.exchanges->as<ExchangeId>()[row])) continue;
          candidates_.push_back({first + row, estimate[i]});
          if (candidates_.size() >= 4 * wanted_) keep_best();
        }
      }
    }
    scanned_ += s.live;
    if (!s.is_cold()) sample(s);
  }

  void keep_best() {
    if (candidates_.size() <= wanted_) return;
    const auto last = candidates_.begin() + static_cast<std::ptrdiff_t>(wanted_);
    std::nth_element(candidates_.begin(), last, candidates_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.estimate > b.estimate; });
    threshold_ = last->estimate;
    candidates_.erase(last, candidates_.end());
  }

  void score_candidates() {
    if (cold_) sample_cold();
    keep_best();
    std::sort(candidates_.begin(), candidates_.end(),
              [](const Candidate& a, const Candidate& b) { return a.row < b.row; });
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (i + kAhead < candidates_.size()) prefetch(candidates_[i + kAhead].row);
      score(candidates_[i].row);
    }
  }

  // The scored rows are scattered over memory. Without prefetching, scoring would mostly wait for them.
  void prefetch(std::uint32_t row) const {
    const Segment& s = s_.segments[row / kSegmentRows];
    if (!s.is_cold()) prefetch(s, row % kSegmentRows, row % kSegmentRows + 1);
  }
  void prefetch(const Segment& s, std::uint32_t first, std::uint32_t end) const {
    const auto* const codes = s.codes->as<std::int8_t>();
    for (std::size_t at = first * s_.stride; at < end * s_.stride; at += kRowAlignment)
      __builtin_prefetch(codes + at);
  }

  void estimates(const QuerySketch& query, const Segment& s, std::uint32_t row, std::uint32_t count, float* out) const {
    // Two further streams, of a page each a block: the processor's own prefetching stops at the end of a page.
    for (std::uint32_t at = row + kBlockRows; at < std::min(row + 2 * kBlockRows, s.rows); at += 64 / sizeof(float)) {
      __builtin_prefetch(s.spread() + at);
      __builtin_prefetch(s.offset() + at);
    }
    std::array<std::uint16_t, kBlockRows> differing;
    tuning_.kernels->differences(query.signs(), query.low(), query.high(),
                                 s.signs->as<std::uint64_t>() + row * s_.words, count, s_.words, differing.data());
    query.estimate(differing.data(), s.spread() + row, s.offset() + row, {out, count});
  }

  void score(std::uint32_t row) {
    const Segment& s = s_.segments[row / kSegmentRows];
    const float cosine = cosine_of(s, row);
    if (cosine >= nearest_.threshold()) nearest_.add(s.exchanges->as<ExchangeId>()[row % kSegmentRows], row, cosine);
  }

  // Returns NaN when the row is cold and the store no longer has its chunk.
  float cosine_of(const Segment& s, std::uint32_t row) {
    if (s.is_cold()) {
      const ExchangeId exchange = s.exchanges->as<ExchangeId>()[row % kSegmentRows];
      const auto rows = s_.table.find(exchange);
      return rows ? fetched_->cosine(exchange, row - rows->first) : std::numeric_limits<float>::quiet_NaN();
    }
    float out = 0;
    cosines(s, row % kSegmentRows, 1, &out);
    return out;
  }

  // Adds the sampled cold rows in the range to the moments, or all sampled rows when too few are in the range.
  void sample_cold() {
    constexpr std::int64_t kTelling = 64;
    const RowSample& rows = *s_.sample;
    const auto inside =
        std::count_if(rows.exchanges.begin(), rows.exchanges.end(), [this](ExchangeId id) { return in_range(id); });
    AlignedRow row(s_.stride);
    for (std::size_t i = 0; i < rows.exchanges.size(); ++i) {
      if (inside >= kTelling && !in_range(rows.exchanges[i])) continue;
      std::copy_n(rows.codes.data() + i * s_.stride, s_.stride, row.data());
      std::int32_t dot = 0;
      tuning_.kernels->dots(codes_, 1, row.data(), 1, s_.stride, &dot);
      moments_.add(static_cast<float>(dot) * (rows.inverse[i] * inverse_));
    }
  }

  void sample(const Segment& s) {
    const auto step = static_cast<std::uint32_t>(
        std::max<std::int64_t>(kSampleRun, rows_in_range_ * kSampleRun / tuning_.sampled_rows));
    std::array<float, kSampleRun> cosine;
    for (std::uint32_t row = 0; row < s.rows; row += step) {
      const std::uint32_t count = std::min(kSampleRun, s.rows - row);
      prefetch(s, row + step, std::min(row + step + kSampleRun, s.rows));
      cosines(s, row, count, cosine.data());
      for (std::uint32_t i = 0; i < count; ++i)
        if (s.inverse->as<float>()[row + i] > 0 && in_range(s.exchanges->as<ExchangeId>()[row + i]))
          moments_.add(cosine[i]);
    }
  }

  // Returns the cosine and the number of the exchange's nearest chunk; NaN when the exchange has no vector.
  std::pair<float, int> best_cosine(ExchangeId exchange) {
    std::pair<float, int> best{std::numeric_limits<float>::quiet_NaN(), 0};
    const auto rows = s_.table.find(exchange);
    if (!rows || rows->count == 0) return best;
    const Segment& s = s_.segments[rows->first / kSegmentRows];
    const std::uint32_t first = rows->first % kSegmentRows;
    for (std::uint32_t i = 0; i < rows->count; ++i) {
      if (s.inverse->as<float>()[first + i] == 0) continue;
      const float cosine = cosine_of(s, rows->first + i);
      if (!std::isnan(cosine) && !(best.first >= cosine)) best = {cosine, static_cast<int>(i)};
    }
    return best;
  }

  const Snapshot& s_;
  const ScanRequest& request_;
  const ScanTuning& tuning_;
  NearestExchanges nearest_;
  AlignedRow query_;
  const std::int8_t* const codes_;                             // data of query_
  float inverse_ = 0;                                          // 1 / length of codes_
  std::optional<FetchedRows> fetched_;                         // rows of cold segments
  std::optional<QuerySketch> sketch_;                          // set: sketches preselect the rows to score
  std::size_t wanted_ = 0;                                     // number of rows to preselect
  std::vector<Candidate> candidates_;                          // preselected rows
  float threshold_ = -std::numeric_limits<float>::infinity();  // estimate that a candidate must exceed
  bool cold_ = false;                                          // some segment in range is cold
  std::int64_t rows_in_range_ = 0;
  Moments moments_;
  std::int64_t scanned_ = 0;
  ExchangeId asked_ = INT64_MIN;
  bool passed_ = false;
};

}  // namespace

ScanResult scan(const Snapshot& snapshot, const ScanRequest& request, const ScanTuning& tuning) {
  return std::move(scan_all(snapshot, {&request, 1}, tuning).front());
}

std::vector<ScanResult> scan_all(const Snapshot& snapshot, std::span<const ScanRequest> requests,
                                 const ScanTuning& tuning) {
  std::vector<std::unique_ptr<Scan>> scans;
  for (const ScanRequest& request : requests) {
    const bool zero = std::all_of(request.query.begin(), request.query.end(), [](float v) { return v == 0; });
    const bool fits = snapshot.rows > 0 && request.query.size() == snapshot.dimension && !zero;
    scans.push_back(fits ? std::make_unique<Scan>(snapshot, request, tuning) : nullptr);
  }
  for (std::size_t n = 0; n < snapshot.segments.size(); ++n)
    for (const auto& one : scans)
      if (one) one->look_at(n);
  std::vector<ScanResult> out(requests.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (scans[i])
      out[i] = scans[i]->result();
    else
      out[i].also.assign(requests[i].also.size(), std::numeric_limits<float>::quiet_NaN());
  }
  return out;
}

}  // namespace memd::vectors
