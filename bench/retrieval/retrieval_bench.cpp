// Quality of retrieval, end to end: transcripts in a scratch home, a memd daemon that reads them by itself, questions
// to its tool `semantic_search`, beside SQLite's FTS5 over the same texts. docs/benchmarks.md says what the parts are.
//
//   retrieval_bench --memd MEMD [--locomo FILE] [--part NAME…] [--json FILE]
#include "bench/retrieval/locomo.hpp"
#include "bench/retrieval/report.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace memd::bench;

struct Options {
  std::filesystem::path memd;
  std::filesystem::path locomo;
  std::filesystem::path json;
  std::vector<std::string> parts;

  bool wants(const std::string& part) const {
    return parts.empty() || std::find(parts.begin(), parts.end(), part) != parts.end();
  }
};

void run(const Options& options) {
  Report report;
  if (!options.locomo.empty()) {
    const auto dialogs = read_locomo(options.locomo);
    if (options.wants("locomo-turns")) report.add(ask_locomo_turns(options.memd, dialogs));
    if (options.wants("locomo-sessions")) report.add(ask_locomo_sessions(options.memd, dialogs, false));
    if (options.wants("locomo-sessions-all")) report.add(ask_locomo_sessions(options.memd, dialogs, true));
  }
  if (!options.json.empty()) report.write_json(options.json);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Quality of retrieval through semantic_search");
  app.add_option("--memd", options.memd, "The memd binary")->required()->check(CLI::ExistingFile);
  app.add_option("--locomo", options.locomo, "LoCoMo, as its authors publish it")->check(CLI::ExistingFile);
  app.add_option("--part", options.parts, "Only these parts")
      ->check(CLI::IsMember({"locomo-turns", "locomo-sessions", "locomo-sessions-all"}));
  app.add_option("--json", options.json, "Write the figures here, too");
  CLI11_PARSE(app, argc, argv);
  try {
    run(options);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "retrieval_bench: %s\n", e.what());
    return 1;
  }
  return 0;
}
