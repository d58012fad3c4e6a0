// Measures precision and recall of decisions: a store's content against exchanges labelled by a reader.
//
//   decision_bench DIRECTORY/memd.db [LABELS = test/labels/decisions.tsv] [--misses]
//
// --misses prints the differences.
#include "test/support/judged_decisions.hpp"
#include "test/support/source_dir.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace memd;
using test::Score;
using test::Scores;
using test::shown;

void print(const Scores& scores) {
  std::puts("| decisions | half | precision | recall |\n|---|---|---|---|");
  for (const auto& [name, halves] : scores) {
    const auto& [dev, held] = halves;
    const Score both{dev.precision + held.precision, dev.recall + held.recall};
    for (const auto& [half, score] : {std::pair("dev", dev), std::pair("held", held), std::pair("both", both)})
      std::printf("| %s | %s | %s | %s |\n", name.c_str(), half, shown(score.precision).c_str(),
                  shown(score.recall).c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  if (arguments.empty()) {
    std::fputs("usage: decision_bench DIRECTORY/memd.db [LABELS] [--misses]\n", stderr);
    return 2;
  }
  try {
    auto db = sqlite::Database::open(std::string(arguments[0]), sqlite::OpenMode::read_only);
    const bool named = arguments.size() > 1 && !arguments[1].starts_with("--");
    const std::string labels =
        named ? std::string(arguments[1]) : (test::source_dir() / "test/labels/decisions.tsv").string();
    const test::JudgedStore judged = test::judge_decisions(db, labels);
    if (std::find(arguments.begin(), arguments.end(), "--misses") != arguments.end())
      for (const std::string& miss : judged.misses)
        std::puts(miss.c_str());
    print(judged.scores);
    std::printf("\n%zu of %zu labelled exchanges are in the store. Decisions in the whole store: %zu.\n",
                judged.exchanges_found, judged.exchanges, judged.decisions);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "decision_bench: %s\n", e.what());
    return 1;
  }
  return 0;
}
