#pragma once

#include "daemon/cli/browse/list_pane.hpp"
#include "daemon/cli/browse/prompt.hpp"
#include "daemon/cli/browse/questions.hpp"
#include "daemon/cli/render/screen.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace memd::cli::browse {

// An exchange, a memory, or the part of a session that was read so far, with words that stand out. Its lines are those
// of `memd show`. A value.
class ReadingPane {
 public:
  // `words`: the words to highlight.
  static ReadingPane exchange(const std::string& session, const std::string& id, const std::string& words);
  static ReadingPane session(const std::string& session, std::int64_t number, const std::string& words);
  static ReadingPane memory(const std::string& slug, const std::string& words);

  // What it lacks to show where it stands; none: nothing.
  std::optional<Question> wanted() const;
  // The end of the session, again.
  SessionQuestion newest() const;
  // Answers to `asked`, which was wanted or newest().
  void take(const tools::GetExchangeAnswer& answer);
  void take(const SessionQuestion& asked, const SessionPart& part);
  void take(const tools::MemoryReadAnswer& answer);
  // What was wanted could not be had: it is not wanted until a key is pressed.
  void fail() { failed_ = true; }

  void render(const Look& look, std::size_t height);
  bool move(const Key& key);  // false: not a key of the pane
  void show_tools(bool on);
  bool shows_tools() const { return tools_; }
  void go_to_end();
  void stand_out(const std::string& words);
  bool next_match();  // false: there is none, or none yet (is_seeking())
  bool previous_match();
  bool is_seeking() const { return seeking_; }

  bool is_session() const { return kind_ == Kind::session; }
  bool is_empty() const { return blocks_.empty(); }
  const std::string& session_id() const { return session_; }
  std::string id_here() const;       // id of the exchange at the top, or of the memory
  std::int64_t number_here() const;  // of that exchange
  std::string title() const { return title_; }
  std::string position() const;  // "12 to 34 of 120 lines"
  std::vector<Row> rows(std::size_t height) const;

 private:
  enum class Kind { exchange, session, memory };
  // An exchange of it; a memory is one, too.
  struct Block {
    tools::GetExchangeAnswer told;  // with that exchange alone
    std::int64_t number = 0;
    std::vector<Line> lines{};
    std::vector<std::size_t> matches{};  // lines of the block
    std::size_t first = 0;               // its first line of all
  };
  ReadingPane(Kind kind, std::string session, std::string id, const std::string& words);

  void render_block(Block& block) const;
  void put_together();
  const Block* at_line(std::size_t line) const;
  std::size_t bottom() const;  // the largest top_
  void show_line(std::size_t line);

  static constexpr std::size_t kNoMatch = static_cast<std::size_t>(-1);

  Kind kind_;
  std::string session_;
  std::string id_;  // of the exchange or the memory
  std::string title_;
  bool tools_ = false;
  bool failed_ = false;
  std::vector<std::string> words_;
  std::deque<Block> blocks_;
  std::optional<tools::MemoryOut> memory_;
  std::int64_t from_ = 0;         // where the session is to be read from
  bool from_end_ = false;         // or its end
  std::int64_t last_number_ = 0;  // of the session's last exchange
  bool stays_at_end_ = false;     // once it is there
  bool seeking_ = false;          // a match further down
  Look look_;
  std::size_t height_ = 1;
  std::size_t size_ = 0;              // lines
  std::vector<std::size_t> matches_;  // lines
  std::size_t match_ = kNoMatch;      // the line of the one shown
  std::size_t top_ = 0;
};

}  // namespace memd::cli::browse
