// Latency of semantic_search over a store of any size (P5), by kind of question, beside a plain FTS5 OR of the same
// words in the same run; with MEMD, the same questions through the tool of a served process, one client and then 64 at
// once, and that process's memory (P8). make_store makes stores.
//
//   query_bench DIRECTORY/memd.db [QUERIES a kind = 100] [lexical|semantic|hybrid|none = lexical] [MEMD]
#include "bench/query_classes.hpp"
#include "bench/served_memd.hpp"
#include "bench/statistics.hpp"
#include "bench/synthetic/prose.hpp"
#include "store/db/database.hpp"
#include "store/reader.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using namespace memd;
using bench::QueryClass;

// Of a kind, for the naive OR: slow enough that few tell, and of a large store one.
constexpr std::size_t kNaiveQueries = 5;
constexpr double kLargeStore = 2e9;  // bytes
constexpr int kClients = 64;

// In milliseconds. The CPU time tells the cost also on a machine that others use.
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

// Of all threads, in milliseconds; the system counts in steps of ten.
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
  Latencies all_naive;
  std::size_t hits = 0;
  const std::size_t naive_queries = static_cast<double>(fs::file_size(store)) > kLargeStore ? 1 : kNaiveQueries;
  for (const QueryClass& c : classes) {
    SearchQuery query;
    query.limit = 10;
    query.mode = mode;
    const auto ours = measure(c.queries, c.queries.size(), [&](const std::string& text) {
      query.text = text;
      hits += reader.search(query).value().hits.size();
    });
    row(c.name, "memd", ours);
    all.add(ours);
    const auto theirs = measure(c.queries, naive_queries, [&](const std::string& text) {
      const std::string match = bench::naive_match(text);
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
      // Neighbours ask different things.
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
  std::vector<std::string> queries;  // of people: P5
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
    const auto classes = bench::query_classes(store, argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100);
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
