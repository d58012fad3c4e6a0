// Writes to a team's database and asks it, by the code that a memd uses. bench/team/run.py starts a server for it.
//
//   team_bench write URL EXCHANGES PEOPLE SHARES   segments, then rows, by two people at once
//   team_bench ask URL SHARES CLIENTS SECONDS      searches of two to six words
//   team_bench near URL SHARES CLIENTS SECONDS     the same by meaning
//   team_bench look URL NUMBER                     looks for news so often
//   team_bench questions SHARES NUMBER             prints some: the project, the words, the vector
//   team_bench --texts FILE …                      takes runs of the file's words instead of words by Zipf's law
#include "bench/statistics.hpp"
#include "daemon/sharing/segment.hpp"
#include "daemon/sharing/share_place.hpp"
#include "daemon/sharing/turn_vectors.hpp"
#include "schemas/base/ascii.hpp"
#include "store/enrich/embedding/embedder.hpp"
#include "store/files/whole_file.hpp"
#include "store/search/vectors/codes.hpp"
#include "store/team/team_database.hpp"
#include "store/team/team_inquiry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace memd;
using Clock = std::chrono::steady_clock;

constexpr int kExchangesOfSession = 25;
constexpr int kWriters = 2;
constexpr std::size_t kVocabulary = 60'000;
constexpr std::size_t kStopWords = 100;  // the commonest are in texts, and nobody asks for them
constexpr TimeMs kBegin = 1'700'000'000'000;
constexpr TimeMs kTwoYears = TimeMs{2} * 365 * 86'400'000;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// Words by Zipf's law, or those of a file in its order. The same for all; each thread has its own draws.
class Vocabulary {
 public:
  explicit Vocabulary(const std::string& file)
      : text_(file.empty() ? std::string() : ascii::lowered(must(files::read_whole(file)))) {
    constexpr std::string_view kOfWords = "abcdefghijklmnopqrstuvwxyz0123456789_";
    for (auto at = text_.find_first_of(kOfWords); at < text_.size();) {
      const auto end = std::min(text_.find_first_not_of(kOfWords, at), text_.size());
      running_.push_back(std::string_view(text_).substr(at, end - at));
      at = text_.find_first_of(kOfWords, end);
    }
    std::mt19937 engine(7);
    static constexpr std::string_view kSyllables[] = {"ba",  "cer", "din", "fo",  "gan", "hu",   "king", "la",
                                                      "mer", "no",  "pri", "ran", "sto", "ting", "ver",  "zu"};
    for (std::size_t i = 0; i < kVocabulary; ++i) {
      std::string word;
      for (std::uint32_t n = 1 + engine() % 4; n > 0; --n)
        word += kSyllables[engine() % std::size(kSyllables)];
      words_.push_back(word + std::to_string(i % 7 == 0 ? i : i % 97));
      weights_.push_back((weights_.empty() ? 0 : weights_.back()) + 1.0 / (static_cast<double>(i) + 3));
    }
  }
  // The place of a word.
  std::size_t draw(std::mt19937_64& engine) const {
    if (!running_.empty()) return engine() % running_.size();
    const double at = std::uniform_real_distribution<double>(0, weights_.back())(engine);
    return static_cast<std::size_t>(std::upper_bound(weights_.begin(), weights_.end(), at) - weights_.begin());
  }
  // That of the word which follows in a text.
  std::size_t after(std::size_t at, std::mt19937_64& engine) const {
    return running_.empty() ? draw(engine) : (at + 1) % running_.size();
  }
  std::string_view word(std::size_t at) const {
    return running_.empty() ? words_[std::min(at, words_.size() - 1)] : running_[at];
  }
  // Whether people ask for it.
  bool is_asked(std::size_t at) const { return running_.empty() ? at >= kStopWords : running_[at].size() > 4; }

 private:
  const std::string text_;
  std::vector<std::string_view> running_;
  std::vector<std::string> words_;
  std::vector<double> weights_;
};

std::string project_of(int share) { return "project" + std::to_string(share); }

// A session as a row of each of its exchanges, and as lines of events.
struct Session {
  std::string uid;
  std::vector<TeamExchange> rows;
  std::string lines;
};

class Author {
 public:
  Author(const Vocabulary& vocabulary, std::uint64_t seed) : vocabulary_(vocabulary), engine_(seed) {}

  Session session(int number) {
    Session out;
    out.uid = fmt::format("claude_code:{:08d}-1111-4111-8111-111111111111", number);
    const TimeMs begin = kBegin + static_cast<TimeMs>(engine_() % static_cast<std::uint64_t>(kTwoYears));
    for (int i = 0; i < kExchangesOfSession; ++i) {
      counts_.clear();
      TeamExchange row;
      row.number = i;
      row.hash = static_cast<std::int64_t>(engine_() >> 2);
      row.started_at = begin + i * 60'000;
      row.question = text(20, 60, row.length);
      row.answer = text(40, 480, row.length);
      for (const auto& [word, count] : counts_) {
        row.words.append("'").append(word).append("'");
        for (int at = 1; count > 1 && at <= std::min(count, 15); ++at)
          row.words.append(at == 1 ? ":" : ",").append(std::to_string(at));
        row.words += ' ';
      }
      std::int64_t ignored = 0;
      const std::string result = text(40, 800, ignored);
      for (const auto& [kind, said] : {std::pair<const char*, const std::string&>("prompt", row.question),
                                       {"tool_result", result},
                                       {"response", row.answer}})
        out.lines += fmt::format(
            R"({{"v":1,"id":"evt_{:016x}","ts":"2026-01-01T00:00:00.000Z","session_id":"{}","kind":"{}","text":"{}"}})"
            "\n",
            engine_(), out.uid, kind, said);
      for (std::uint64_t n = engine_() % 3; n > 0; --n)
        row.changes.push_back({fmt::format("src/part{}/file{}.cpp", engine_() % 40, engine_() % 400), 12, 3});
      if (engine_() % 5 == 0)
        row.observations.push_back({engine_() % 2 == 0 ? "decision" : "problem", row.started_at, row.question});
      out.rows.push_back(std::move(row));
    }
    return out;
  }
  // As tsquery writes them.
  std::vector<std::string> asked() {
    std::vector<std::string> out;
    const std::size_t wanted = 2 + engine_() % 5;
    for (auto at = vocabulary_.draw(engine_); out.size() < wanted; at = vocabulary_.after(at, engine_))
      if (vocabulary_.is_asked(at)) out.push_back(fmt::format("'{}'", vocabulary_.word(at)));
    return out;
  }
  std::uint64_t number() { return engine_(); }

 private:
  std::string text(std::uint64_t least, std::uint64_t most, std::int64_t& length) {
    std::string out;
    std::size_t at = vocabulary_.draw(engine_);
    for (std::uint64_t n = least + engine_() % (most - least); n > 0; --n, ++length) {
      const std::string_view word = vocabulary_.word(at);
      at = vocabulary_.after(at, engine_);
      ++counts_[word];
      out.append(word).append(1, ' ');
    }
    return out;
  }
  const Vocabulary& vocabulary_;
  std::mt19937_64 engine_;
  std::map<std::string_view, int> counts_;
};

std::int64_t bytes_of(const TeamExchange& row) {
  std::size_t out = row.words.size() + row.question.size() + row.answer.size();
  for (const auto& vector : row.vectors)
    out += vector.size();
  return static_cast<std::int64_t>(out);
}

// Of the words without their quotes.
std::vector<std::int8_t> vector_of(const std::vector<std::string>& words) {
  std::string text = fmt::format("{}", fmt::join(words, " "));
  std::erase(text, '\'');
  std::vector<std::int8_t> out;
  vectors::append_quantised(embedding::builtin_embedder().table().embed(text), out);
  return out;
}

// Has two people at a time do the work of all: `work(person, author, database)`. Returns the seconds it took.
template <class Work>
double by_all(const std::string& url, const Vocabulary& vocabulary, int people, Work&& work) {
  std::atomic<int> next = 0;
  const auto start = Clock::now();
  std::vector<std::jthread> threads;
  for (int i = 0; i < kWriters; ++i)
    threads.emplace_back([&] {
      team::TeamDatabase database(url);
      for (int person = next++; person < people; person = next++) {
        Author author(vocabulary, static_cast<std::uint64_t>(person));
        work(person, author, database);
      }
    });
  threads.clear();
  return seconds_since(start);
}

void write(const Vocabulary& vocabulary, const std::string& url, int exchanges, int people, int shares) {
  const std::string model = embedding::builtin_embedder().model().name;
  const int sessions = std::max(exchanges / people / kExchangesOfSession, 1);
  std::map<int, team::TeamShare> there;
  team::TeamDatabase first(url);
  for (int share = 0; share < shares; ++share)
    there[share] = must(first.make(project_of(share)));
  const auto machine_of = [](int person) { return fmt::format("{:016x}", person + 1); };
  std::atomic<std::int64_t> bytes = 0;
  std::atomic<std::int64_t> sent = 0;
  std::atomic<double> making = 0;  // s, of both: a memd has its history already

  double seconds = by_all(url, vocabulary, people, [&](int person, Author& author, team::TeamDatabase& database) {
    const std::string machine = machine_of(person);
    std::vector<team::TeamFile> files{{"members/" + machine + ".json", machine, 0, false, "{}"}};
    for (int i = 0; i < sessions; ++i) {
      const auto start = Clock::now();
      Session session = author.session(person * sessions + i);
      making += seconds_since(start);
      sharing::Segment segment;
      segment.head.session_id = session.uid;
      segment.lines = std::move(session.lines);
      std::string file = sharing::encode(segment, nullptr);
      bytes += static_cast<std::int64_t>(file.size());
      sent += static_cast<std::int64_t>(segment.lines.size());
      const std::string path = "segments/" + machine + "/" + sharing::name_of(file);
      files.push_back({path, machine, 0, false, std::move(file)});
    }
    must(database.write(there.at(person % shares), files));
  });
  seconds -= making / kWriters;
  fmt::print("segments: {:.1f} MB/s of files ({:.1f} MB/s of lines), {:.0f} bytes of files an exchange\n",
             static_cast<double>(bytes) / 1e6 / seconds, static_cast<double>(sent) / 1e6 / seconds,
             static_cast<double>(bytes) / people / sessions / kExchangesOfSession);

  bytes = 0;
  making = 0;
  seconds = by_all(url, vocabulary, people, [&](int person, Author& author, team::TeamDatabase& database) {
    for (int i = 0; i < sessions; ++i) {
      const auto start = Clock::now();
      Session session = author.session(person * sessions + i);
      for (TeamExchange& row : session.rows) {
        ExchangeRow texts;
        texts.user_message = row.question;
        texts.assistant_response = row.answer;
        row.vectors = sharing::vectors_of(texts);
        bytes += bytes_of(row);
      }
      making += seconds_since(start);
      const team::TeamSession head{session.uid, fmt::format("p{}@laptop", person), "claude_code", "A session", "all",
                                   false};
      must(database.write_rows(there.at(person % shares), machine_of(person), head, {}, session.rows, model));
    }
  });
  seconds -= making / kWriters;
  const double rows = static_cast<double>(people) * sessions * kExchangesOfSession;
  fmt::print("rows: {:.0f}, {:.0f} bytes each as sent: {:.1f} MB/s, {:.0f} rows/s\n", rows,
             static_cast<double>(bytes) / rows, static_cast<double>(bytes) / 1e6 / seconds, rows / seconds);
}

void ask(const Vocabulary& vocabulary, const std::string& url, int shares, int clients, int seconds, bool by_meaning) {
  team::TeamInquiries inquiries;
  std::mutex mutex;
  std::vector<double> times;  // ms; guarded by mutex
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  std::vector<std::jthread> threads;
  for (int i = 0; i < clients; ++i)
    threads.emplace_back([&, i] {
      Author author(vocabulary, 1000 + static_cast<std::uint64_t>(i));
      for (bool is_first = true; Clock::now() < end; is_first = false) {
        team::TeamScope scope;
        scope.project = project_of(static_cast<int>(author.number() % static_cast<std::uint64_t>(shares)));
        const std::vector<std::string> words = author.asked();
        const auto start = Clock::now();
        const auto answer = [&](const auto& question) {
          constexpr auto kPatience = std::chrono::seconds(60);
          auto inquiry = inquiries.ask(url, scope, question, kPatience);
          must(inquiry.answer(start + kPatience));
        };
        if (by_meaning)
          answer(team::TeamNear{embedding::builtin_embedder().model().name, vector_of(words), {}, {}, {}});
        else
          answer(team::TeamSearch{words, {}});
        const std::lock_guard lock(mutex);
        if (!is_first) times.push_back(seconds_since(start) * 1000);  // the first one connects
      }
    });
  threads.clear();
  fmt::print("{} client{}: p50 {:.1f} ms, p95 {:.1f} ms, {} searches\n", clients, clients > 1 ? "s" : "",
             bench::median(times), bench::percentile(times, .95), times.size());
}

void look(const std::string& url, int number) {
  team::TeamDatabase database(url);
  for (int i = 0; i < number; ++i)
    must(database.look(project_of(0)));
}

void print_questions(const Vocabulary& vocabulary, int shares, int number) {
  Author author(vocabulary, 999);
  for (int i = 0; i < number; ++i) {
    const std::vector<std::string> words = author.asked();
    fmt::print("{}\t{}\t{}\n", project_of(i % shares), fmt::join(words, " "), fmt::join(vector_of(words), ","));
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  try {
    const bool has_texts = words.size() > 2 && words[0] == "--texts";
    const Vocabulary vocabulary(has_texts ? words[1] : std::string());
    if (has_texts) words.erase(words.begin(), words.begin() + 2);
    if (words.size() == 5 && words[0] == "write")
      write(vocabulary, words[1], std::stoi(words[2]), std::stoi(words[3]), std::stoi(words[4]));
    else if (words.size() == 5 && (words[0] == "ask" || words[0] == "near"))
      ask(vocabulary, words[1], std::stoi(words[2]), std::stoi(words[3]), std::stoi(words[4]), words[0] == "near");
    else if (words.size() == 3 && words[0] == "look")
      look(words[1], std::stoi(words[2]));
    else if (words.size() == 3 && words[0] == "questions")
      print_questions(vocabulary, std::stoi(words[1]), std::stoi(words[2]));
    else
      throw std::runtime_error("see the beginning of bench/team/team_bench.cpp");
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
  return 0;
}
