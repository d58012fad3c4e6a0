// Latency of a search over synthetic exchanges, beside a plain FTS5 OR query over the same index.
//   search_bench [exchanges = 100000] [queries per class = 200] [store file: kept and reused]
#include "schemas/hash.hpp"
#include "store/reader.hpp"
#include "store/sqlite/database.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace {

using memd::sqlite::Database;
using memd::sqlite::OpenMode;

constexpr int kVocabulary = 60'000;
constexpr int kExchangesPerSession = 40;

// Words by rank, frequency ~ 1 / rank, every fourth one an identifier as code has them.
class Vocabulary {
 public:
  Vocabulary() {
    constexpr const char* kSyllables[] = {"ra", "ko", "ten", "mi", "sol", "ve", "dar", "lu", "pin", "go", "sha", "er"};
    std::mt19937 random(7);
    std::vector<double> weights;
    for (int rank = 0; rank < kVocabulary; ++rank) {
      std::string word;
      for (int left = rank + 12; left > 0; left /= 12)
        word += kSyllables[left % 12];
      if (rank % 4 == 3) word += rank % 8 == 3 ? "_" + words_[random() % words_.size()] : ".cpp";
      words_.push_back(word);
      weights.push_back(1.0 / (rank + 3));
    }
    pick_ = std::discrete_distribution<int>(weights.begin(), weights.end());
  }

  const std::string& word(std::mt19937& random) { return words_[static_cast<std::size_t>(pick_(random))]; }
  const std::string& ranked(int rank) const { return words_[static_cast<std::size_t>(rank)]; }

  std::string text(std::mt19937& random, int words) {
    std::string out;
    for (int i = 0; i < words; ++i) {
      out += word(random);
      out += i % 12 == 11 ? ".\n" : " ";
    }
    return out;
  }

 private:
  std::vector<std::string> words_;
  std::discrete_distribution<int> pick_;
};

void fill(Database& db, Vocabulary& vocabulary, int exchanges) {
  memd::sqlite::migrate(db);
  std::mt19937 random(11);
  std::lognormal_distribution<double> prompt(3.2, 0.8);
  std::lognormal_distribution<double> answer(4.4, 0.9);
  memd::sqlite::Transaction tx(db);
  db.exec("INSERT INTO projects (identity_key, name) VALUES ('/home/u/project', 'project')");
  for (int i = 0; i < exchanges; ++i) {
    const int session = i / kExchangesPerSession + 1;
    const std::int64_t time = 1'760'000'000'000 + std::int64_t{i} * 60'000;
    if (i % kExchangesPerSession == 0) {
      const std::string native = "session-" + std::to_string(session);
      const std::string title = vocabulary.text(random, 6);
      db.prepare(
            "INSERT INTO sessions (session_pk, uid, platform, native_id, project_pk, title, started_at, ended_at,"
            " next_exchange) VALUES (?, ?, 'claude_code', ?, 1, ?, ?, ?, ?)")
          .bind(session, "claude_code:" + native, native, title, time,
                time + std::int64_t{kExchangesPerSession} * 60'000, kExchangesPerSession)
          .run();
    }
    const auto words = [&](auto& length) { return std::clamp(static_cast<int>(length(random)), 3, 1500); };
    const std::string user = vocabulary.text(random, words(prompt));
    const std::string response = vocabulary.text(random, words(answer));
    const std::string tools = vocabulary.text(random, words(prompt) * 2);
    db.prepare(
          "INSERT INTO exchanges (exchange_pk, session_pk, exchange_number, first_seq, last_seq, started_at, ended_at,"
          " user_message, assistant_response, tool_text, content_hash, ingested_at)"
          " VALUES (?, ?, ?, 0, 0, ?, ?, ?, ?, ?, ?, 0)")
        .bind(i + 1, session, i % kExchangesPerSession, time, time + 50'000, user, response, tools,
              memd::as_sql(memd::hash64(user)))
        .run();
  }
  db.exec("INSERT INTO exchanges_fts (exchanges_fts) VALUES ('rebuild')");
  tx.commit();
}

struct QueryClass {
  const char* name;
  std::vector<std::string> queries;
};

std::vector<QueryClass> query_classes(Vocabulary& vocabulary, int count) {
  std::mt19937 random(13);
  const auto between = [&](int low, int high) {
    return vocabulary.ranked(std::uniform_int_distribution<int>(low, high)(random));
  };
  std::vector<QueryClass> out{{"1 word, rare", {}},
                              {"1 word, common", {}},
                              {"4 words, mixed", {}},
                              {"12 words, natural", {}},
                              {"4 words, since", {}}};
  for (int i = 0; i < count; ++i) {
    out[0].queries.push_back(between(5'000, 40'000));
    out[1].queries.push_back(between(0, 60));
    const std::string mixed =
        between(0, 100) + " " + between(100, 2'000) + " " + between(300, 8'000) + " " + between(2'000, 40'000);
    out[2].queries.push_back(mixed);
    out[3].queries.push_back(vocabulary.text(random, 12));
    out[4].queries.push_back(mixed + " since:2025-10-20 until:2025-12-01");
  }
  return out;
}

std::string naive_match(const std::string& query) {
  std::string out;
  std::string word;
  for (const char c : query + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      word += c;
    } else if (!word.empty()) {
      out += (out.empty() ? "\"" : " OR \"") + word + '"';
      word.clear();
    }
  }
  return out;
}

// Sorted. The CPU time tells the cost also on a machine that others use.
struct Latencies {
  std::vector<double> wall;
  std::vector<double> cpu;
};

double thread_cpu_ms() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

template <class F>
Latencies milliseconds(const std::vector<std::string>& queries, F&& run) {
  Latencies out;
  for (const auto& query : queries) {
    const auto start = std::chrono::steady_clock::now();
    const double cpu = thread_cpu_ms();
    run(query);
    out.cpu.push_back(thread_cpu_ms() - cpu);
    out.wall.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(out.wall.begin(), out.wall.end());
  std::sort(out.cpu.begin(), out.cpu.end());
  return out;
}

void print(const char* name, const char* what, const Latencies& taken) {
  const auto at = [](const std::vector<double>& sorted, double share) {
    return sorted[std::min(sorted.size() - 1, static_cast<std::size_t>(share * static_cast<double>(sorted.size())))];
  };
  fmt::print("{:<20} {:<12} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f}\n", name, what, at(taken.wall, 0.50),
             at(taken.wall, 0.95), at(taken.wall, 0.99), at(taken.cpu, 0.95));
}

}  // namespace

int main(int argc, char** argv) {
  const int exchanges = argc > 1 ? std::atoi(argv[1]) : 100'000;
  const int count = argc > 2 ? std::atoi(argv[2]) : 200;
  if (exchanges < 1 || count < 1) {
    fmt::print(stderr, "usage: search_bench [exchanges] [queries per class] [store file]\n");
    return 2;
  }
  const bool keep = argc > 3;
  const std::filesystem::path file =
      keep ? argv[3] : std::filesystem::temp_directory_path() / fmt::format("memd-search-bench-{}.db", exchanges);
  Vocabulary vocabulary;
  if (!keep) std::filesystem::remove(file);
  if (!std::filesystem::exists(file)) {
    auto db = Database::open(file, OpenMode::read_write);
    fill(db, vocabulary, exchanges);
  }

  memd::Reader reader(file);
  auto naive = Database::open(file, OpenMode::read_only);
  fmt::print("{} exchanges, {:.0f} MB, {} queries a class, milliseconds\n", exchanges,
             static_cast<double>(std::filesystem::file_size(file)) / 1e6, count);
  fmt::print("{:<20} {:<12} {:>9} {:>9} {:>9} {:>9}\n", "class", "", "p50", "p95", "p99", "p95 CPU");
  std::size_t hits = 0;
  for (const QueryClass& c : query_classes(vocabulary, count)) {
    memd::SearchQuery query;
    query.limit = 10;
    const auto ours = milliseconds(c.queries, [&](const std::string& text) {
      query.text = text;
      hits += reader.search(query).value().hits.size();
    });
    // Slow enough that fewer tell the same.
    const std::vector<std::string> some(c.queries.begin(), c.queries.begin() + (std::ssize(c.queries) + 9) / 10);
    const auto theirs = milliseconds(some, [&](const std::string& text) {
      const std::string match = naive_match(text);
      auto& q = naive
                    .prepare(
                        "SELECT rowid, snippet(exchanges_fts, -1, '', '', '', 20) FROM exchanges_fts"
                        " WHERE exchanges_fts MATCH ?1 ORDER BY rank LIMIT 10")
                    .bind(match);
      while (q.step())
        ++hits;
      q.reset();
    });
    print(c.name, "memd", ours);
    print(c.name, "naive OR", theirs);
  }
  fmt::print("{} hits\n", hits);
  if (!keep) std::filesystem::remove(file);
  return 0;
}
