#pragma once

#include "adapters/snapshot_reader.hpp"

#include <optional>
#include <span>
#include <string>

namespace memd::snapshot {

// Reads a JSON document with facts about one session, which the agent rewrites as a whole: a state file beside a log.
// Its one item is the head of the session, so that it gives no events. `files` must outlive the reader. One thread at a
// time.
class SingleDocument final : public SnapshotReader {
 public:
  SingleDocument(const FileView& files, std::string path, std::string session_uid);

  Result<Plan> plan(const std::string& mark) override;
  Result<std::optional<Session>> session(const std::string& session_key, std::span<const SourceItem> known) override;
  Result<std::string> item(const std::string& session_key, const std::string& item_key) override;

 private:
  Result<void> load();

  const FileView& files_;
  const std::string path_;
  const std::string session_uid_;
  std::optional<std::string> text_;
};

}  // namespace memd::snapshot
