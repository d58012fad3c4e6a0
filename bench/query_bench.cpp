// Measures the latency of semantic_search over a store of any size (P5), by kind of question, beside a plain FTS5 OR of
// the same words in the same run. With MEMD, sends the same questions to the tool of a served process, with one client
// and then 64 at once, and measures that process's memory (P8). make_store makes stores.
//
//   query_bench DIRECTORY/memd.db [QUERIES a kind = 100] [lexical|semantic|hybrid|none = lexical] [MEMD]
#include "bench/served_memd.hpp"
#include "bench/statistics.hpp"
#include "bench/synthetic/prose.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/time.hpp"
#include "schemas/search.hpp"
#include "store/db/database.hpp"
#include "store/reader.hpp"
#include "store/search/words/query_parser.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using namespace memd;

// ---- What is asked.

// Questions of one kind, as people and agents ask them.
struct QueryClass {
  std::string name;
  std::vector<std::string> queries;
};

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

  // Draws the text of some exchange, at least a dozen words.
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

  // Draws a word of `words` that occurs in `least` to `most` of a million exchanges; any plain word if there is none.
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

  // Returns the frequency of the exact word; its stem may be more frequent.
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

// Makes a question of unrelated words: each from another exchange, and one that never occurs.
std::string stranger(Sampler& s) {
  std::string out = "zq" + std::to_string(s.below(100'000)) + "x";
  for (int i = 0; i < 5; ++i)
    out += " " + s.word(s.text(), 200, 50'000);
  return out;
}

// Makes `count` questions of each kind about the store's content, drawn from its exchanges and files. The same store
// gives the same questions. Throws ErrorException.
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

// Joins all words of the question by OR: the FTS5 query of a search without a plan.
std::string naive_match(const std::string& query) {
  std::string out;
  for (const auto& word : words_of(query))
    out += (out.empty() ? "\"" : " OR \"") + word + '"';
  return out;
}

// ---- How long it takes.

// Questions of each kind for the naive OR. It is so slow that few suffice, and on a large store one.
constexpr std::size_t kNaiveQueries = 5;
constexpr double kLargeStore = 2e9;  // bytes
constexpr int kClients = 64;
constexpr std::size_t kPhrasings = 4;

// Latencies in milliseconds. The CPU time shows the cost even on a shared machine.
struct Latencies {
  std::vector<double> wall;
  std::vector<double> cpu;

  void add(const Latencies& more) {
    wall.insert(wall.end(), more.wall.begin(), more.wall.end());
    cpu.insert(cpu.end(), more.cpu.begin(), more.cpu.end());
  }
};

double cpu_ms() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

template <class F>
Latencies measure(const std::vector<std::string>& queries, std::size_t most, F&& run) {
  Latencies out;
  for (std::size_t i = 0; i < std::min(most, queries.size()); ++i) {
    const auto start = std::chrono::steady_clock::now();
    const double cpu = cpu_ms();
    run(queries[i]);
    out.cpu.push_back(cpu_ms() - cpu);
    out.wall.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  return out;
}

void row(const std::string& kind, const char* how, const Latencies& taken) {
  std::printf("%-20s %-9s %9.2f %9.2f %9.2f %11.2f %9.2f\n", kind.c_str(), how, bench::percentile(taken.wall, 0.5),
              bench::percentile(taken.wall, 0.95), bench::percentile(taken.wall, 0.99),
              bench::percentile(taken.cpu, 0.5), bench::percentile(taken.cpu, 0.95));
  std::fflush(stdout);
}

// Returns the CPU time of all threads in milliseconds; the system counts in steps of ten.
double cpu_of_process_ms(const std::string& process) {
  std::ifstream file("/proc/" + process + "/stat");
  std::string line;
  std::getline(file, line);
  std::istringstream fields(line.substr(line.rfind(')') + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i)
    fields >> skipped;
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) * 1000 / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double memory_mb(const std::string& process, const std::string& what) {
  std::ifstream status("/proc/" + process + "/status");
  for (std::string name; status >> name;)
    if (double kb = 0; name == what && status >> kb) return kb / 1024;
  return 0;
}

SearchMode mode_of(const std::string& name) {
  if (name == "lexical") return SearchMode::lexical;
  if (name == "semantic") return SearchMode::semantic;
  if (name == "hybrid") return SearchMode::hybrid;
  throw std::runtime_error("no such mode: " + name);
}

void in_process(const fs::path& store, const std::vector<QueryClass>& classes, SearchMode mode) {
  Reader reader(store);
  auto naive = sqlite::Database::open(store, sqlite::OpenMode::read_only);
  std::printf("%-20s %-9s %9s %9s %9s %11s %9s\n", "kind", "", "p50 ms", "p95 ms", "p99 ms", "CPU p50 ms", "p95 ms");
  Latencies all;
  Latencies all_phrased;  // with the next questions of the kind as further phrasings
  Latencies all_naive;
  std::size_t hits = 0;
  const std::size_t naive_queries = static_cast<double>(fs::file_size(store)) > kLargeStore ? 1 : kNaiveQueries;
  for (const QueryClass& c : classes) {
    SearchQuery query;
    query.limit = 10;
    query.mode = mode;
    const auto ours = measure(c.queries, c.queries.size(), [&](const std::string& text) {
      query.asked = search::parse_query(text);
      hits += reader.search(query).value().hits.size();
    });
    row(c.name, "memd", ours);
    all.add(ours);
    std::size_t at = 0;
    const auto phrased = measure(c.queries, c.queries.size(), [&](const std::string& text) {
      query.asked = search::parse_query(text);
      ++at;
      for (std::size_t i = 0; i < kPhrasings; ++i)
        query.also.push_back(c.queries[(at + i) % c.queries.size()]);
      hits += reader.search(query).value().hits.size();
      query.also.clear();
    });
    row("", "+ 4 more", phrased);
    all_phrased.add(phrased);
    const auto theirs = measure(c.queries, naive_queries, [&](const std::string& text) {
      const std::string match = naive_match(text);
      auto& q = naive
                    .prepare(
                        "SELECT rowid, snippet(exchanges_fts, -1, '', '', '', 20) FROM exchanges_fts"
                        " WHERE exchanges_fts MATCH ? ORDER BY rank LIMIT 10")
                    .bind(match);
      while (q.step())
        ++hits;
      q.reset();
    });
    row("", "naive OR", theirs);
    all_naive.add(theirs);
  }
  row("all (P5)", "memd", all);
  row("", "+ 4 more", all_phrased);
  row("", "naive OR", all_naive);
  std::printf("%zu hits; memory of this process %.0f MiB, at most %.0f\n", hits, memory_mb("self", "VmRSS:"),
              memory_mb("self", "VmHWM:"));
  std::printf("{\"p50_ms\":%.2f,\"p95_ms\":%.2f,\"p99_ms\":%.2f,\"cpu_p95_ms\":%.2f,\"naive_p50_ms\":%.1f}\n",
              bench::percentile(all.wall, 0.5), bench::percentile(all.wall, 0.95), bench::percentile(all.wall, 0.99),
              bench::percentile(all.cpu, 0.95), bench::percentile(all_naive.wall, 0.5));
}

void served(const fs::path& memd, const fs::path& store, const std::vector<QueryClass>& classes) {
  if (store.filename() != "memd.db") throw std::runtime_error("a store to be served must be called memd.db");
  bench::Setup setup(memd);
  setup.data = fs::absolute(store).parent_path();
  bench::Child child(setup.memd, setup.arguments({"--stdio"}));
  child.ask(
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})");
  std::string pid;
  std::ifstream(setup.data / "memd.pid") >> pid;
  const auto calls = [&](const std::string& what, const std::vector<std::string>& queries, int clients,
                         int calls_each) {
    const auto request = [&](int id) {
      // Neighbouring requests ask different questions.
      const std::string& query = queries[static_cast<std::size_t>(id) * 7919 % queries.size()];
      return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
             R"(,"method":"tools/call","params":{"name":"semantic_search","arguments":{"query":)" +
             bench::json_string(query) + "}}}";
    };
    const double cpu = cpu_of_process_ms(pid);
    const auto ms = bench::hammer(setup.socket(), clients, 1, calls_each, request);
    std::printf("%-20s %-9s %9.2f %9.2f %9.2f %11.2f\n", what.c_str(), ("x" + std::to_string(clients)).c_str(),
                bench::percentile(ms, 0.5), bench::percentile(ms, 0.95), bench::percentile(ms, 0.99),
                (cpu_of_process_ms(pid) - cpu) / static_cast<double>(ms.size()));
    std::fflush(stdout);
  };
  std::printf("\nserved, hybrid: %-4s %-9s %9s %9s %9s %11s\n", "", "clients", "p50 ms", "p95 ms", "p99 ms",
              "CPU, mean");
  std::vector<std::string> queries;  // of people, for P5
  calls("(warming up)", classes.front().queries, 1, static_cast<int>(classes.front().queries.size()));
  for (const QueryClass& c : classes) {
    calls(c.name, c.queries, 1, static_cast<int>(c.queries.size()));
    if (c.name != "stack trace") queries.insert(queries.end(), c.queries.begin(), c.queries.end());
  }
  calls("all but traces (P5)", queries, 1, static_cast<int>(queries.size()));
  calls("all but traces", queries, kClients, static_cast<int>(queries.size() / 8 + 1));
  std::printf("memory of the process %.0f MiB, at most %.0f\n", memory_mb(pid, "VmRSS:"), memory_mb(pid, "VmHWM:"));
  child.close();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: query_bench DIRECTORY/memd.db [QUERIES] [lexical|semantic|hybrid|none] [MEMD]\n", stderr);
    return 2;
  }
  try {
    const fs::path store = argv[1];
    const auto classes = query_classes(store, argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100);
    std::printf("%s: %.0f MB\n", store.c_str(), static_cast<double>(fs::file_size(store)) / 1e6);
    const std::string mode = argc > 3 ? argv[3] : "lexical";
    if (mode != "none") in_process(store, classes, mode_of(mode));
    if (argc > 4) served(argv[4], store, classes);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "query_bench: %s\n", e.what());
    return 1;
  }
  return 0;
}
