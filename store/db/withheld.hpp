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

// A time in which nothing was to be captured.
struct CapturePause {
  TimeMs from = 0;
  TimeMs until = 0;  // kOpenEnd: until it is ended
  bool contains(TimeMs t) const { return t >= from && t < until; }
};
inline constexpr TimeMs kOpenEnd = 1LL << 62;

// What memd was told not to hold: sessions and sources that were forgotten, and the pauses of capture. It stands in a
// file of its own beside the store, so that it outlives a rebuild. Names are kept as hashes with a key that is drawn
// with the file. What a call that changes something returns is on disk. Owns nothing but the file; thread-safe.
class Withheld {
 public:
  // The file need not exist. Errc::io, and Errc::store_corrupt for a file that is none: what was forgotten would come
  // back without it.
  static Result<std::shared_ptr<Withheld>> open(const std::filesystem::path& file);

  // Whether the session, or the one whose subagent it is by its id, was forgotten.
  bool has_session(std::string_view uid) const;
  bool has_source(std::string_view path) const;
  // A record of a forgotten session: what else points at it tells of that session.
  bool has_record(std::uint64_t record_key) const;
  bool forgot_something() const;
  bool is_empty() const { return is_empty_.load(std::memory_order_acquire); }  // nothing forgotten, never paused

  // From here on they are forgotten, and what the store holds of them is to be removed: is_unfinished() until
  // finished().
  Result<void> forget(const std::vector<std::string>& session_uids, const std::vector<std::string>& source_paths,
                      const std::vector<std::uint64_t>& record_keys = {});
  bool is_unfinished() const;
  Result<void> finished();

  // Begins a pause; one that runs gets the new end.
  Result<void> pause(TimeMs now, TimeMs until);
  Result<void> resume(TimeMs now);
  std::vector<CapturePause> pauses() const;
  bool was_paused(TimeMs time) const;  // or is

 private:
  explicit Withheld(std::filesystem::path file) : file_(std::move(file)) {}
  Result<void> load();
  Result<void> save() const;
  void note_whether_empty();
  std::string token(char kind, std::string_view name) const;
  // Runs `change` and writes the file; what cannot be written is not changed.
  Result<void> change(const std::function<void()>& change);

  const std::filesystem::path file_;
  mutable std::mutex mutex_;
  std::atomic<bool> is_empty_{true};  // of content_, for those who ask for each record
  // Guarded by mutex_.
  struct Content {
    std::string key;
    std::set<std::string, std::less<>> tokens;
    std::vector<CapturePause> pauses;
    bool unfinished = false;
  } content_;
};

}  // namespace memd
