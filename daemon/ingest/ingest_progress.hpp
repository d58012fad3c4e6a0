#pragma once

#include "daemon/ingest/silent_places.hpp"
#include "schemas/source.hpp"
#include "schemas/store_health.hpp"
#include "store/write/writer.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace memd {

struct IngestSnapshot : IngestFigures {
  std::uint64_t bytes_read = 0;
  std::uint64_t events = 0;  // written
  std::uint64_t duplicates = 0;
  std::uint64_t diagnostics = 0;
  TimeMs last_commit = 0;
  TimeMs last_scan = 0;
  std::vector<SilentPlaces::Description> polled;  // places that are looked at without an event
};

// Progress of this process with one source.
struct SourceProgress {
  std::uint64_t size = 0;
  std::uint64_t cursor = 0;      // committed
  std::uint64_t events = 0;      // written by this process
  std::uint64_t duplicates = 0;  // found in the store by this process
};

// The state of ingest, for `status`, progress bars and the freshness of answers. Thread-safe.
class IngestProgress {
 public:
  IngestSnapshot snapshot() const;
  std::string trouble() const;  // IngestSnapshot::last_error alone
  std::vector<PlatformFreshness> freshness() const;

  std::optional<SourceProgress> source(const std::string& path) const;

  void saw(const Source& source, TimeMs now);  // size and cursor as the reader knows them
  void committed(const Source& source);        // cursor that is in the store
  void applied(const Source& source, const ApplyStats& stats);
  void forget(const std::string& path);
  void reset_sources();
  template <class F>
  void update(F&& change) {
    const std::lock_guard lock(mutex_);
    change(state_);
  }

 private:
  struct Seen {
    std::uint64_t size = 0;
    std::uint64_t cursor = 0;
    std::uint64_t events = 0;
    std::uint32_t duplicates = 0;
    Platform platform{};
    bool gone = false;  // its unread bytes are lost, not late
  };
  Seen& seen(const Source& source);

  mutable std::mutex mutex_;
  IngestSnapshot state_;
  boost::unordered_flat_map<std::uint64_t, Seen> sources_;  // by hash of the path; there may be a million
  TimeMs checked_at_ = 0;
  // Cached because every answer reads it and there are many sources. Empty: something changed since it was computed.
  mutable std::optional<std::vector<PlatformFreshness>> freshness_;
};

}  // namespace memd
