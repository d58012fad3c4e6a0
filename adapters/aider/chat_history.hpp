#pragma once

#include "adapters/snapshot/held_items.hpp"
#include "adapters/snapshot_reader.hpp"
#include "schemas/base/timestamp.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memd::aider {

inline constexpr std::string_view kChatName = ".aider.chat.history.md";
inline constexpr std::string_view kInputName = ".aider.input.history";

// Reads the chats in a history file; each start of aider begins one. aider appends blocks: a prompt, each line behind
// "#### "; notes of the program, each behind "> "; what the model said, as it is. Lines of the first two end with two
// blanks, those of the model seldom do. Only the start of a chat has a time. Those of prompts are in the history of the
// input line, by their text; whatever else has the time of what comes before it. One thread at a time; `files` must
// outlive it.
//
// Items: {"kind": "prompt" | "notes" | "said", "time", "estimated"?, "model"?, "text"}, and as the head {"kind":
// "chat", "time", "model"?, "version"?}. A native id is the time of the start and a hash of the file's path.
class ChatHistoryReader : public SnapshotReader {
 public:
  ChatHistoryReader(std::string path, const FileView& files) : path_(std::move(path)), files_(files) {}

  Result<Plan> plan(const std::string& mark) override;
  Result<std::optional<Session>> session(const std::string& session_key, std::span<const SourceItem> known) override;
  Result<std::string> item(const std::string& session_key, const std::string& item_key) override;

 private:
  struct Chat {
    std::string id;
    std::uint64_t begin = 0;  // byte of the file
    TimeMs time = 0;
    std::string model;
    std::string version;
    Item head;
    std::vector<Item> items;
    snapshot::HeldItems bytes;
  };
  struct Block {
    char kind = 0;  // the first character of its lines: '#', '>', 0
    std::uint64_t bytes = 0;
    std::string text;
  };
  Result<void> load();
  void begin_chat(TimeMs time, std::uint64_t begin);
  void add_block(Block block);
  void end_chat();
  TimeMs time_of_prompt(std::string_view text, TimeMs after);

  const std::string path_;
  const FileView& files_;
  bool loaded_ = false;
  std::string text_;
  std::vector<std::pair<TimeMs, std::string>> inputs_;  // the history of the input line
  std::uint64_t input_bytes_ = 0;
  std::size_t next_input_ = 0;
  std::vector<Chat> chats_;
  std::uint64_t preamble_ = 0;  // bytes before the first chat
  std::uint64_t head_bytes_ = 0;
  TimeMs now_ = 0;  // of the latest block
};

// Returns what follows `begin` in the first line of `notes` that has it; empty: none has it.
std::string_view note_after(std::string_view notes, std::string_view begin);

}  // namespace memd::aider
