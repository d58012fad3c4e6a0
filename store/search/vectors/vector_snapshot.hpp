#pragma once

#include "schemas/ids.hpp"
#include "store/search/vectors/codes.hpp"
#include "store/search/vectors/vector_index.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace memd::vectors {

// The rows of an exchange's chunks, consecutive in one segment.
struct RowRange {
  std::uint32_t first = 0;  // segment · kSegmentRows + row
  std::uint32_t count = 0;
  bool operator==(const RowRange&) const = default;
};

// A map from exchanges to their rows. Copies are cheap and share unchanged parts. apply() replaces shared parts and
// never writes to them, so readers of a copy are not disturbed.
class ExchangeTable {
 public:
  struct Change {
    ExchangeId exchange = 0;
    std::optional<RowRange> rows;  // nullopt: the exchange is gone
  };

  std::optional<RowRange> find(ExchangeId exchange) const;
  std::size_t size() const { return size_; }
  std::size_t memory() const { return (base_->capacity() + recent_->capacity()) * sizeof(Entry); }

  // Applies changes in any order, at most one per exchange.
  void apply(std::vector<Change> changes);

  // Calls f(exchange, rows) in the order of exchanges.
  template <class F>
  void for_each(F f) const {
    auto recent = recent_->begin();
    for (const Entry& e : *base_) {
      for (; recent != recent_->end() && recent->exchange < e.exchange; ++recent)
        if (recent->count != kGone) f(recent->exchange, RowRange{recent->first, recent->count});
      if (recent == recent_->end() || recent->exchange != e.exchange) f(e.exchange, RowRange{e.first, e.count});
    }
    for (; recent != recent_->end(); ++recent)
      if (recent->count != kGone) f(recent->exchange, RowRange{recent->first, recent->count});
  }

 private:
  struct Entry {
    ExchangeId exchange;
    std::uint32_t first;
    std::uint32_t count;
  };
  using Entries = std::vector<Entry>;
  static constexpr std::uint32_t kGone = UINT32_MAX;

  static const Entry* find(const Entries& entries, ExchangeId exchange);
  static std::shared_ptr<const Entries> merged(const Entries& old, const Entries& recent, bool keep_gone);

  // Both sorted. Entries of recent_ override those of base_, so that a small change does not copy all entries.
  std::shared_ptr<const Entries> base_ = std::make_shared<Entries>();
  std::shared_ptr<const Entries> recent_ = base_;
  std::size_t size_ = 0;
};

// An anonymous memory mapping: zeroed, page-aligned, resident only where it was written. Owns it. Threads may read
// concurrently while no thread writes.
class PageBuffer {
 public:
  explicit PageBuffer(std::size_t size);  // throws std::bad_alloc
  ~PageBuffer();
  PageBuffer(const PageBuffer&) = delete;
  PageBuffer& operator=(const PageBuffer&) = delete;

  template <class T>
  T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  void* memory_;
  std::size_t size_;
};

inline constexpr std::uint32_t kSegmentRows = 16384;  // also the most chunks kept of an exchange

// A block of up to kSegmentRows rows in one state of the index. Rows are only appended, so states share the buffers.
// The only change in place is that a row dies: it is marked in `inverse`, which is copied first.
struct Segment {
  std::shared_ptr<PageBuffer> codes;      // int8[kSegmentRows][stride]; null: cold, fetched from the store
  std::shared_ptr<PageBuffer> signs;      // uint64[kSegmentRows][words], null while there is no centre
  std::shared_ptr<PageBuffer> shapes;     // float[2][kSegmentRows]: SketchShape's spread, offset; likewise
  std::shared_ptr<PageBuffer> exchanges;  // ExchangeId[kSegmentRows]
  std::shared_ptr<PageBuffer> inverse;    // float[kSegmentRows]: 1 / length; 0: dead, or a vector without direction
  std::uint32_t rows = 0;
  std::uint32_t live = 0;  // rows with inverse > 0
  std::uint32_t dead = 0;  // rows of exchanges that were changed or deleted
  ExchangeId lowest = INT64_MAX;
  ExchangeId highest = INT64_MIN;

  float* spread() const { return shapes->as<float>(); }
  float* offset() const { return shapes->as<float>() + kSegmentRows; }
  bool is_free() const { return !exchanges; }
  bool is_cold() const { return exchanges && !codes; }
};

// A sample of the cold rows. Gives the mean and deviation of the cosines without reading the store.
struct RowSample {
  std::vector<std::int8_t> codes;  // [exchanges.size()][stride]
  std::vector<float> inverse;
  std::vector<ExchangeId> exchanges;
};

// One state of the index. Immutable once published.
struct Snapshot {
  std::int64_t model = 0;      // model_pk; 0: none
  std::int64_t last_seen = 0;  // highest vector_pk assigned so far, for any model
  std::size_t dimension = 0;
  std::size_t stride = 0;                            // bytes of a row of codes
  std::size_t words = 0;                             // of a row of signs
  std::shared_ptr<const std::vector<float>> centre;  // mean of the unit vectors; null: no sketches
  std::int64_t centred_rows = 0;                     // number of live rows when `centre` was computed
  std::shared_ptr<const RowSample> sample;           // null: no segment is cold
  std::vector<Segment> segments;
  std::size_t open = SIZE_MAX;  // the segment that takes new rows; SIZE_MAX: none
  ExchangeTable table;
  std::int64_t rows = 0;
  std::int64_t live = 0;
  std::int64_t dead = 0;
};

// Builds the next state from a copy of the newest one. Only one builder at a time for all states that share buffers,
// because it appends to these buffers.
class SnapshotBuilder {
 public:
  // `stored` must outlive the builder. It is called only to move cold rows; null: they are not moved.
  explicit SnapshotBuilder(Snapshot from, SnapshotTuning tuning = {}, const StoredCodes* stored = nullptr)
      : next_(std::move(from)), tuning_(tuning), stored_(stored), copied_(next_.segments.size()) {}

  // Resets to an empty state for the model.
  void start(std::int64_t model, std::size_t dimension);
  // Replaces the rows of the exchange. `codes`: chunks × dimension signed bytes; any other size counts as no chunks. At
  // most one put() or drop() per exchange between two calls of apply().
  void put(ExchangeId exchange, std::span<const std::int8_t> codes);
  void drop(ExchangeId exchange);
  // Applies the pending changes to so_far().table.
  void apply();
  void seen(std::int64_t vector_pk) { next_.last_seen = vector_pk; }

  const Snapshot& so_far() const { return next_; }
  Snapshot finish();

 private:
  void kill(RowRange rows);
  void open_segment();
  RowRange append(ExchangeId exchange, std::span<const std::int8_t> codes);
  void append_row(Segment& segment, ExchangeId exchange, const std::int8_t* codes);
  void sketch_row(Segment& segment, std::size_t row) const;
  void sketch_all();
  void cool();
  void sample_rows(const Segment& segment, RowSample& into) const;
  void compact();
  void move_live_rows(std::size_t from);

  Snapshot next_;
  SnapshotTuning tuning_;
  const StoredCodes* stored_;
  std::vector<bool> copied_;  // by segment: `inverse` is already a private copy
  std::vector<ExchangeTable::Change> changes_;
};

}  // namespace memd::vectors
