#include "daemon/cli/browse/browser.hpp"

#include "daemon/cli/render/words.hpp"
#include "schemas/base/utf8.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace memd::cli::browse {
namespace {

constexpr std::int64_t kTypingPause = 150;   // ms without a key before the typed query is sent
constexpr std::int64_t kFollowEvery = 1000;  // ms between queries of a followed session
constexpr std::int64_t kAfterError = 5000;   // ms before a failed query of a followed session is repeated
constexpr std::int64_t kListEvery = 3000;    // ms between queries of the list, so that new sessions appear

constexpr std::array<std::string_view, 5> kStates{"", "active", "started", "stopped", "capture_disabled"};

struct KeyHelp {
  std::string_view keys;
  std::string_view what;
};

constexpr auto kListKeys = std::to_array<KeyHelp>({
    {"/", "type a query; Enter opens, Esc ends typing"},
    {"Up Down PgUp PgDn Home End", "choose (also k j b Space g G, wheel, click)"},
    {"Enter", "open the session or the turn (also a second click)"},
    {"f", "follow the session as it goes on"},
    {"p a s t", "filters: project, agent, since, state"},
    {"c", "clear filters and query"},
    {"r", "ask again"},
});

constexpr auto kReadingKeys = std::to_array<KeyHelp>({
    {"Up Down PgUp PgDn Home End", "scroll (also k j b Space g G, wheel)"},
    {"/  n  N", "a phrase to look for, next match, the one before"},
    {"t", "with tool calls and results"},
    {"f", "follow: new events appear at the end"},
    {"s", "the session of the turn"},
    {"Esc Left", "back to the list"},
});

constexpr auto kBothKeys = std::to_array<KeyHelp>({
    {"o", "open the session in its own agent"},
    {"O", "only show the command for that"},
    {"y", "copy the id"},
    {"?", "this help"},
    {"q  Ctrl-C", "quit"},
});

std::string prompt_of(int typing) {
  constexpr std::array<std::string_view, 6> kPrompts{"", "> ", "project: ", "agent: ", "since: ", "/"};
  return std::string(kPrompts[static_cast<std::size_t>(typing)]);
}

// Maps letters to the keys that have the same effect.
Key with_letters(const Key& key) {
  using Kind = Key::Kind;
  constexpr auto kLetters = std::to_array<std::pair<std::string_view, Kind>>({{"k", Kind::up},
                                                                              {"j", Kind::down},
                                                                              {"b", Kind::page_up},
                                                                              {" ", Kind::page_down},
                                                                              {"g", Kind::home},
                                                                              {"G", Kind::end}});
  for (const auto& [letter, kind] : kLetters)
    if (key.is(letter)) return {kind};
  return key;
}

// Returns the end of a text wider than the columns, where the cursor is.
std::string last_columns(const std::string& text, std::size_t columns) {
  std::string out = text;
  while (Line(out).columns() > columns && !out.empty()) {
    out.erase(0, 1);
    while (is_utf8_tail(out, 0))
      out.erase(0, 1);
  }
  return out;
}

}  // namespace

Browser::Browser(InitialQuery initial, Look look)
    : look_(std::move(look)), filters_(std::move(initial.filters)), query_(std::move(initial.query)) {
  look_.is_terminal = true;
  look_.pager.clear();
  if (query_.text().empty()) typing_ = Typing::query;
}

void Browser::resize(std::size_t columns, std::size_t rows) {
  look_.columns = columns;
  look_.rows = rows;
  render();
}

void Browser::set_time(TimeMs time) { look_.now = time; }

bool Browser::shows_filters() const { return filters_ != Filters(); }

std::size_t Browser::height() const {
  const std::size_t frame = 2 + (!reading_ && shows_filters() ? 1 : 0);
  return look_.rows > frame ? look_.rows - frame : 1;
}

void Browser::render() {
  if (look_.columns < kLeastColumns || look_.rows < kLeastRows) return;
  constexpr std::size_t kMargin = 2;  // the marker of the chosen row
  if (reading_) {
    reading_->render(look_, height());
    return;
  }
  Look look = look_;
  look.columns -= kMargin;
  list_.render(look, height());
}

ListQuestion Browser::list_question() const { return {query_.text(), filters_, ""}; }

std::optional<Question> Browser::wanted(std::int64_t now) const {
  if (reopen_) return reopen_;
  if (reading_) {
    if (auto lacking = reading_->wanted()) return lacking;
    if (follows_at_ && now >= *follows_at_) return reading_->newest();
    return std::nullopt;
  }
  const ListQuestion question = list_question();
  if (!list_.answers(question)) return now >= asks_at_ ? std::optional<Question>(question) : std::nullopt;
  if (auto more = list_.more()) return *more;
  if (list_again_at_ && now >= *list_again_at_) return question;
  return std::nullopt;
}

std::optional<Asked> Browser::next_question(std::int64_t now) {
  auto question = wanted(now);
  if (!question || (asked_ && asked_->question == *question)) return std::nullopt;
  asked_ = Asked{++tickets_, std::move(*question)};
  return asked_;
}

std::optional<std::int64_t> Browser::wakes_at() const {
  if (asked_ && reading_) return std::nullopt;
  if (reading_) return follows_at_;
  const bool is_asked = asked_ && asked_->question == Question(list_question());
  if (is_asked) return std::nullopt;
  return list_.answers(list_question()) ? list_again_at_ : std::optional(asks_at_);
}

void Browser::take(Reply reply, std::int64_t now) {
  if (!asked_ || reply.ticket != asked_->ticket) return;  // superseded
  const Question question = std::move(asked_->question);
  asked_.reset();
  from_daemon_ = reply.from_daemon;
  if (!reply.answer) return take_error(question, reply.answer.error(), now);
  Answer& answer = *reply.answer;
  if (const auto* list = std::get_if<ListQuestion>(&question)) {
    ListQuestion first = *list;
    first.cursor.clear();
    if (first != list_question()) return;  // the query or a filter has changed meanwhile
    const auto put = [&](auto page) {
      if (list->cursor.empty())
        list_.begin(std::move(first), std::move(page));
      else
        list_.add(std::move(page));
    };
    if (auto* sessions = std::get_if<tools::ListSessionsAnswer>(&answer)) put(std::move(*sessions));
    if (auto* hits = std::get_if<tools::SemanticSearchAnswer>(&answer)) put(std::move(*hits));
    list_again_at_.reset();
    if (list->query.empty() && from_daemon_ && list_.is_one_page()) list_again_at_ = now + kListEvery;
    render();
  } else if (auto* reopening = std::get_if<Reopening>(&answer)) {
    reopen_.reset();
    if (prints_command_) {
      message_ = Line(as_shell_line(reopening->command, reopening->directory));
    } else if (auto there = directory_to_enter(reopening->directory); !there) {
      message_ = Line(there.error().message(), Style::bad);
    } else {
      session_to_open_ = std::move(*reopening);
      over_ = true;
    }
  } else if (reading_) {
    if (auto* exchange = std::get_if<tools::GetExchangeAnswer>(&answer)) reading_->take(*exchange);
    if (auto* memory = std::get_if<tools::MemoryReadAnswer>(&answer)) reading_->take(*memory);
    if (auto* part = std::get_if<SessionPart>(&answer)) reading_->take(std::get<SessionQuestion>(question), *part);
    if (follows_at_) follows_at_ = now + kFollowEvery;
  }
}

void Browser::take_error(const Question& question, const Error& error, std::int64_t now) {
  message_ = Line(for_people(error.message()), Style::bad);
  if (std::holds_alternative<ReopenQuestion>(question)) reopen_.reset();
  if (const auto* list = std::get_if<ListQuestion>(&question)) {
    list_again_at_.reset();
    if (list->cursor.empty())
      list_.fail(*list);
    else
      list_.end_here();
    render();
  } else if (reading_ && follows_at_ && !reading_->is_empty()) {
    follows_at_ = now + kAfterError;
  } else if (reading_) {
    reading_->fail();
  }
}

void Browser::press(const Key& key, std::int64_t now) {
  message_ = Line();
  if (key.kind == Key::Kind::quit) {
    over_ = true;
  } else if (helps_) {
    helps_ = false;
  } else if (key.kind == Key::Kind::click) {
    if (!reading_) click(key.row);
  } else if (typing_ != Typing::nothing) {
    press_while_typing(key, now);
  } else if (!press_anywhere(key)) {
    if (reading_)
      press_while_reading(key, now);
    else
      press_in_list(key, now);
  }
}

void Browser::begin_typing(Typing what, const std::string& text) {
  typing_ = what;
  if (what != Typing::query) typed_ = Prompt(text);
}

void Browser::end_typing(bool accepted) {
  const Typing what = std::exchange(typing_, Typing::nothing);
  if (!accepted) return;
  if (what == Typing::project) filters_.project = typed_.text();
  if (what == Typing::platform) filters_.platform = typed_.text();
  if (what == Typing::since) filters_.since = typed_.text();
  if (what == Typing::words && reading_) {
    reading_->stand_out(typed_.text());
    if (!reading_->next_match() && !reading_->is_seeking()) message_ = Line("no match");
  }
  render();
}

void Browser::press_while_typing(const Key& key, std::int64_t now) {
  if (key.kind == Key::Kind::enter) {
    const bool opens = typing_ == Typing::query && list_.answers(list_question());
    end_typing(true);
    asks_at_ = now;
    if (opens) open_chosen();
  } else if (key.kind == Key::Kind::escape) {
    end_typing(false);
  } else if (typing_ == Typing::query) {
    // Other keys move in the list while the user types.
    if (query_.takes(key))
      asks_at_ = now + kTypingPause;
    else
      list_.move(key);
  } else {
    typed_.takes(key);
  }
}

std::string Browser::session_here() const {
  if (reading_) return reading_->session_id();
  return list_.chosen() == nullptr ? std::string() : list_.chosen()->session;
}

std::string Browser::id_here() const {
  if (reading_) return reading_->id_here();
  const ListPane::Item* item = list_.chosen();
  if (item == nullptr) return {};
  if (!item->memory.empty()) return item->memory;
  return item->exchange.empty() ? item->session : item->exchange;
}

// Handles keys with the same effect in the list and in the reading pane. Returns false for other keys.
bool Browser::press_anywhere(const Key& key) {
  if (key.is("q")) {
    over_ = true;
  } else if (key.is("?")) {
    helps_ = true;
  } else if (key.is("y")) {
    const std::string session = session_here();
    const std::string id = id_here();
    message_ = Line("copied ").add(id, Style::id);
    if (!session.empty() && session != id) message_.add("  of ").add(session, Style::id);
    if (id.empty()) message_ = Line("nothing is chosen");
    copied_ = id;
  } else if (key.is("o") || key.is("O")) {
    prints_command_ = key.is("O");
    if (session_here().empty())
      message_ = Line("there is no session to open here");
    else
      reopen_ = ReopenQuestion{session_here()};
  } else {
    return false;
  }
  return true;
}

void Browser::click(std::size_t row) {
  const std::size_t above = shows_filters() ? 2 : 1;
  if (row < above || row >= above + height()) return;
  typing_ = Typing::nothing;
  if (list_.choose_at(row - above)) open_chosen();
}

void Browser::next_state() {
  const auto* now = std::ranges::find(kStates, filters_.state);
  filters_.state = now == kStates.end() || now + 1 == kStates.end() ? "" : std::string(*(now + 1));
}

void Browser::press_in_list(const Key& key, std::int64_t now) {
  if (key.is("/")) {
    begin_typing(Typing::query, "");
  } else if (key.is("p")) {
    begin_typing(Typing::project, filters_.project);
  } else if (key.is("a")) {
    begin_typing(Typing::platform, filters_.platform);
  } else if (key.is("s")) {
    begin_typing(Typing::since, filters_.since);
  } else if (key.is("t")) {
    next_state();
    asks_at_ = now + kTypingPause;  // the key may be pressed again
    render();
  } else if (key.is("c")) {
    filters_ = Filters();
    query_ = Prompt();
    asks_at_ = now;
    render();
  } else if (key.is("r")) {
    list_.forget();
    asks_at_ = now;
  } else if (key.is("f")) {
    const ListPane::Item* item = list_.chosen();
    if (item == nullptr || item->session.empty()) return;
    reading_ = ReadingPane::session(item->session, 0, query_.text());
    render();
    follow(true, now);
  } else if (key.kind == Key::Kind::enter || key.kind == Key::Kind::right) {
    open_chosen();
  } else {
    list_.move(with_letters(key));
  }
}

void Browser::open_chosen() {
  const ListPane::Item* item = list_.chosen();
  if (item == nullptr) return;
  if (!item->memory.empty())
    reading_ = ReadingPane::memory(item->memory, query_.text());
  else if (!item->exchange.empty())
    reading_ = ReadingPane::exchange(item->session, item->exchange, query_.text());
  else
    reading_ = ReadingPane::session(item->session, 0, query_.text());
  render();
}

void Browser::follow(bool on, std::int64_t now) {
  if (!on) {
    follows_at_.reset();
    return;
  }
  if (reading_->session_id().empty()) return;
  if (!reading_->is_session()) {
    reading_ = ReadingPane::session(reading_->session_id(), 0, query_.text());
    render();
  }
  reading_->go_to_end();
  reading_->show_tools(true);
  follows_at_ = now;
}

void Browser::press_while_reading(const Key& key, std::int64_t now) {
  if (key.kind == Key::Kind::escape || key.kind == Key::Kind::left || key.kind == Key::Kind::backspace) {
    reading_.reset();
    follows_at_.reset();
    asked_.reset();
    render();
  } else if (key.is("/")) {
    begin_typing(Typing::words, "");
  } else if (key.is("n")) {
    if (!reading_->next_match() && !reading_->is_seeking()) message_ = Line("no match");
  } else if (key.is("N")) {
    if (!reading_->previous_match()) message_ = Line("no match");
  } else if (key.is("t")) {
    reading_->show_tools(!reading_->shows_tools());
  } else if (key.is("f")) {
    follow(!follows_at_, now);
  } else if (key.is("s") && !reading_->is_session() && !reading_->session_id().empty()) {
    const bool tools = reading_->shows_tools();
    reading_ = ReadingPane::session(reading_->session_id(), reading_->number_here(), query_.text());
    render();
    reading_->show_tools(tools);
  } else {
    reading_->move(with_letters(key));
  }
}

Line Browser::filters_line() const {
  Line out;
  const auto add = [&out](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    out.add(out.empty() ? "  " : "  ·  ", Style::faint).add(name, Style::faint).add(value, Style::name);
  };
  add("project ", filters_.project);
  add("agent ", filters_.platform);
  add("since ", filters_.since);
  add("state ", filters_.state);
  if (!filters_.state.empty() && !query_.text().empty()) out.add(" (of sessions only)", Style::faint);
  return out;
}

// Returns the query, or its end if it is longer than the line.
std::string Browser::query_shown() const {
  constexpr std::size_t kForOthers = 24;  // columns for the rest of the line
  return last_columns(query_.text(), look_.columns - std::min(look_.columns, kForOthers));
}

Line Browser::first_line() const {
  if (reading_) {
    Line out(reading_->title().empty() ? "memd browse" : reading_->title(), Style::strong);
    if (!reading_->session_id().empty()) out.add("  ").add(session_name(reading_->session_id(), look_), Style::faint);
    if (follows_at_) {
      out.add("  following", Style::good);
      if (!from_daemon_) out.add(" (no daemon runs: only what others store appears)", Style::warning);
    }
    return out.cut(look_.columns);
  }
  Line state;
  if (!list_.answers(list_question()))
    state.add("…", Style::faint);
  else if (query_.text().empty())
    state.add(with_noun(list_.total(), "session"), Style::faint);
  else
    state.add(with_noun(static_cast<std::int64_t>(list_.size()), "hit") + (list_.has_more() ? " and more" : ""),
              Style::faint);
  Line out("> ", Style::id);
  if (query_.text().empty() && typing_ != Typing::query)
    out.add("all sessions, newest first", Style::faint);
  else
    out.add(query_shown(), Style::strong);
  const std::size_t used = out.columns() + state.columns() + (typing_ == Typing::query ? 1 : 0);
  out.add(std::string(look_.columns > used ? look_.columns - used : 1, ' ')).append(state);
  return out.cut(look_.columns);
}

Line Browser::last_line() const {
  if (typing_ > Typing::query) {
    const std::string prompt = prompt_of(static_cast<int>(typing_));
    return Line(prompt, Style::id).add(last_columns(typed_.text(), look_.columns - prompt.size() - 1));
  }
  if (!message_.empty()) return message_.cut(look_.columns);
  Line out;
  const auto hint = [&out](std::string_view key, std::string_view what) {
    out.add(out.empty() ? "" : "  ").add(key, Style::id).add(" ").add(what, Style::faint);
  };
  if (typing_ == Typing::query) {
    hint("Enter", "open");
    hint("Up Down", "choose");
    hint("Esc", "keys");
    hint("Ctrl-C", "quit");
  } else if (reading_) {
    out.add(reading_->position(), Style::faint);
    hint("Esc", "back");
    hint("n N", "matches");
    hint("t", "tools");
    hint("f", "follow");
    hint("o", "open");
    hint("?", "help");
    hint("q", "quit");
  } else {
    hint("/", "search");
    hint("p a s t", "filter");
    hint("Enter", "open");
    hint("f", "follow");
    hint("?", "help");
    hint("q", "quit");
  }
  return out.cut(look_.columns);
}

std::vector<Row> Browser::help_rows() const {
  std::vector<Row> out;
  const auto add = [&](std::string_view title, const auto& keys) {
    out.push_back({Line(title, Style::strong)});
    for (const KeyHelp& one : keys) {
      constexpr std::size_t kKeys = 28;
      Line line(one.keys, Style::id);
      line.add(std::string(kKeys - std::min(kKeys, one.keys.size()), ' ')).add(one.what);
      out.push_back({line.cut(look_.columns)});
    }
  };
  if (reading_)
    add("Reading", kReadingKeys);
  else
    add("List", kListKeys);
  add("Everywhere", kBothKeys);
  return out;
}

ScreenContent Browser::content() const {
  ScreenContent out;
  if (look_.columns < kLeastColumns || look_.rows < kLeastRows) {
    out.rows.push_back({Line("too small").cut(look_.columns)});
  } else if (helps_) {
    out.rows = help_rows();
  } else {
    out.rows.push_back({first_line()});
    if (!reading_ && shows_filters()) out.rows.push_back({filters_line().cut(look_.columns)});
    for (Row& row : reading_ ? reading_->rows(height()) : list_.rows(height()))
      out.rows.push_back(std::move(row));
    out.rows.resize(look_.rows > 0 ? look_.rows - 1 : 0);
    out.rows.push_back({last_line()});
    if (typing_ == Typing::query) {
      out.cursor = Line("> ").add(query_shown()).columns();
    } else if (typing_ != Typing::nothing) {
      out.cursor = last_line().columns();
      out.cursor_is_below = true;
    }
  }
  out.rows.resize(look_.rows);
  return out;
}

}  // namespace memd::cli::browse
