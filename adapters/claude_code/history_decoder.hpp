#pragma once

#include "adapters/json/log_decoder.hpp"
#include "adapters/json/text_reader.hpp"

namespace memd::claude_code {

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

// history.jsonl: what was typed in the terminal, kept when the transcript is deleted. Each line that is a prompt gives
// a user_msg with origin history; the store keeps those that no transcript tells of. Lines of early versions name no
// session: they go by project and day, "claude_code:history-<hash of the project>-<day>".
class HistoryDecoder : public LogDecoder {
 public:
  explicit HistoryDecoder(Detail detail = Detail::stored) : LogDecoder(Platform::claude_code), detail_(detail) {}

 protected:
  bool open(od::object& root) const override;
  Fate read(od::object& root, RawRef raw, EventBatch& out) override;
  bool surely_a_record() const override;

 private:
  enum : std::size_t { kDisplay, kTimestamp, kProject, kSessionId, kKeys };
  static constexpr KeyTable<kKeys> kTable{{"display", "timestamp", "project", "sessionId"}};
  Detail detail_;
  mutable Tokens<kKeys> tokens_;
};

}  // namespace memd::claude_code
