#pragma once

#include "adapters/opencode/database_changes.hpp"
#include "adapters/snapshot_reader.hpp"
#include "schemas/platform.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::opencode {

// Reads the sessions of a database. An item is a message with all its parts, because these share tokens, model and
// time and are written together while an answer streams. Its version is derived from the update times of its rows, so
// unchanged text is not read. One thread at a time; `files` must outlive it.
//
// In sessions with very many messages, only the newest ones and those missing from the store are checked. opencode
// changes older messages only to drop tool outputs from the model's context; their text stays.
class DatabaseReader : public SnapshotReader {
 public:
  DatabaseReader(Platform platform, const FileView& files, std::string path)
      : platform_(platform), files_(files), path_(std::move(path)) {}

  Result<Plan> plan(const std::string& mark) override;
  Result<std::optional<Session>> session(const std::string& session_key, std::span<const SourceItem> known) override;
  Result<std::string> item(const std::string& session_key, const std::string& item_key) override;

 private:
  struct Window;
  using Found = StoredSessions::Found;

  Result<void> open();
  void close();
  Result<sqlite::Query*> prepared(std::optional<sqlite::Query>& query, std::string_view sql) const;
  Result<const std::optional<Found>*> find(const std::string& session_key);
  Result<void> read_messages(const Found& found, const Window& window, Session& out) const;
  Result<void> check_messages(std::vector<std::string> ids, const RevertPoint& revert, const Window& window,
                              Session& out) const;
  Result<void> read_left_messages(const Found& found, const Window& window, Session& out) const;
  Result<void> read_records(const Found& found, const Window& window, Session& out) const;
  Result<std::string> message_item(const Found& found, const std::string& key);
  Result<std::string> record_item(const Found& found, const std::string& key);

  const Platform platform_;
  const FileView& files_;
  std::string path_;
  std::unique_ptr<sqlite::ReadOnlyDatabase> database_;
  std::optional<StoredSessions> stored_;
  std::optional<sqlite::Query> message_by_id_, parts_by_message_, record_by_id_;  // prepared on first use
  std::string found_key_;
  std::optional<Found> found_;
};

}  // namespace memd::opencode
