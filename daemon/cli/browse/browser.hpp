#pragma once

#include "daemon/cli/browse/list_pane.hpp"
#include "daemon/cli/browse/prompt.hpp"
#include "daemon/cli/browse/questions.hpp"
#include "daemon/cli/browse/reading_pane.hpp"
#include "daemon/cli/render/screen.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memd::cli::browse {

// Minimum size of the screen.
inline constexpr std::size_t kLeastColumns = 30;
inline constexpr std::size_t kLeastRows = 6;

// The content of the screen, one row per screen row.
struct ScreenContent {
  std::vector<Row> rows;
  std::optional<std::size_t> cursor;  // column in the first row, or in the last one
  bool cursor_is_below = false;
};

// `memd browse` without its terminal: takes keys and answers, returns screen contents and questions. It has no clock:
// `now` is a steady time in milliseconds. One thread.
class Browser {
 public:
  struct InitialQuery {
    std::string query;
    Filters filters;
  };
  Browser(InitialQuery initial, Look look);

  void press(const Key& key, std::int64_t now);
  void take(Reply reply, std::int64_t now);
  void resize(std::size_t columns, std::size_t rows);
  void set_time(TimeMs time);  // reference time of "3 h ago"

  // Returns the next question, which replaces the previous one.
  std::optional<Asked> next_question(std::int64_t now);
  // Returns the time at which next_question() may return one without a key or an answer; none: never.
  std::optional<std::int64_t> wakes_at() const;

  ScreenContent content() const;
  bool is_over() const { return over_; }
  // Returns what was copied by a key since the last call; empty: nothing.
  std::string take_copied() { return std::exchange(copied_, {}); }
  // Returns the session to open after the browser ends; none: nothing.
  const std::optional<Reopening>& session_to_open() const { return session_to_open_; }

 private:
  enum class Typing { nothing, query, project, platform, since, words };

  std::size_t height() const;  // rows of a pane
  bool shows_filters() const;
  void render();
  ListQuestion list_question() const;
  std::optional<Question> wanted(std::int64_t now) const;
  void press_while_typing(const Key& key, std::int64_t now);
  bool press_anywhere(const Key& key);
  void click(std::size_t row);
  void press_in_list(const Key& key, std::int64_t now);
  void press_while_reading(const Key& key, std::int64_t now);
  void begin_typing(Typing what, const std::string& text);
  void end_typing(bool accepted);
  void open_chosen();
  void follow(bool on, std::int64_t now);
  void take_error(const Question& question, const Error& error, std::int64_t now);
  void next_state();
  std::string session_here() const;
  std::string id_here() const;
  std::string query_shown() const;
  Line filters_line() const;
  Line first_line() const;
  Line last_line() const;
  std::vector<Row> help_rows() const;

  Look look_;
  Filters filters_;
  Prompt query_;
  Prompt typed_;  // any line that is typed other than the query
  Typing typing_ = Typing::nothing;
  std::int64_t asks_at_ = 0;  // earliest time of the next query: the user may still type
  ListPane list_;
  std::optional<std::int64_t> list_again_at_;  // when the list is queried again; none: it is not refreshed
  std::optional<ReadingPane> reading_;
  std::optional<std::int64_t> follows_at_;  // when the session is queried again; none: it is not followed
  std::optional<Question> reopen_;          // requested by a key
  bool prints_command_ = false;             // print the command instead of opening the session
  std::optional<Asked> asked_;              // the question without an answer yet
  std::uint64_t tickets_ = 0;
  bool from_daemon_ = true;
  bool helps_ = false;
  bool over_ = false;
  std::optional<Reopening> session_to_open_;
  std::string copied_;
  Line message_;  // shown until the next key
};

}  // namespace memd::cli::browse
