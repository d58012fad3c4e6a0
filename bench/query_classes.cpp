#include "bench/query_classes.hpp"

#include "schemas/ascii.hpp"
#include "schemas/time.hpp"
#include "store/db/database.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace memd::bench {
namespace {

constexpr std::array kOpenings{"how did we ",
                               "why does the ",
                               "what was the reason that ",
                               "where do we set the ",
                               "when did you last change the ",
                               "which of the tests covers the "};
constexpr std::array kLinks{" in the ", " for the ", " when it should be ", " and why is it not ",
                            " after the change to "};

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  std::string word;
  for (const char c : text) {
    if (ascii::is_word(c)) {
      word += c;
    } else if (!word.empty()) {
      out.push_back(std::exchange(word, {}));
    }
  }
  if (!word.empty()) out.push_back(word);
  return out;
}

bool is_plain(const std::string& word) {
  return word.size() > 2 && std::all_of(word.begin(), word.end(), ascii::is_lower);
}

bool is_identifier(const std::string& word) {
  const auto inner = [&](char c) { return c == '_' || ascii::is_upper(c); };
  return word.size() > 6 && std::any_of(word.begin() + 1, word.end(), inner) &&
         std::any_of(word.begin(), word.end(), ascii::is_lower);
}

class Sampler {
 public:
  explicit Sampler(const std::filesystem::path& store)
      : db_(sqlite::Database::open(store, sqlite::OpenMode::read_only)) {
    db_.exec("PRAGMA query_only = OFF");
    db_.exec("CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, exchanges_fts, row)");
    exchanges_ = number("SELECT max(exchange_pk) FROM exchanges");
    paths_ = number("SELECT coalesce(max(path_pk), 0) FROM paths");
    first_ = number("SELECT min(nullif(started_at, 0)) FROM exchanges");
    last_ = number("SELECT max(started_at) FROM exchanges");
  }

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  template <class T>
  const T& any(const std::vector<T>& of) {
    return of[below(of.size())];
  }
  template <std::size_t N>
  const char* any(const std::array<const char*, N>& of) {
    return of[below(N)];
  }

  // What some exchange says, at least a dozen words.
  std::vector<std::string> text() {
    for (;;) {
      auto& q = db_.prepare(
                       "SELECT coalesce(user_message, '') || ' ' || coalesce(assistant_response, '') FROM exchanges"
                       " WHERE exchange_pk >= ? LIMIT 1")
                    .bind(1 + below(static_cast<std::size_t>(exchanges_)));
      std::vector<std::string> words;
      if (q.step()) words = words_of(q.text(0).substr(0, 20'000));
      q.reset();
      if (words.size() >= 12) return words;
    }
  }

  // A word of `words` that between `least` and `most` of a million exchanges hold; any plain one if none does.
  std::string word(const std::vector<std::string>& words, double least, double most) {
    std::string found = any(words);
    for (int tries = 0; tries < 40; ++tries) {
      const std::string& w = any(words);
      if (!is_plain(w)) continue;
      found = w;
      const double share = 1e6 * static_cast<double>(frequency(w)) / static_cast<double>(exchanges_);
      if (share >= least && share <= most) break;
    }
    return found;
  }

  std::string identifier() {
    for (int tries = 0; tries < 200; ++tries)
      for (const auto& w : text())
        if (is_identifier(w)) return w;
    return "make_unique";
  }

  std::string path() {
    if (paths_ == 0) return "/src/main.cpp";
    auto& q = db_.prepare("SELECT path FROM paths WHERE path_pk >= ? LIMIT 1")
                  .bind(1 + below(static_cast<std::size_t>(paths_)));
    std::string out = q.step() ? q.str(0) : std::string("/src/main.cpp");
    q.reset();
    return out;
  }

  std::string day() {
    const auto span = static_cast<std::size_t>(std::max<std::int64_t>(1, last_ - first_));
    return format_rfc3339(first_ + static_cast<TimeMs>(below(span))).substr(0, 10);
  }

 private:
  std::int64_t number(const char* sql) {
    auto& q = db_.prepare(sql);
    const std::int64_t n = q.step() ? q.int64(0) : 0;
    q.reset();
    return n;
  }

  // Of the word as it stands; its stem may be commoner.
  std::int64_t frequency(const std::string& word) {
    const auto [known, fresh] = frequencies_.try_emplace(word, 0);
    if (!fresh) return known->second;
    auto& q = db_.prepare("SELECT doc FROM temp.words WHERE term = ?").bind(word);
    if (q.step()) known->second = q.int64(0);
    q.reset();
    return known->second;
  }

  sqlite::Database db_;
  std::mt19937_64 random_{17};
  std::unordered_map<std::string, std::int64_t> frequencies_;
  std::int64_t exchanges_ = 0;
  std::int64_t paths_ = 0;
  TimeMs first_ = 0;
  TimeMs last_ = 0;
};

std::string question(Sampler& s) {
  const auto words = s.text();
  return s.any(kOpenings) + s.word(words, 20, 5'000) + " " + s.word(words, 500, 50'000) + s.any(kLinks) +
         s.word(words, 20, 20'000) + " " + s.word(words, 1'000, 100'000);
}

std::string trace(Sampler& s) {
  std::string out = "Traceback (most recent call last):\n";
  for (int i = 0; i < 6; ++i)
    out += "  File \"" + s.path() + "\", line " + std::to_string(s.below(900)) + ", in " + s.identifier() + "\n";
  return out + "TypeError: cannot read property of " + s.identifier() + "\n";
}

std::string phrase(Sampler& s) {
  const auto words = s.text();
  const std::size_t at = s.below(words.size() - 3);
  return '"' + words[at] + ' ' + words[at + 1] + ' ' + words[at + 2] + '"';
}

// Of words that say nothing together: each from another exchange, and one that nobody ever said.
std::string stranger(Sampler& s) {
  std::string out = "zq" + std::to_string(s.below(100'000)) + "x";
  for (int i = 0; i < 5; ++i)
    out += " " + s.word(s.text(), 200, 50'000);
  return out;
}

}  // namespace

std::vector<QueryClass> query_classes(const std::filesystem::path& store, std::size_t count) {
  Sampler s(store);
  std::vector<QueryClass> out;
  const auto add = [&](const char* name, auto&& make) {
    QueryClass c{name, {}};
    for (std::size_t i = 0; i < count; ++i)
      c.queries.push_back(make());
    out.push_back(std::move(c));
  };
  add("rare word", [&] { return s.word(s.text(), 1, 60); });
  add("common word", [&] { return s.word(s.text(), 50'000, 1'000'000); });
  add("4 words, mixed", [&] {
    const auto words = s.text();
    return s.word(words, 100'000, 1e6) + " " + s.word(words, 5'000, 100'000) + " " + s.word(words, 100, 5'000) + " " +
           s.word(words, 1, 500);
  });
  add("natural question", [&] { return question(s); });
  add("identifier", [&] { return s.identifier(); });
  add("path", [&] { return s.path(); });
  add("phrase", [&] { return phrase(s); });
  add("stack trace", [&] { return trace(s); });
  add("words of strangers", [&] { return stranger(s); });
  add("words, since until", [&] {
    const auto words = s.text();
    std::string from = s.day();
    std::string to = s.day();
    if (to < from) std::swap(from, to);
    return s.word(words, 100, 20'000) + " " + s.word(words, 1'000, 100'000) + " since:" + from + " until:" + to;
  });
  add("words, path:", [&] {
    const std::string path = s.path();
    return s.word(s.text(), 500, 50'000) + " path:" + path.substr(path.rfind('/') + 1);
  });
  add("words, tool:", [&] { return s.word(s.text(), 500, 50'000) + (s.below(2) == 0 ? " tool:edit" : " tool:bash"); });
  add("tool: alone", [&] {
    return std::string(s.below(3) == 0 ? "tool:task" : s.below(2) == 0 ? "tool:grep" : "tool:nosuch");
  });
  return out;
}

std::string naive_match(const std::string& query) {
  std::string out;
  for (const auto& word : words_of(query))
    out += (out.empty() ? "\"" : " OR \"") + word + '"';
  return out;
}

}  // namespace memd::bench
