#pragma once

#include "schemas/error.hpp"
#include "schemas/time.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// A time span without capture.
struct CapturePause {
  TimeMs from = 0;
  TimeMs until = 0;  // kOpenEnd: until the user ends it
  bool contains(TimeMs t) const { return t >= from && t < until; }
};
inline constexpr TimeMs kOpenEnd = 1LL << 62;

// The sessions and sources that were forgotten, and the pauses of capture. Stored in a file beside the store, so it
// survives a rebuild. Names are stored as hashes with a key generated with the file. A mutating call returns after the
// change is on disk. Owns only the file. Thread-safe.
class Withheld {
 public:
  // Opens the file, which need not exist. Errc::io, and Errc::store_corrupt for an invalid file: ignoring it would
  // bring forgotten data back.
  static Result<std::shared_ptr<Withheld>> open(const std::filesystem::path& file);

  // Returns whether the session, or the main session that its id names, was forgotten.
  bool has_session(std::string_view uid) const;
  // Returns the name under which the store counts what a shared source holds of a forgotten session: a keyed hash.
  std::string alias(std::string_view session_uid) const;
  bool has_source(std::string_view path) const;
  // Returns whether the record belongs to a forgotten session. Other data that refers to such a record is about that
  // session too.
  bool has_record(std::uint64_t record_key) const;
  bool forgot_something() const;
  bool is_empty() const { return is_empty_.load(std::memory_order_acquire); }  // nothing forgotten, never paused

  // Marks sessions, sources and records as forgotten. is_unfinished() is true until finished(), which is called after
  // their data was removed from the store.
  Result<void> forget(const std::vector<std::string>& session_uids, const std::vector<std::string>& source_paths,
                      const std::vector<std::uint64_t>& record_keys = {});
  bool is_unfinished() const;
  Result<void> finished();

  // Begins a pause. If one is active, sets its new end.
  Result<void> pause(TimeMs now, TimeMs until);
  Result<void> resume(TimeMs now);
  std::vector<CapturePause> pauses() const;
  bool was_paused(TimeMs time) const;  // or is now

 private:
  explicit Withheld(std::filesystem::path file) : file_(std::move(file)) {}
  Result<void> load();
  Result<void> save() const;
  void note_whether_empty();
  std::string token(char kind, std::string_view name) const;
  // Runs `change` and writes the file. Reverts the change when the file cannot be written.
  Result<void> change(const std::function<void()>& change);

  const std::filesystem::path file_;
  mutable std::mutex mutex_;
  std::atomic<bool> is_empty_{true};  // mirrors content_ for callers that check every record
  // Guarded by mutex_.
  struct Content {
    std::string key;
    std::set<std::string, std::less<>> tokens;
    std::vector<CapturePause> pauses;
    bool unfinished = false;
  } content_;
};

}  // namespace memd
