#pragma once

#include "adapters/file_view.hpp"
#include "adapters/gemini/chat_file.hpp"
#include "adapters/gemini/paths.hpp"
#include "adapters/snapshot_reader.hpp"

#include <optional>
#include <string>

namespace memd::gemini {

// Shows a chat file as one session. The items are its messages. The head is what the file says of the session, with the
// project's working directory. A changed file is read as a whole: it has a few megabytes at most, and a line of a log
// can change any earlier one. One thread at a time; `files` outlives it.
class ChatReader : public SnapshotReader {
 public:
  ChatReader(const FileView& files, std::string path, ChatPath place);

  Result<Plan> plan(const std::string& mark) override;
  Result<std::optional<Session>> session(const std::string& session_key, std::span<const SourceItem> known) override;
  Result<std::string> item(const std::string& session_key, const std::string& item_key) override;

 private:
  Result<void> load();
  std::string head() const;

  const FileView& files_;
  std::string path_;
  ChatPath place_;
  std::optional<ChatFile> chat_;
  std::string native_id_;
  std::string project_root_;
};

}  // namespace memd::gemini
