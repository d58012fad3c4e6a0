#pragma once

#include "adapters/gemini/paths.hpp"
#include "adapters/snapshot/held_source.hpp"

#include <utility>

namespace memd::gemini {

// Reads logs.json of a project: the prompts typed there, [{"sessionId", "messageId", "type", "message", "timestamp"}]
// (google-gemini/gemini-cli, logger.ts). They remain when a chat was deleted or never recorded. Each becomes a user_msg
// with origin history; the store keeps those that are in no chat. Gemini CLI rewrites the file for each prompt; entries
// that are missing in a later version stay.
class PromptLogReader final : public snapshot::HeldSource {
 public:
  PromptLogReader(const FileView& files, std::string path, ChatPath place)
      : HeldSource(files, std::move(path)), place_(std::move(place)) {}

 protected:
  Result<void> read() override;
  void compare(std::span<const SourceItem> known, Session& session) const override;

 private:
  const ChatPath place_;
};

}  // namespace memd::gemini
