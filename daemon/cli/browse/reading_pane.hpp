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

// The pane that shows an exchange, a memory or the part of a session read so far, with words highlighted. Renders the
// lines of `memd show`. A value.
class ReadingPane {
 public:
  // `words`: the words to highlight.
  static ReadingPane exchange(const std::string& session, const std::string& id, const std::string& words);
  static ReadingPane session(const std::string& session, std::int64_t number, const std::string& words);
  static ReadingPane memory(const std::string& slug, const std::string& words);

  // Returns the question whose answer the pane needs at its current position; none: it needs nothing.
  std::optional<Question> wanted() const;
  // Returns the question for the end of the session, to see what is new.
  SessionQuestion newest() const;
  // Takes the answer to `asked`, which came from wanted() or newest().
  void take(const tools::GetExchangeAnswer& answer);
  void take(const SessionQuestion& asked, const SessionPart& part);
  void take(const tools::MemoryReadAnswer& answer);
  // Reports that the wanted question failed. Nothing is wanted again until the user moves in the pane; never if it is
  // still empty.
  void fail() { failed_ = true; }

  void render(const Look& look, std::size_t height);
  bool move(const Key& key);  // false: the key does not move in the pane
  void show_tools(bool on);
  bool shows_tools() const { return tools_; }
  void go_to_end();
  void stand_out(const std::string& phrase);  // within a line; ignores the case of ASCII letters
  // Go to the next match, behind the last one to the first. False: there is none, or none was found yet (is_seeking()).
  bool next_match();
  bool previous_match();
  bool is_seeking() const { return seeking_; }

  bool is_session() const { return kind_ == Kind::session; }
  bool is_empty() const { return blocks_.empty(); }
  const std::string& session_id() const { return session_; }
  std::string id_here() const;       // id of the exchange at the top, or of the memory
  std::int64_t number_here() const;  // number of the exchange at the top
  std::string title() const { return title_; }
  std::string position() const;  // "turn 3 of 12  45%  match 2 of 7"; "45%" if not a session and without matches
  std::vector<Row> rows(std::size_t height) const;

 private:
  enum class Kind { exchange, session, memory };
  // One exchange, or the memory.
  struct Block {
    tools::GetExchangeAnswer answer;  // the answer reduced to this exchange
    std::int64_t number = 0;
    std::vector<Line> lines{};
    std::vector<std::size_t> matches{};  // indexes of matching lines within the block
    std::size_t first = 0;               // index of its first line in the pane
  };
  ReadingPane(Kind kind, std::string session, std::string id, const std::string& words);

  void render_block(Block& block) const;
  void put_together();
  const Block* at_line(std::size_t line) const;
  std::size_t bottom() const;  // largest value of top_
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
  std::int64_t from_ = 0;         // number of the exchange from which the session is read
  bool from_end_ = false;         // the session is read from its end instead
  std::int64_t last_number_ = 0;  // number of the session's last exchange
  bool stays_at_end_ = false;     // follow the end once it is reached
  bool seeking_ = false;          // a match further down is being searched
  Look look_;
  std::size_t height_ = 1;
  std::size_t size_ = 0;              // in lines
  std::vector<std::size_t> matches_;  // indexes of matching lines
  std::size_t match_ = kNoMatch;      // line of the current match
  std::size_t top_ = 0;
};

}  // namespace memd::cli::browse
