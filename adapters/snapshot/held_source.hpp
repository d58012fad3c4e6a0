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

// A reader of a source that is read as a whole when it has changed: a document, or a row of a database. A derived class
// reads it in read(). One thread at a time; `files` must outlive it.
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

    void add_head(std::string json) { session.head = bytes.add(kHeadKey, std::move(json)); }
    // Adds an item. A second one with the same key gets another: "key#2".
    void add(const std::string& key, std::string json, std::uint64_t ledger_bytes);
  };

  // Reads the source: adds its sessions, and notes the bytes that are no items.
  virtual Result<void> read() = 0;
  // Returns a text that differs when the source may have changed.
  virtual Result<std::string> state() const;

  Held& add_session(const std::string& native_id, std::string session_uid);
  void note(std::string_view type, Disposition disposition, std::string_view reason, std::uint64_t bytes,
            std::uint64_t records = 1);
  std::string state_of(const std::string& path) const;

  const FileView& files_;
  const std::string path_;
  const std::vector<std::string> beside_;
  std::uint64_t size_ = 0;  // bytes of the source; read() sets it

 private:
  Result<void> load();

  bool loaded_ = false;
  std::vector<std::string> order_;  // native ids
  std::map<std::string, Held> sessions_;
  std::vector<CoverageEntry> rest_;
};

}  // namespace memd::snapshot
