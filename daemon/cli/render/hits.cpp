// Views of the lists that a user chooses from: hits and sessions.
#include "daemon/cli/render/frame.hpp"
#include "daemon/cli/render/views.hpp"
#include "daemon/cli/render/words.hpp"
#include "schemas/base/ascii.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace memd::cli {
namespace {

constexpr std::size_t kLinesOfAHit = 3;
constexpr std::size_t kHitIndent = 4;

Line title_line(std::string_view title) {
  return title.empty() ? Line("(untitled)", Style::faint) : Line(title, Style::strong);
}

// Returns the label of a session's state.
Line state_of(const tools::SessionOut& session) {
  if (session.state == "active" || session.state == "started") return Line("running", Style::good);
  if (session.state == "capture_disabled") return Line("paused", Style::warning);
  if (session.outcome == "success") return Line("done", Style::good);
  if (session.outcome == "fail") return Line("failed", Style::bad);
  return Line(session.outcome == "abandoned" ? "abandoned" : "ended", Style::faint);
}

struct ListedSession {
  const tools::SessionOut* session;
  std::size_t depth;  // 1: below its parent
};

// Returns the sessions of a page in its order, subagents below those that started them.
std::vector<ListedSession> below_parents(const std::vector<tools::SessionOut>& page) {
  const auto is_on_page = [&](const std::string& id) {
    return std::ranges::any_of(page, [&](const tools::SessionOut& s) { return s.session_id == id; });
  };
  std::vector<ListedSession> out;
  const std::function<void(const tools::SessionOut&, std::size_t)> add = [&](const tools::SessionOut& s,
                                                                             std::size_t depth) {
    out.push_back({&s, depth});
    for (const tools::SessionOut& other : page)
      if (other.parent_session_id == s.session_id) add(other, depth + 1);
  };
  for (const tools::SessionOut& s : page)
    if (!s.parent_session_id || !is_on_page(*s.parent_session_id)) add(s, 0);
  return out;
}

// Returns whether `text` contains the passage, whatever the blanks and the marks of a cut.
bool contains_passage(std::string_view text, std::string_view passage) {
  std::string wanted = ascii::one_line(passage);
  for (const std::string_view mark : {"…", " "}) {
    if (wanted.starts_with(mark)) wanted.erase(0, mark.size());
    if (wanted.ends_with(mark)) wanted.resize(wanted.size() - mark.size());
  }
  return ascii::one_line(text).find(wanted) != std::string::npos;
}

// Returns the passage that was found if the agent said it. Else, as the prompt stands above it and arguments of tools
// are no sentences, the line of the answer with most of the words found, if it has one.
Line telling_text(const tools::SearchResultOut& r) {
  const auto matches = r.matches.value_or(std::vector<std::int64_t>());
  const Line passage = r.snippet.empty() ? Line(r.assistant_response) : with_matches(r.snippet, matches);
  if (r.snippet.empty() || contains_passage(r.assistant_response, r.snippet)) return passage;
  std::vector<std::string> words;
  for (const Line::Piece& piece : passage.pieces())
    if (piece.style == Style::match) words.push_back(ascii::lowered(piece.text));
  std::string_view best;
  std::size_t most = 0;
  for (std::string_view rest = r.assistant_response; !rest.empty();) {
    const std::string_view line = ascii::take_until(rest, '\n');
    const std::string lower = ascii::lowered(line);
    const auto found = static_cast<std::size_t>(
        std::ranges::count_if(words, [&](const std::string& word) { return lower.find(word) != std::string::npos; }));
    if (found > most || (best.empty() && !ascii::trimmed(line).empty())) best = line;
    most = std::max(most, found);
  }
  const bool repeats_prompt =
      contains_passage(r.user_message, r.snippet) || contains_passage(r.snippet, r.user_message);
  if (best.empty() || (most == 0 && !repeats_prompt)) return passage;
  bool marked = false;
  return with_words(Line(best), words, marked);
}

// Returns marks such as "superseded by x, stale", which a reader needs before the text.
Line marks_of(const tools::MemoryRefOut& memory) {
  Line out;
  if (memory.superseded_by) out.add("  superseded by ", Style::warning).add(*memory.superseded_by, Style::id);
  if (memory.status) out.add("  ").add(*memory.status, *memory.status == "stale" ? Style::warning : Style::good);
  if (memory.changed_since.value_or(false)) out.add("  changed since", Style::warning);
  return out;
}

}  // namespace

void HitsView::memory(const tools::SearchResultOut& r) {
  const Look& look = screen_.look();
  Line head = Line(r.memory->slug, Style::id).add("  ").add(when(r.timestamp, look), Style::faint);
  if (!r.project.empty()) head.add("  ").add(r.project, Style::name);
  head.add("  ").append(title_line(r.session_name)).add("  memory, " + r.memory->type, Style::good);
  screen_.line(head.append(marks_of(*r.memory)).cut(look.columns));
  screen_.text(r.snippet.empty() ? Line(r.assistant_response) : with_marks(r.snippet), kHitIndent, kLinesOfAHit);
}

void HitsView::hit(const tools::SearchResultOut& r) {
  screen_.item();
  if (r.memory) return memory(r);
  const Look& look = screen_.look();
  Line head = Line(r.exchange_id, Style::id).add("  ").add(when(r.timestamp, look), Style::faint);
  if (!r.project.empty()) head.add("  ").add(r.project, Style::name);
  head.add("  ").append(title_line(r.session_name));
  if (!look.is_terminal) head.add("  session ", Style::faint).add(r.session_id, Style::faint);
  if (r.confidence == "low") head.add("  unsure", Style::warning);
  if (r.copies) head.add("  and " + grouped_digits(*r.copies) + " alike", Style::faint);
  if (r.abandoned_for) head.add("  abandoned for " + *r.abandoned_for, Style::warning);
  if (r.data_completeness) head.add("  first lines only", Style::warning);
  screen_.line(head.cut(look.columns));
  if (r.features) {
    Line ranked("ranked by", Style::faint);
    ranked.add(fmt::format(" score {:.2f}", r.relevance_score), Style::faint);
    for (const auto& [name, value] : *r.features)
      if (value != 0) ranked.add(fmt::format("  {} {:.2f}", name, value), Style::faint);
    screen_.text(ranked, kHitIndent);
  }
  if (!r.user_message.empty())
    screen_.line(Line("    ").add("> ", Style::faint).add(r.user_message, Style::faint).cut(look.columns));
  screen_.text(telling_text(r), kHitIndent, kLinesOfAHit);
}

void HitsView::page(const tools::SemanticSearchAnswer& answer) {
  if (answer.with_all_words) {
    const std::int64_t n = *answer.with_all_words;
    counted_ = n == 0 ? "no turn has" : grouped_digits(n) + (n == 1 ? " turn has" : " turns have");
    counted_ += " all the words";
  }
  if (!begun_) {
    Line head;
    if (answer.results.empty()) head.add("Nothing found");
    print_above(screen_, answer, head);
    if (answer.ignored_terms)
      screen_.text(Line("These words did not help: " + tools::joined(*answer.ignored_terms), Style::faint)).blank();
  }
  for (const tools::SearchResultOut& r : answer.results) {
    if (begun_) screen_.blank();
    begun_ = true;
    if (first_id_.empty() && r.memory) first_id_ = "memory show " + r.memory->slug;
    if (first_id_.empty()) first_id_ = "show " + r.exchange_id;
    hit(r);
  }
  begun_ = true;
}

void HitsView::end(const tools::SemanticSearchAnswer& last) {
  std::vector<std::string> commands;
  if (last.weak) commands.emplace_back("--also WORDS, as these match weakly");
  if (last.better_elsewhere) commands.push_back("memd show " + last.better_elsewhere->exchange_id);
  if (!first_id_.empty()) commands.push_back("memd " + first_id_);
  if (!counted_.empty()) commands.push_back(counted_);
  if (last.next) commands.emplace_back("-n N for more");
  print_below(screen_, last, commands);
}

SessionsView::SessionsView(Screen& screen)
    : screen_(screen),
      table_({{"SESSION"},
              {"WHEN"},
              {"STATE", Column::Fit::may_go},
              {"PROJECT", Column::Fit::shrinks_or_goes, false, 8},
              {"TITLE", Column::Fit::shrinks, false, 30},
              {"COST", Column::Fit::may_go, true},
              {"TURNS", Column::Fit::may_go, true},
              {"AGENT", Column::Fit::may_go},
              {"TOOK", Column::Fit::may_go, true},
              {"TOKENS", Column::Fit::may_go, true},
              {"BRANCH", Column::Fit::may_go},
              {"MODEL", Column::Fit::may_go}}) {}

void SessionsView::page(const tools::ListSessionsAnswer& answer) {
  const Look& look = screen_.look();
  if (!begun_) {
    Line head;
    if (answer.sessions.empty()) head.add("No sessions");
    print_above(screen_, answer, head);
  }
  begun_ = true;
  SessionNames names(look);
  for (const tools::SessionOut& s : answer.sessions)
    names.add(s.session_id);
  for (const auto& [row, depth] : below_parents(answer.sessions)) {
    const tools::SessionOut& s = *row;
    ++shown_;
    const std::string name = names.name(s.session_id);
    if (first_id_.empty()) first_id_ = name;
    table_.row({Line(name, Style::id), Line(when(s.last_event_at, look), Style::faint), state_of(s),
                Line(s.worktree ? s.project + "/" + *s.worktree : s.project, Style::name),
                Line(std::string(2 * depth, ' ')).append(title_line(s.session_name)),
                Line(s.cost_usd ? dollars(*s.cost_usd) : ""), Line(grouped_digits(s.exchanges)),
                Line(name_of_agent(s.platform)), Line(short_duration(s.wall_clock_s), Style::faint),
                Line(short_number(s.tokens_input + s.tokens_output + s.tokens_cache_creation), Style::faint),
                Line(s.git_branch, Style::faint), Line(s.model, Style::faint)});
  }
  table_.print(screen_);
}

void SessionsView::end(const tools::ListSessionsAnswer& last) {
  std::vector<std::string> commands;
  const auto total = static_cast<std::size_t>(last.total);
  if (shown_ < total) commands.push_back(fmt::format("{} of {}: memd sessions -n 0 for all", shown_, total));
  if (!first_id_.empty()) commands.push_back("memd summary " + first_id_);
  print_below(screen_, last, commands);
}

}  // namespace memd::cli
