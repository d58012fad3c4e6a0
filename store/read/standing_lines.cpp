#include "store/read/standing_lines.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/sql_text.hpp"
#include "store/insight/continuity/evidence.hpp"
#include "store/insight/continuity/sentences.hpp"
#include "store/text/words.hpp"

#include <algorithm>
#include <set>

namespace memd {
namespace {

constexpr std::int64_t kTurnsRead = 400;   // the latest of the project
constexpr std::size_t kReadOfTurn = 2000;  // bytes
constexpr std::size_t kShortestLine = 20;  // bytes
constexpr std::size_t kLongestLine = 200;
constexpr std::size_t kLeastWords = 3;  // that carry a subject
constexpr double kSame = 0.6;           // least share of common words
constexpr std::size_t kLeastSessions = 2;
constexpr std::size_t kLeastSessionsOfChecks = 3;

struct Said {
  StandingLine line;
  std::vector<std::string> words;  // sorted
  bool denied = false;
  bool of_checks = false;
  std::set<std::int64_t> sessions;
};

// Returns the sentence's words without stop words and without the plural's s, and whether it denies something.
Said understood(std::string_view sentence) {
  Said out;
  const std::string text = continuity::normalized_sentence(sentence);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, end - at);
    at = end + 1;
    if (word.size() < 2) continue;
    if (words(WordClass::denial).has(word))
      out.denied = !out.denied;
    else if (!is_stop_word(word)) {
      if (word.size() > 3 && word.ends_with('s') && !word.ends_with("ss")) word.pop_back();
      out.of_checks |= words(WordClass::check).has(word);
      out.words.push_back(std::move(word));
    }
  }
  std::sort(out.words.begin(), out.words.end());
  out.words.erase(std::unique(out.words.begin(), out.words.end()), out.words.end());
  return out;
}

bool is_same(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::size_t common = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    common += *i == *j ? 1 : 0;
    const bool first = *i <= *j;
    const bool second = *j <= *i;
    i += first ? 1 : 0;
    j += second ? 1 : 0;
  }
  return static_cast<double>(common) >= kSame * static_cast<double>(a.size() + b.size() - common);
}

// Calls `f` for each rule and each short request of a turn, and for what a person said when refusing a call. What names
// an address is of one day.
template <class F>
void each_line(std::string_view text, bool whole, F&& f) {
  continuity::for_each_sentence(text.substr(0, kReadOfTurn), kShortestLine, kLongestLine, [&](std::string_view line) {
    if ((whole || continuity::binding_force(line) > 0) && line.find("://") == std::string_view::npos) f(line);
  });
}

}  // namespace

StandingLinesQuery::Answer StandingLinesQuery::run(sqlite::Database& db) const {
  std::vector<Said> known;
  auto& q =
      db.query(sql_text("SELECT e.exchange_pk, e.session_pk, e.started_at, e.user_message || char(10) ||"
                        " coalesce(e.interventions, '') FROM exchanges e JOIN sessions s USING (session_pk)"
                        " JOIN projects p USING (project_pk) WHERE p.identity_key = ?1 AND e.started_at >= ?2"
                        " AND s.kind = SessionKind::main AND e.origin <> Origin::injected"
                        " AND e.user_message NOT GLOB '<*' ORDER BY e.started_at DESC, e.exchange_pk DESC LIMIT ?3"),
               project, since, kTurnsRead);
  while (q.step()) {
    const std::string text(q.str(3));
    const bool brief = text.size() <= kLongestLine && !continuity::is_continue_prompt(text);
    each_line(text, brief, [&](std::string_view sentence) {
      Said said = understood(sentence);
      if (said.words.size() < kLeastWords) return;
      const auto same = std::ranges::find_if(known, [&](const Said& k) { return is_same(k.words, said.words); });
      if (same == known.end()) {
        said.line = {std::string(sentence), 1, q.int64(2), q.int64(0)};
        said.sessions.insert(q.int64(1));
        known.push_back(std::move(said));
      } else if (same->denied == said.denied) {
        same->sessions.insert(q.int64(1));
      }
    });
  }
  std::erase_if(known, [](const Said& said) {
    return said.sessions.size() < (said.of_checks ? kLeastSessionsOfChecks : kLeastSessions);
  });
  std::stable_sort(known.begin(), known.end(),
                   [](const Said& a, const Said& b) { return a.sessions.size() > b.sessions.size(); });
  Answer out;
  for (Said& said : known) {
    if (out.size() == limit) break;
    said.line.sessions = static_cast<std::int64_t>(said.sessions.size());
    out.push_back(std::move(said.line));
  }
  return out;
}

}  // namespace memd
