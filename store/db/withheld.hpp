#pragma once

#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"
#include "store/text/redaction/forgotten_text.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memd {

// A time span without capture.
struct CapturePause {
  TimeMs from = 0;
  TimeMs until = 0;  // kOpenEnd: until the user ends it
  bool contains(TimeMs t) const { return t >= from && t < until; }
};
inline constexpr TimeMs kOpenEnd = 1LL << 62;

// An exchange to be forgotten, of a session that stays.
struct ForgottenExchange {
  struct Prompt {
    std::uint64_t text_hash = 0;  // hash64() of the masked text
    TimeMs time = 0;
  };
  std::int64_t key = 0;  // in this store
  std::string session_uid;
  std::int64_t number = 0;
  std::vector<std::uint64_t> event_ids;
  std::vector<Prompt> prompts;  // what a person wrote in it
};

// The sessions, exchanges and sources that were forgotten, and the pauses of capture. Stored in a file beside the
// store, so it survives a rebuild. Names are stored as hashes with a key generated with the file. A mutating call
// returns after the change is on disk. Owns only the file. Thread-safe.
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

  // Exchanges. False: all of the following return false.
  bool forgot_exchanges() const { return has_exchanges_.load(std::memory_order_acquire); }
  bool has_exchange(std::string_view session_uid, std::int64_t number) const;
  bool has_exchange_of(std::string_view session_uid) const;
  bool has_event(std::uint64_t event_id) const;
  std::vector<std::int64_t> exchange_keys() const;
  // Returns whether a prompt opened a forgotten exchange, told by a copy of its record; with `session_uid`, by a list
  // of prompts, whose times are a little off.
  bool has_prompt(const ForgottenExchange::Prompt& prompt, std::string_view session_uid = {}) const;

  bool is_empty() const { return is_empty_.load(std::memory_order_acquire); }  // nothing forgotten, never paused

  // The texts that were forgotten; never null.
  std::shared_ptr<const redaction::ForgottenTexts> texts() const;
  // Remembers a text of at least redaction::kShortestForgotten bytes as forgotten, by keyed hashes. is_unfinished() as
  // for forget().
  Result<void> forget_text(std::string_view text);

  // Marks sessions, sources, records and exchanges as forgotten, all in one step. is_unfinished() is true until
  // finished(), which is called after their data was removed from the store.
  Result<void> forget(const std::vector<std::string>& session_uids, const std::vector<std::string>& source_paths,
                      const std::vector<std::uint64_t>& record_keys = {},
                      const std::vector<ForgottenExchange>& exchanges = {});
  bool is_unfinished() const;
  Result<void> finished();

  // Begins a pause. If one is active, sets its new end.
  Result<void> pause(TimeMs now, TimeMs until);
  Result<void> resume(TimeMs now);
  std::vector<CapturePause> pauses() const;
  bool was_paused(TimeMs time) const;  // or is now

 private:
  explicit Withheld(std::filesystem::path file) : file_(std::move(file)) { note_what_there_is(); }
  Result<void> load();
  Result<void> save() const;
  void note_what_there_is();
  std::string token(char kind, std::string_view name) const;
  bool has(char kind, std::string_view name) const;
  // Runs `change` and writes the file. Reverts the change when the file cannot be written.
  Result<void> change(const std::function<void()>& change);

  const std::filesystem::path file_;
  mutable std::mutex mutex_;
  // Mirror content_ for callers that check every record.
  std::atomic<bool> is_empty_{true};
  std::atomic<bool> has_exchanges_{false};
  // Guarded by mutex_.
  std::shared_ptr<const redaction::ForgottenTexts> texts_;
  struct Content {
    std::string key;
    std::set<std::string, std::less<>> tokens;
    std::set<std::int64_t> exchange_keys;
    std::vector<redaction::TextToken> texts;
    std::vector<CapturePause> pauses;
    bool unfinished = false;
  } content_;
};

// The forgotten texts of a store, for processes and parts that only read. Reads the file again when it has changed. A
// file that cannot be read counts as the last one that could. Thread-safe.
class WithheldTexts {
 public:
  explicit WithheldTexts(std::filesystem::path file) : file_(std::move(file)) {}
  std::shared_ptr<const redaction::ForgottenTexts> now();  // never null

 private:
  const std::filesystem::path file_;
  std::mutex mutex_;
  std::filesystem::file_time_type changed_{};
  std::uintmax_t bytes_ = 0;
  std::shared_ptr<const redaction::ForgottenTexts> texts_ =
      std::make_shared<const redaction::ForgottenTexts>(std::string());
};

}  // namespace memd
