#pragma once

#include "adapters/snapshot/held_items.hpp"
#include "adapters/snapshot_reader.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memd::snapshot {

// A reader of a source that is read as a whole when it has changed: a document, a folder, a small database. A derived
// class reads it in read(). One thread at a time; `files` must outlive it.
//
// The mark: state(), size_, and a hash of all items. While that hash is the same, no session has changed.
class HeldSource : public SnapshotReader {
 public:
  // `beside`: files that tell of the same sessions. A change of one is a change of the source.
  HeldSource(const FileView& files, std::string path, std::vector<std::string> beside = {})
      : files_(files), path_(std::move(path)), beside_(std::move(beside)) {}

  Result<Plan> plan(const std::string& mark) final;
  Result<std::optional<Session>> session(const std::string& session_key, std::span<const SourceItem> known) final;
  Result<std::string> item(const std::string& session_key, const std::string& item_key) final;

 protected:
  struct Held {
    Session session;
    HeldItems bytes;

    // Add an item; a second one with the same key gets another, "key#2". `version` 0: a hash.
    void add_head(std::string json, std::uint64_t ledger_bytes = 0, std::uint64_t version = 0);
    void add(const std::string& key, std::string json, std::uint64_t ledger_bytes, std::uint64_t version = 0);
  };

  // Reads the source: adds its sessions, and notes the bytes that are no items.
  virtual Result<void> read() = 0;
  // Returns a text that differs when the source may have changed, without blanks. Called before each read().
  virtual Result<std::string> state();
  // Returns the bytes of an item that read() listed without them. Errc::not_found.
  virtual Result<std::string> bytes_of(const std::string& session_key, const std::string& item_key);
  // Changes what is told of a session by what the store has of it.
  virtual void compare(std::span<const SourceItem> /*known*/, Session& /*session*/) const {}

  Held& add_session(const std::string& native_id, std::string session_uid);
  void note(std::string_view type, Disposition disposition, std::string_view reason, std::uint64_t bytes,
            std::uint64_t records = 1);
  std::string state_of(const std::string& path) const;

  const FileView& files_;
  const std::string path_;
  const std::vector<std::string> beside_;
  std::uint64_t size_ = 0;  // bytes of the source; state() or read() sets it

 private:
  Result<std::string> begin();
  Result<void> load();

  bool looked_ = false;
  bool loaded_ = false;
  std::vector<std::string> order_;  // native ids
  std::map<std::string, Held> sessions_;
  std::vector<CoverageEntry> rest_;
};

// Reads a JSON document with facts about one session: a state file beside a log. Its one item is the head of the
// session, so that it gives no events.
class SingleDocument final : public HeldSource {
 public:
  SingleDocument(const FileView& files, std::string path, std::string session_uid)
      : HeldSource(files, std::move(path)), session_uid_(std::move(session_uid)) {}

 protected:
  Result<void> read() override;

 private:
  const std::string session_uid_;
};

}  // namespace memd::snapshot
