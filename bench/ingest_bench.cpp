// Measures cold ingest of an agent's history, from files to searchable rows, beside a bare simdjson parse of the same
// files in the same run (goals P1, P8, P9).
//
//   ingest_bench HOME [COPIES] [off|as_is|masked|sealed] [RUNS]
//
// COPIES > 1: that many copies of the history, with ids of their own, to measure memory (P8); with the raw layer in the
// given mode (P2). Prints the median of RUNS runs; default 5 for the history itself, 1 for copies.
#include "bench/statistics.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "store/seal/cipher.hpp"

#include <simdjson.h>

#include <sys/resource.h>
#include <unistd.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using namespace memd;
using Clock_ = std::chrono::steady_clock;

constexpr int kRuns = 5;

double seconds_since(Clock_::time_point start) { return std::chrono::duration<double>(Clock_::now() - start).count(); }

double peak_rss_mb() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

std::uint64_t bytes_of(const fs::path& home) {
  std::uint64_t total = 0;
  const Discovery discovery(all_adapters(), home, {}, {});
  for (const auto& c : discovery.find_all())
    total += fs::file_size(c.path);
  return total;
}

// Returns the time for a DOM parse of every line, on one thread, with files read as ingest reads them.
double parse_seconds(const fs::path& home) {
  const Discovery discovery(all_adapters(), home, {}, {});
  const auto start = Clock_::now();
  simdjson::dom::parser parser;
  std::uint64_t records = 0;
  for (const auto& c : discovery.find_all()) {
    const simdjson::padded_string text = simdjson::padded_string::load(c.path);
    std::string_view rest(text.data(), text.size());
    while (!rest.empty()) {
      const auto nl = std::min(rest.find('\n'), rest.size());
      if (nl > 0) {
        simdjson::dom::element element;
        if (parser.parse(rest.data(), nl, false).get(element) == simdjson::SUCCESS) ++records;
      }
      rest.remove_prefix(std::min(nl + 1, rest.size()));
    }
  }
  if (records == 0) std::fputs("nothing to parse\n", stderr);
  return seconds_since(start);
}

// Resources used by all threads of this process. On a shared machine they say more than the elapsed time.
struct Effort {
  double cpu_seconds = 0;
  double written_mb = 0;  // handed to the disk, including the WAL and rewritten data
};

Effort effort_so_far() {
  Effort effort;
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  effort.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  std::ifstream io("/proc/self/io");
  for (std::string name; io >> name;)
    if (double value = 0; io >> value && name == "write_bytes:") effort.written_mb = value / 1e6;
  return effort;
}

struct Run {
  double seconds = 0;
  Effort effort;
  std::uint64_t store_bytes = 0;
  std::uint64_t raw_bytes = 0;
  std::uint64_t events = 0;
};

std::uint64_t bytes_below(const fs::path& dir) {
  std::uint64_t total = 0;
  if (fs::exists(dir))
    for (const auto& entry : fs::recursive_directory_iterator(dir))
      if (entry.is_regular_file()) total += entry.file_size();
  return total;
}

Run ingest(const fs::path& home, const fs::path& dir, RawMode raw, std::shared_ptr<seal::LazyCipher> cipher) {
  fs::remove_all(dir);
  fs::create_directories(dir);
  Run run;
  const Effort before = effort_so_far();
  const auto start = Clock_::now();
  {
    const Discovery discovery(all_adapters(), home, {}, {});
    auto writer = Writer::open(dir / "memd.db", system_clock(), raw == RawMode::off ? fs::path() : dir / "raw",
                               std::move(cipher));
    if (!writer) throw std::runtime_error(writer.error().message());
    IngestOptions options;
    options.tailer.raw = raw;
    IngestService service(discovery, system_clock(), options);
    if (auto r = service.start(std::move(*writer)); !r) throw std::runtime_error(r.error().message());
    service.scan();
    if (!service.block_until_idle(std::chrono::minutes(30))) throw std::runtime_error("ingest did not end");
    run.seconds = seconds_since(start);
    run.events = service.progress().snapshot().events;
  }
  const Effort after = effort_so_far();
  run.effort = {after.cpu_seconds - before.cpu_seconds, after.written_mb - before.written_mb};
  run.store_bytes = fs::file_size(dir / "memd.db");
  run.raw_bytes = bytes_below(dir / "raw");
  return run;
}

// Copies the history with other ids, so that nothing counts as a duplicate: changes the first two digits of everything
// that looks like a UUID, in names and contents.
void multiply(const fs::path& home, const fs::path& into, int copies) {
  const Discovery discovery(all_adapters(), home, {}, {});
  for (const auto& c : discovery.find_all()) {
    std::ifstream in(c.path, std::ios::binary);
    const std::string original((std::istreambuf_iterator<char>(in)), {});
    for (int n = 0; n < copies; ++n) {
      const auto restamp = [n](std::string text) {
        static const char kDigits[] = "0123456789abcdef";
        for (std::size_t i = 0; i + 36 <= text.size(); ++i) {
          if (text[i + 8] != '-' || text[i + 13] != '-' || text[i + 18] != '-' || text[i + 23] != '-') continue;
          text[i] = kDigits[n % 16];
          text[i + 1] = kDigits[n / 16 % 16];
          i += 35;
        }
        return text;
      };
      // Compares names only: resolved links below `home` would lead out of `into`.
      const fs::path relative = restamp(fs::path(c.path).lexically_relative(home).string());
      if (relative.empty() || *relative.begin() == "..") throw std::runtime_error("not below " + home.string());
      const fs::path target = into / relative;
      fs::create_directories(target.parent_path());
      std::ofstream(target, std::ios::binary) << restamp(original);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: ingest_bench HOME [COPIES] [off|as_is|masked|sealed] [RUNS]\n", stderr);
    return 2;
  }
  fs::path home = argv[1];
  const int copies = argc > 2 ? std::atoi(argv[2]) : 1;
  const std::string mode = argc > 3 ? argv[3] : "off";
  const bool sealed = mode == "sealed";  // masked, too
  const RawMode raw = mode == "masked" || sealed ? RawMode::masked : mode == "as_is" ? RawMode::as_is : RawMode::off;
  const fs::path scratch = fs::temp_directory_path() / ("memd-ingest-bench-" + std::to_string(::getpid()));
  try {
    if (copies > 1) {
      multiply(home, scratch / "home", copies);
      home = scratch / "home";
    }
    const double mb = static_cast<double>(bytes_of(home)) / 1e6;
    std::vector<double> parse;
    std::vector<double> whole;
    Run last;
    const auto cipher = sealed ? std::make_shared<seal::LazyCipher>([]() -> Result<seal::CipherPtr> {
      MEMD_TRY_ASSIGN(const std::string key, seal::new_key());
      return seal::Cipher::from_key(key);
    })
                               : nullptr;
    const int runs = argc > 4 ? std::max(1, std::atoi(argv[4])) : copies > 1 ? 1 : kRuns;
    for (int i = 0; i < runs; ++i) {
      parse.push_back(mb / parse_seconds(home));
      last = ingest(home, scratch / "store", raw, cipher);
      whole.push_back(mb / last.seconds);
    }
    const double parse_rate = bench::median(parse);
    const double ingest_rate = bench::median(whole);
    std::printf("%.1f MB of sources, median of %d runs\n", mb, runs);
    std::printf("%-40s %8.0f MB/s\n", "simdjson DOM parse, one thread", parse_rate);
    std::printf("%-40s %8.0f MB/s   (%.0f%% of the parse; goal 400 MB/s and 35%%)\n", "memd ingest, cold, searchable",
                ingest_rate, 100 * ingest_rate / parse_rate);
    std::printf("%-40s %8.0f MB/s   (%.1f s of CPU, all threads, last run)\n", "memd ingest, per second of CPU",
                mb / last.effort.cpu_seconds, last.effort.cpu_seconds);
    std::printf("%-40s %8.1f MB\n", "written to disk meanwhile", last.effort.written_mb);
    std::printf("%-40s %8.1f MB     (%.1f%% of the sources; goal 10%%)\n", "store",
                static_cast<double>(last.store_bytes) / 1e6, 100 * static_cast<double>(last.store_bytes) / 1e6 / mb);
    std::printf("%-40s %8.1f MB     (%.1f%% of the sources; goal 15%%)\n", ("raw layer, " + mode).c_str(),
                static_cast<double>(last.raw_bytes) / 1e6, 100 * static_cast<double>(last.raw_bytes) / 1e6 / mb);
    std::printf("%-40s %8.0f MiB    (goal 256 while indexing 5 GB)\n", "peak memory of this process", peak_rss_mb());
    std::printf(
        "{\"mb\":%.1f,\"parse_mb_per_s\":%.0f,\"ingest_mb_per_s\":%.0f,\"cpu_s\":%.1f,\"written_mb\":%.0f,\"store_mb\":"
        "%.1f,\"raw_mode\":\"%s\",\"raw_"
        "mb\":%.1f,\"events\":%llu,\"peak_rss_"
        "mib\":%.0f}\n",
        mb, parse_rate, ingest_rate, last.effort.cpu_seconds, last.effort.written_mb,
        static_cast<double>(last.store_bytes) / 1e6, mode.c_str(), static_cast<double>(last.raw_bytes) / 1e6,
        static_cast<unsigned long long>(last.events), peak_rss_mb());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ingest_bench: %s\n", e.what());
    fs::remove_all(scratch);
    return 1;
  }
  fs::remove_all(scratch);
  return 0;
}
