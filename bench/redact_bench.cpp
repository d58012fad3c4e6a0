// Measures the speed of the search for secrets, in CPU time of one thread.
//
//   redact_bench HOME [RUNS]   searches the agents' logs below HOME: as lines of a source, and each file as one text;
//                              then runs the search alone, without decoding of escape sequences, in each variant that
//                              this processor supports. Prints the best of RUNS
#include "schemas/base/embedded.hpp"
#include "store/text/redaction/redactor.hpp"
#include "store/text/redaction/secret_finder.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::vector<std::string> logs_below(const fs::path& home) {
  std::vector<std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(home)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".jsonl") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    out.push_back(std::move(text).str());
  }
  return out;
}

template <class F>
void measure(const char* name, const std::vector<std::string>& logs, int runs, F&& mask) {
  double best = 1e9;
  std::size_t bytes = 0;
  std::size_t masks = 0;
  for (int run = 0; run < runs; ++run) {
    std::vector<std::string> copy = logs;
    bytes = masks = 0;
    const std::clock_t start = std::clock();
    for (std::string& log : copy) {
      bytes += log.size();
      masks += mask(log);
    }
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  std::printf("%-16s %6.1f MB, %zu masked, %.3f s: %.0f MB/s\n", name, static_cast<double>(bytes) / 1e6, masks, best,
              static_cast<double>(bytes) / best / 1e6);
}

void measure_search(const std::vector<std::string>& logs, int runs) {
  using memd::redaction::LiteralSieve;
  std::vector<std::string_view> files;
  for (const auto& file : memd::embedded::secret_rules())
    files.push_back(file.text);
  for (const auto form : LiteralSieve::forms()) {
    const memd::redaction::SecretFinder finder(memd::redaction::read_secret_rules(files), form);
    const char* name = form == LiteralSieve::Form::portable        ? "search, portable"
                       : form == LiteralSieve::Form::vectors_of_16 ? "search, 16 bytes"
                       : form == LiteralSieve::Form::avx2          ? "search, AVX2"
                                                                   : "search, AVX-512";
    measure(name, logs, runs, [&](const std::string& log) {
      std::vector<memd::redaction::Secret> found;
      memd::redaction::SecretFinder::Signs signs;
      finder.find(log, found, signs);
      return found.size();
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("redact_bench HOME [RUNS]\n", stderr);
    return 2;
  }
  const int runs = argc > 2 ? std::atoi(argv[2]) : 5;
  const std::vector<std::string> logs = logs_below(argv[1]);
  measure("lines", logs, runs, [](std::string& log) { return memd::mask_records(std::span(log.data(), log.size())); });
  measure("texts", logs, runs, [](std::string& log) { return memd::redact(log) ? 1U : 0U; });
  measure_search(logs, runs);
}
