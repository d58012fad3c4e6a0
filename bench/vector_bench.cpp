// Measures scans of the vector index on one core: by instruction set, exact and with preselection by sketches, and how
// many of the true 20 nearest the latter finds.
//   vector_bench [ROWS = 100000] [FILE of texts, one a line; else synthetic prose]
// If there are fewer texts than rows, further texts are made by joining two of them.
#include "bench/statistics.hpp"
#include "bench/synthetic/prose.hpp"
#include "store/enrich/embedding/embedder.hpp"
#include "store/enrich/enrichment.hpp"
#include "store/search/vectors/codes.hpp"
#include "store/search/vectors/snapshot_scan.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace memd;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kQueries = 60;
constexpr std::size_t kResults = 20;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Returns the CPU time of this thread, which other load on the machine hardly affects.
double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

std::vector<std::string> texts_of(const char* file) {
  std::vector<std::string> out;
  if (file) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
      if (!line.empty()) out.push_back(line);
    return out;
  }
  bench::Prose prose(1);
  for (int i = 0; i < 100'000; ++i)
    out.push_back(prose.sentence(10 + prose.below(40)));
  return out;
}

// Returns some words from the middle of a text.
std::string question_from(const std::string& text, std::mt19937& random) {
  std::size_t from = text.find(' ', random() % text.size());
  from = from == std::string::npos ? 0 : from + 1;
  std::size_t to = from;
  for (int words = 0; words < 7 && to != std::string::npos; ++words)
    to = text.find(' ', to + 1);
  return text.substr(from, to - from);
}

struct Latencies {
  double p50 = 0;
  double p95 = 0;
};

Latencies measure(const vectors::Snapshot& snapshot, const std::vector<embedding::Vector>& queries,
                  const vectors::ScanTuning& tuning, std::vector<vectors::ScanResult>& results) {
  std::vector<double> samples;
  for (int round = 0; round < 3; ++round) {
    results.clear();
    for (const auto& q : queries) {
      const double start = cpu_seconds();
      results.push_back(vectors::scan(snapshot, {.query = q, .count = 200}, tuning));
      samples.push_back(1e3 * (cpu_seconds() - start));
    }
  }
  return {bench::percentile(samples, 0.5), bench::percentile(samples, 0.95)};
}

double recall(const std::vector<vectors::ScanResult>& truth, const std::vector<vectors::ScanResult>& found) {
  std::size_t hits = 0;
  std::size_t all = 0;
  for (std::size_t q = 0; q < truth.size(); ++q) {
    std::set<ExchangeId> nearest;
    for (const auto& n : found[q].nearest)
      nearest.insert(n.exchange);
    for (std::size_t i = 0; i < std::min(kResults, truth[q].nearest.size()); ++i, ++all)
      hits += nearest.count(truth[q].nearest[i].exchange);
  }
  return static_cast<double>(hits) / static_cast<double>(all);
}

// Measures the time to load all vectors from a store.
void measure_load(const std::vector<std::int8_t>& codes, std::size_t rows, int dimension) {
  const auto file = std::filesystem::temp_directory_path() / ("memd-vector-bench-" + std::to_string(getpid()) + ".db");
  {
    auto db = sqlite::Database::open(file, sqlite::OpenMode::read_write);
    sqlite::migrate(db);
    sqlite::Transaction tx(db);
    db.exec("INSERT INTO sessions (uid, platform, native_id) VALUES ('cursor:a', 'cursor', 'a')");
    const auto d = static_cast<std::size_t>(dimension);
    for (std::size_t i = 0; i < rows; ++i) {
      const auto id = static_cast<ExchangeId>(i + 1);
      db.prepare(
            "INSERT INTO exchanges (exchange_pk, session_pk, exchange_number, first_seq, last_seq, started_at, "
            "ended_at,"
            " ingested_at) VALUES (?1, 1, ?1, 0, 0, 0, 0, 0)")
          .bind(id)
          .run();
      Enrichment made;
      made.id = id;
      made.vectors.emplace();
      made.vectors->model = "m";
      made.vectors->dimension = dimension;
      made.vectors->chunk_hashes = {i};
      made.vectors->vectors.assign(codes.begin() + static_cast<std::ptrdiff_t>(i * d),
                                   codes.begin() + static_cast<std::ptrdiff_t>((i + 1) * d));
      enrichment::save(db, {&made, 1});
    }
    tx.commit();
  }
  auto db = sqlite::Database::open(file, sqlite::OpenMode::read_only);
  vectors::VectorIndex index("m");
  const double before = cpu_seconds();
  index.refresh(db);
  std::printf("%-34s %8.1f ms, %.0f MB\n", "loaded from a store", 1e3 * (cpu_seconds() - before),
              static_cast<double>(index.memory()) / 1e6);
  const auto start = Clock::now();
  for (int i = 0; i < 1000; ++i)
    index.refresh(db);
  std::printf("%-34s %8.4f ms\n", "refresh when nothing changed", seconds_since(start));
  std::filesystem::remove(file);
  for (const char* suffix : {"-wal", "-shm"})
    std::filesystem::remove(file.string() + suffix);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t rows = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100'000;
  const auto texts = texts_of(argc > 2 ? argv[2] : nullptr);
  if (texts.size() < 2 || rows == 0) {
    std::fprintf(stderr, "usage: vector_bench [ROWS] [FILE of texts, one a line]\n");
    return 1;
  }
  const auto& model = embedding::builtin_embedder().table();
  std::mt19937 random(3);
  std::vector<std::int8_t> codes;
  const auto any = [&]() -> const std::string& { return texts[random() % texts.size()]; };
  for (std::size_t i = 0; i < rows; ++i)
    vectors::append_quantised(model.embed(i < texts.size() ? texts[i] : any() + " " + any()), codes);
  std::vector<embedding::Vector> queries;
  while (queries.size() < kQueries)
    if (auto q = model.embed(question_from(any(), random)); q != embedding::Vector(q.size()))
      queries.push_back(std::move(q));

  const auto dimension = static_cast<std::size_t>(model.dimension());
  const double before = cpu_seconds();
  vectors::SnapshotBuilder builder({}, {.sketched_above = 0, .cold_above = INT64_MAX});
  builder.start(1, dimension);
  for (std::size_t i = 0; i < rows; ++i)
    builder.put(static_cast<ExchangeId>(i + 1), {codes.data() + i * dimension, dimension});
  const vectors::Snapshot snapshot = builder.finish();
  std::printf("%zu vectors of %zu dimensions from %zu texts, %zu queries; milliseconds of CPU a query\n", rows,
              dimension, texts.size(), kQueries);
  std::printf("%-34s %8.1f ms\n", "laid out in memory", 1e3 * (cpu_seconds() - before));

  std::vector<vectors::ScanResult> truth;
  std::vector<vectors::ScanResult> found;
  double scalar = 0;
  std::printf("%-34s %8s %8s %9s %12s\n", "", "p50", "p95", "speed-up", "recall@20");
  const auto print = [&](const std::string& name, const Latencies& l, double r) {
    std::printf("%-34s %8.2f %8.2f %8.1fx %12.4f\n", name.c_str(), l.p50, l.p95, scalar / l.p50, r);
  };
  for (const vectors::Kernels* k : vectors::all_kernels()) {
    const auto latencies = measure(snapshot, queries, {.exact_rows = INT64_MAX, .kernels = k}, found);
    if (truth.empty()) {
      truth = found;
      scalar = latencies.p50;
    }
    print("exact, " + std::string(k->name), latencies, recall(truth, found));
  }
  for (const std::size_t kept : {200U, 400U, 1000U, 2000U})
    for (const vectors::Kernels* k : vectors::all_kernels()) {
      const vectors::ScanTuning tuning{
          .exact_rows = 0, .min_kept = kept, .kept_per_result = 1, .rows_per_kept = INT64_MAX, .kernels = k};
      const auto latencies = measure(snapshot, queries, tuning, found);
      print("sketches, " + std::to_string(kept) + " kept, " + std::string(k->name), latencies, recall(truth, found));
    }
  measure_load(codes, rows, model.dimension());
  return 0;
}
