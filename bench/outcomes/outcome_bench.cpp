// Measures how well the product classifies the ends of sessions, against ends labelled by a reader.
//
//   outcome_bench DIRECTORY/memd.db [LABELS = test/labels/outcomes.tsv] [--misses]
//
// The store has to hold the history that the ends were drawn from. --misses also prints the ends with another label,
// with their signs; none of "fresh", which must not guide any choice.
#include "test/support/labels.hpp"
#include "test/support/outcome_labels.hpp"
#include "test/support/source_dir.hpp"

#include <array>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace memd;

constexpr std::array kOutcomes{Outcome::success, Outcome::fail, Outcome::abandoned, Outcome::unknown};

void print(const char* of, const test::OutcomeTable& table) {
  std::printf("| %s: label | success | fail | abandoned | unknown | recall |\n|---|---|---|---|---|---|\n", of);
  for (const Outcome label : kOutcomes) {
    std::printf("| `%s` |", std::string(to_string(label)).c_str());
    for (const Outcome judged : kOutcomes)
      std::printf(" %d |", table.of(label, judged));
    std::printf(" %s |\n", test::shown({table.of(label, label), table.labelled(label)}).c_str());
  }
  std::printf("| precision |");
  for (const Outcome judged : kOutcomes)
    std::printf(" %s |", test::shown({table.of(judged, judged), table.judged(judged)}).c_str());
  std::puts(" |\n");
}

void print_miss(const test::OutcomeLabel& label, const JudgedOutcome& judged) {
  if (label.part == test::OutcomeLabel::Part::fresh || label.label == judged.value) return;
  std::printf("%s -> %s (%s) %s %s %lld:", std::string(to_string(label.label)).c_str(),
              std::string(to_string(judged.value)).c_str(), label.reason.c_str(), label.uid.c_str(),
              label.stratum.c_str(), static_cast<long long>(label.exchange));
  for (const OutcomeReason& reason : judged.reasons)
    std::printf(" %s", std::string(to_string(reason.sign)).c_str());
  std::puts("");
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  if (arguments.empty()) {
    std::fputs("usage: outcome_bench DIRECTORY/memd.db [LABELS] [--misses]\n", stderr);
    return 2;
  }
  try {
    auto db = sqlite::Database::open(std::string(arguments[0]), sqlite::OpenMode::read_only);
    const bool misses = arguments.back() == "--misses";
    const bool named = arguments.size() > 1 && !arguments[1].starts_with("--");
    const auto labels = test::read_outcome_labels(named ? std::string(arguments[1])
                                                        : (test::source_dir() / "test/labels/outcomes.tsv").string());
    const test::SeenOutcome seen = misses ? test::SeenOutcome(print_miss) : test::SeenOutcome();
    const auto compared = test::compare_outcomes(db, labels, seen);
    using Part = test::OutcomeLabel::Part;
    print("\"dev\"", compared.of(Part::dev));
    print("\"held\"", compared.of(Part::held));
    print("real ends", compared.ends);
    print("\"fresh\"", compared.of(Part::fresh));
    std::printf("%zu of %zu labelled ends are in the store.\n",
                labels.size() - static_cast<std::size_t>(compared.missing), labels.size());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "outcome_bench: %s\n", e.what());
    return 1;
  }
  return 0;
}
