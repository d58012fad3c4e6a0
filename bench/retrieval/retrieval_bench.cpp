// Measures retrieval quality end to end: transcripts in a scratch home, a memd daemon that reads them by itself, and
// questions to its tool `semantic_search`, beside SQLite's FTS5 over the same texts. docs/benchmark-details.md
// describes the parts.
//
//   retrieval_bench --memd MEMD [--locomo FILE] [--corpus HOME] [--longmemeval FILE] [--part NAME…] [--json FILE]
#include "bench/retrieval/corpus_parts.hpp"
#include "bench/retrieval/dataset_parts.hpp"
#include "bench/retrieval/experiment.hpp"
#include "bench/retrieval/ranking_cases.hpp"
#include "bench/retrieval/ranking_fit.hpp"
#include "bench/retrieval/teacher_vectors.hpp"
#include "test/support/source_dir.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace memd;
using namespace memd::bench;
namespace fs = std::filesystem;

const std::vector<std::string> kParts{"locomo-turns", "locomo-sessions", "locomo-sessions-all", "known-items",
                                      "paraphrases",  "questions",       "negative-locomo",     "negative-corpus",
                                      "homes",        "in-projects",     "longmemeval"};

struct Options {
  fs::path memd;
  fs::path locomo;
  fs::path corpus;
  fs::path longmemeval;
  fs::path questions = test::source_dir() / "bench/retrieval";
  fs::path json;
  fs::path teacher;
  fs::path texts;
  fs::path cases;
  std::vector<std::string> parts;
  bool final_split = false;
  bool fit = false;
  bool leave_one_out = false;
  std::size_t limit = 0;

  bool wants(const std::string& part) const {
    return parts.empty() || std::find(parts.begin(), parts.end(), part) != parts.end();
  }
};

void add_options(CLI::App& app, Options& o) {
  app.add_option("--memd", o.memd, "The memd binary")->required()->check(CLI::ExistingFile);
  app.add_option("--locomo", o.locomo, "LoCoMo, as its authors publish it")->check(CLI::ExistingFile);
  app.add_option("--corpus", o.corpus, "A home with real histories")->check(CLI::ExistingDirectory);
  app.add_option("--longmemeval", o.longmemeval, "LongMemEval, as its authors publish it")->check(CLI::ExistingFile);
  app.add_option("--limit", o.limit, "Only so many questions of LongMemEval");
  app.add_option("--questions", o.questions, "Where paraphrases.json, questions.json and the others are")
      ->check(CLI::ExistingDirectory);
  app.add_option("--part", o.parts, "Only these parts")->check(CLI::IsMember(kParts));
  app.add_flag("--final", o.final_split, "Paraphrases and questions that nothing was tuned on, instead of the others");
  app.add_option("--json", o.json, "Write the figures here, too");
  auto* const fit = app.add_flag("--fit", o.fit, "Look for the weights of the ranking, and measure nothing");
  app.add_flag("--leave-one-out", o.leave_one_out, "Fit also on all dialogs but one, for each")->needs(fit);
  app.add_option("--dump-cases", o.cases, "Write what is ranked for each question, and measure nothing: JSON lines");
  app.add_option("--dump-texts", o.texts, "Write the texts for a teacher, and ask nothing: JSON lines");
  app.add_option("--teacher", o.teacher, "Vectors of these texts: a further method")->check(CLI::ExistingFile);
}

void run_locomo(const Options& options, const Run& run, Report& report) {
  const auto dialogs = read_locomo(options.locomo);
  if (options.wants("locomo-turns")) report.add(ask_locomo_turns(run, dialogs));
  if (options.wants("locomo-sessions")) report.add(ask_locomo_sessions(run, dialogs, false));
  if (options.wants("locomo-sessions-all")) report.add(ask_locomo_sessions(run, dialogs, true));
  if (options.wants("negative-locomo")) report.add(ask_other_dialogs(run, dialogs));
}

void run_corpus(const Options& options, const Run& run, Report& report) {
  const fs::path paraphrases = options.questions / "paraphrases.json";
  if (options.wants("known-items"))
    report.add(ask_known_items(run, options.corpus, options.questions / "phrasings.json"));
  if (options.wants("paraphrases")) report.add(ask_paraphrases(run, options.corpus, paraphrases, options.final_split));
  if (options.wants("questions"))
    report.add(ask_questions(run, options.corpus, options.questions / "questions.json", options.final_split));
  if (options.wants("in-projects"))
    report.add(ask_in_projects(run, options.corpus, options.questions, options.final_split));
  if (options.wants("homes")) report.add(ask_homes(run, options.corpus, options.questions));
  if (options.wants("negative-corpus"))
    report.add(
        ask_off_topic(run, options.corpus, options.questions / "off_topic.json", paraphrases, options.final_split));
}

void run_longmemeval(const Options& options, const Run& run, Report& report) {
  auto questions = read_longmemeval(options.longmemeval);
  if (options.limit > 0 && questions.size() > options.limit) questions.resize(options.limit);
  report.add(ask_longmemeval(run, questions));
}

// Checks the options. Otherwise a requested part without its data would be left out silently.
void check(const Options& options) {
  if (options.locomo.empty() && options.corpus.empty() && options.longmemeval.empty())
    throw std::runtime_error("give --locomo, --corpus or --longmemeval");
  for (const std::string& part : options.parts) {
    const bool of_locomo = part.find("locomo") != std::string::npos;
    const fs::path& data = part == "longmemeval" ? options.longmemeval : of_locomo ? options.locomo : options.corpus;
    if (data.empty())
      throw std::runtime_error("the part " + part + " needs " +
                               (part == "longmemeval" ? "--longmemeval"
                                : of_locomo           ? "--locomo"
                                                      : "--corpus"));
  }
}

void run_parts(const Options& options) {
  check(options);
  std::optional<TeacherVectors> teacher;
  std::optional<TextDump> texts;
  if (!options.teacher.empty()) teacher.emplace(options.teacher);
  if (!options.texts.empty()) texts.emplace(options.texts);
  RankingCases cases;
  const Run run{options.memd, teacher ? &*teacher : nullptr, texts ? &*texts : nullptr,
                options.fit || !options.cases.empty() ? &cases : nullptr};
  Report report;
  if (!options.locomo.empty()) run_locomo(options, run, report);
  if (!options.corpus.empty()) run_corpus(options, run, report);
  if (!options.longmemeval.empty() && options.wants("longmemeval")) run_longmemeval(options, run, report);
  if (!options.cases.empty()) cases.dump(options.cases);
  if (options.fit) fmt::print("{}", ranking_fit_report(cases, options.leave_one_out));
  if (!options.json.empty()) report.write_json(options.json);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Quality of retrieval through semantic_search");
  add_options(app, options);
  CLI11_PARSE(app, argc, argv);
  try {
    run_parts(options);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "retrieval_bench: %s\n", e.what());
    return 1;
  }
  return 0;
}
