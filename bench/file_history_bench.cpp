// Measures the latency of the query of file_history over a store of any size, by the way the file is named. make_store
// makes stores.
//
//   file_history_bench DIRECTORY/memd.db [QUESTIONS a kind = 200]
#include "bench/statistics.hpp"
#include "store/db/database.hpp"
#include "store/read/file_history.hpp"
#include "store/reader.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using namespace memd;

constexpr int kPage = 24;  // exchanges that the tool loads

double cpu_ms() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

struct Times {
  std::vector<double> wall;
  std::vector<double> cpu;
};

template <class F>
void timed(Times& out, F&& run) {
  const auto start = std::chrono::steady_clock::now();
  const double cpu = cpu_ms();
  run();
  out.cpu.push_back(cpu_ms() - cpu);
  out.wall.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
}

void row(const char* kind, const Times& t, std::size_t exchanges) {
  std::printf("%-12s %8.2f %8.2f %8.2f %12.2f %8.2f %14.1f\n", kind, bench::percentile(t.wall, 0.5),
              bench::percentile(t.wall, 0.95), bench::percentile(t.wall, 0.99), bench::percentile(t.cpu, 0.5),
              bench::percentile(t.cpu, 0.95), static_cast<double>(exchanges) / static_cast<double>(t.wall.size()));
}

// Draws paths weighted by how often they were touched, because users ask about files in work.
std::vector<std::string> sample(sqlite::Database& db, std::size_t count) {
  auto& q = db.prepare("SELECT p.path FROM exchange_files f JOIN paths p USING (path_pk) ORDER BY f.session_pk");
  std::vector<std::string> all;
  while (q.step())
    all.push_back(q.str(0));
  q.reset();
  if (all.empty()) throw std::runtime_error("the store knows no files");
  std::mt19937 random(7);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(all[random() % all.size()]);
  return out;
}

std::string last_parts(const std::string& path, int parts) {
  auto at = path.size();
  for (int i = 0; i < parts && at != std::string::npos && at > 0; ++i)
    at = path.rfind('/', at - 1);
  return at == std::string::npos ? path : path.substr(at + 1);
}

std::size_t ask(Reader& reader, const std::string& text) {
  const auto found = reader.ask(PathQuery{text}).value();
  if (found.paths.empty()) return 0;
  FileHistoryQuery query;
  for (const auto& p : found.paths)
    query.paths.push_back(p.pk);
  query.limit = kPage;
  return static_cast<std::size_t>(reader.ask(query).value().total_exchanges);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: file_history_bench DIRECTORY/memd.db [QUESTIONS]\n", stderr);
    return 2;
  }
  try {
    const fs::path store = argv[1];
    auto db = sqlite::Database::open(store, sqlite::OpenMode::read_only);
    const auto paths = sample(db, argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 200);
    Reader reader(store);
    const auto count = [&](const char* sql) {
      auto& q = db.prepare(sql);
      const auto n = q.step() ? q.int64(0) : 0;
      q.reset();
      return static_cast<long long>(n);
    };
    std::printf("%s: %lld exchanges, %lld paths, %lld touches\n", store.c_str(),
                count("SELECT count(*) FROM exchanges"), count("SELECT count(*) FROM paths"),
                count("SELECT count(*) FROM exchange_files"));
    std::printf("%-12s %8s %8s %8s %12s %8s %14s\n", "named by", "p50 ms", "p95 ms", "p99 ms", "CPU p50 ms", "p95 ms",
                "exchanges each");
    using Spell = std::string (*)(const std::string&);
    const std::pair<const char*, Spell> kinds[] = {
        {"whole path", [](const std::string& p) { return p; }},
        {"two parts", [](const std::string& p) { return last_parts(p, 2); }},
        {"name", [](const std::string& p) { return last_parts(p, 1); }},
        {"directory", [](const std::string& p) { return fs::path(p).parent_path().string() + "/"; }},
        {"its end", [](const std::string& p) { return last_parts(fs::path(p).parent_path().string(), 1) + "/"; }},
        {"pattern", [](const std::string& p) { return "*" + fs::path(p).extension().string(); }},
        {"unknown", [](const std::string& p) { return last_parts(p, 1) + ".none"; }},
    };
    for (const auto& [name, spell] : kinds) {
      Times times;
      std::size_t exchanges = 0;
      for (const auto& path : paths)
        timed(times, [&, spell = spell] { exchanges += ask(reader, spell(path)); });
      row(name, times, exchanges);
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "file_history_bench: %s\n", e.what());
    return 1;
  }
  return 0;
}
