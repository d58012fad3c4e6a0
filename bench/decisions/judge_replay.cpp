// Judges the decisions of a store with answers from files, so that a prompt can be measured with any model at hand.
//
//   judge_replay DIRECTORY/memd.db REQUESTS
//
// Changes the store: give it a copy. A request whose answer is missing is written to REQUESTS/<hash>.txt, and its
// exchange keeps the decisions it has. Put the answer beside it as <hash>.json and run again.
#include "daemon/models/decision_judge.hpp"
#include "schemas/error.hpp"
#include "schemas/hash.hpp"
#include "store/text/token_budget.hpp"
#include "test/support/analyze_all.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace memd;

class FileModel final : public LanguageModel {
 public:
  explicit FileModel(std::filesystem::path directory) : directory_(std::move(directory)) {}

  std::string name() const override { return "files"; }
  Result<std::vector<Completion>> complete(std::span<const CompletionRequest> requests, std::stop_token) override {
    std::vector<Completion> out;
    for (const CompletionRequest& r : requests) {
      const std::string name = fmt::format("{:016x}", hash64(r.system + r.prompt));
      std::ifstream answer(directory_ / (name + ".json"), std::ios::binary);
      tokens_ += estimate_tokens(r.system) + estimate_tokens(r.prompt);
      ++requests_;
      if (!answer) {
        std::ofstream(directory_ / (name + ".txt"), std::ios::binary) << r.system << "\n" << r.prompt;
        return Error(Errc::invalid_argument, "no answer is there");
      }
      out.push_back({std::string(std::istreambuf_iterator<char>(answer), {}), "files"});
    }
    return out;
  }
  std::size_t requests() const { return requests_; }
  std::size_t tokens() const { return tokens_; }

 private:
  const std::filesystem::path directory_;
  std::size_t requests_ = 0;
  std::size_t tokens_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: judge_replay DIRECTORY/memd.db REQUESTS\n", stderr);
    return 2;
  }
  const std::filesystem::path database = argv[1];
  const Clock& clock = system_clock();
  auto writer = Writer::open(database, clock);
  if (!writer) {
    std::fprintf(stderr, "judge_replay: %s\n", writer.error().message().c_str());
    return 1;
  }
  if (const auto analyzed = test::analyze_all(**writer, clock.now()); !analyzed) {
    std::fprintf(stderr, "judge_replay: %s\n", analyzed.error().message().c_str());
    return 1;
  }
  const auto model = std::make_shared<FileModel>(argv[2]);
  llm::SummarizerOptions options;
  options.budget = {0, 0};
  llm::ConfiguredSummarizer models({{model, {}}}, std::filesystem::path(argv[2]) / "summaries.db", clock, options);
  llm::DecisionJudge judge(models, database, [&](std::function<Result<void>(Writer&)> task) { return task(**writer); });
  Result<bool> more = true;
  while (more && *more)
    more = judge.judge_next({});
  const auto p = judge.progress();
  std::printf(
      "%zu requests, %zu tokens; %lld exchanges judged, %lld decisions, %lld not said, %lld without an answer%s%s\n",
      model->requests(), model->tokens(), static_cast<long long>(p.exchanges), static_cast<long long>(p.decisions),
      static_cast<long long>(p.not_said), static_cast<long long>(p.unreadable), p.trouble.empty() ? "" : "; ",
      p.trouble.c_str());
  return more ? 0 : 1;
}
