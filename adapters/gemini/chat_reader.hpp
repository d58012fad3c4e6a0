#pragma once

#include "adapters/gemini/paths.hpp"
#include "adapters/snapshot/held_source.hpp"
#include "schemas/base/result.hpp"
#include "schemas/event_batch.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace memd::gemini {

// The content of a chat file (google-gemini/gemini-cli, chatRecordingService). A .json file is a document that is
// rewritten as a whole. A .jsonl file is a log whose later lines change earlier ones: a repeated message replaces the
// older one, "$rewindTo" removes a message and all after it, "$set" changes the header. "$set.messages" is the list the
// model sees from then on: messages missing in it keep their positions, new ones come after all others. After a
// compaction these are the summary, an answer that the client makes up for the model, and the turns that were kept,
// written again under new ids. Owns the file's text; immutable after parsing.
class ChatFile {
 public:
  struct Message {
    std::string key;               // native id, made unique
    std::string_view bytes;        // view into the file's text; empty for a damaged range
    std::uint64_t taken = 0;       // bytes of the file, including the newline of a line
    bool summary = false;          // of a compaction
    bool acknowledgement = false;  // made up by the client, behind a summary
    bool repeats = false;          // written again by a compaction; earlier messages tell all of it
    std::string trigger;           // of the compaction: "auto", "manual" or unknown
    std::string untold;            // parts of the content with calls and responses that no toolCalls has: "0 2"
    int alike = 0;                 // messages without an id before it, as this one, that say the same
  };

  // Errc::busy when the document is truncated: the agent is writing it. (The unfinished last line of a log is ignored.)
  static Result<ChatFile> parse(std::string text, bool is_log);

  const std::vector<Message>& messages() const { return messages_; }
  const Message* find(std::string_view key) const;
  // Last value set of "sessionId", "summary", …, first of "startTime"; unescaped.
  std::string header(std::string_view name) const;
  std::vector<CoverageEntry> rest() const;  // all bytes that belong to no message
  std::uint64_t size() const { return text_->size(); }
  bool has_content() const { return !messages_.empty() || !header_.empty() || has_lines_; }

 private:
  explicit ChatFile(std::string text) : text_(std::make_unique<const std::string>(std::move(text))) {}

  bool read_document();  // false: truncated
  void read_log();
  void read_line(std::string_view line, std::uint64_t taken);
  void add_message(std::string_view bytes, std::string_view id, std::uint64_t taken);
  void add_damaged(std::uint64_t taken);
  void replace_list(const std::vector<std::string_view>& list);
  void mark_compaction(const std::vector<std::string>& list);
  void settle();  // marks what depends on other messages
  void rewind_to(std::string_view id);
  void set_header(std::string_view name, std::string_view value);
  void note(std::string_view type, Disposition disposition, std::string_view reason, std::uint64_t bytes);
  void reindex();

  std::unique_ptr<const std::string> text_;  // on the heap, so that views into it stay valid on a move
  std::vector<Message> messages_;
  std::unordered_map<std::string, std::size_t> index_;  // key → index in messages_
  std::unordered_map<std::string, std::string_view> header_;
  std::vector<CoverageEntry> rest_;
  bool has_lines_ = false;  // whole lines that are no messages
};

// Reads a chat file as one session. The items are its messages, with "cwd" and what other messages tell of them:
// "compaction", "acknowledges", "repeats", "untold", "alike" (see ChatFile::Message). The head contains the session's
// fields, with the project's working directory. A log without a whole line, which the agent just creates, contains no
// session yet. A changed file is read as a whole: it has a few megabytes at most, and a line of a log can change any
// earlier one.
class ChatReader final : public snapshot::HeldSource {
 public:
  ChatReader(const FileView& files, std::string path, ChatPath place)
      : HeldSource(files, std::move(path), {project_root_file(place)}), place_(std::move(place)) {}

 protected:
  Result<void> read() override;
  void compare(std::span<const SourceItem> known, Session& session) const override;

 private:
  std::string head() const;
  std::string item_of(const ChatFile::Message& message, bool repeats) const;

  const ChatPath place_;
  std::optional<ChatFile> chat_;
  std::string native_id_;
  std::string project_root_;
};

}  // namespace memd::gemini
