#pragma once

#include "daemon/models/configured_summarizer.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/scripted_model.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace memd::test {

// A session that a test fills, and a summarizer over scripted models.
class LlmFixture : public testing::Test {
 protected:
  LlmFixture() {
    session_.uid = "claude_code:s1";
    options_.now = [this] { return now_; };
  }

  // Adds exchanges of a session about a parser. Each costs about 40 tokens plus `filler` words.
  void fill(std::size_t count, std::size_t filler = 0) {
    for (std::size_t i = inputs_.size(); count > 0; ++i, --count) {
      const std::string n = std::to_string(i);
      const auto keep = [this](std::string text) { return std::string_view(texts_.emplace_back(std::move(text))); };
      SummaryInput in;
      in.label = keep("x" + n + " 2026-02-09 06:" + (i % 60 < 10 ? "0" : "") + std::to_string(i % 60));
      in.user_message = keep("Please make the parser accept case " + n + ".");
      std::string answer = "The parser lost the quote of case " + n + "; it is kept now in parse_case_" + n + "().";
      for (std::size_t w = 0; w < filler; ++w)
        answer += " word" + std::to_string(w % 7);
      in.assistant_response = keep(std::move(answer));
      in.tool_calls = 2;
      if (i % 2 == 1) in.files_modified = {"src/parser.cpp"};
      inputs_.push_back(std::move(in));
    }
  }
  llm::ConfiguredSummarizer& summarizer() {
    if (!summarizer_) {
      std::vector<llm::LanguageModelChoice> choices;
      for (const auto& model : models_)
        choices.push_back({model, {}});
      summarizer_ = std::make_unique<llm::ConfiguredSummarizer>(std::move(choices), file(), clock_, options_);
    }
    return *summarizer_;
  }
  void restart() { summarizer_.reset(); }
  tools::LlmSummaryRequest request(std::string strategy) {
    return {session_, inputs_, std::move(strategy), style_, max_tokens_, max_seconds_};
  }
  Result<tools::LlmSummary> summarize(std::string strategy) {
    return summarizer().summarize(request(std::move(strategy)), context_);
  }
  tools::LlmSummary good(std::string strategy) {
    auto out = summarize(std::move(strategy));
    EXPECT_TRUE(out) << out.error().message();
    return out ? std::move(*out) : tools::LlmSummary();
  }
  ScriptedModel& model(std::size_t i = 0) { return *models_[i]; }
  std::filesystem::path file() const { return dir_ / "summaries.db"; }

  TempDir dir_;
  FakeClock clock_{1'770'616'800'000};  // 2026-02-09T06:00:00Z
  std::chrono::steady_clock::time_point now_{};
  std::deque<std::string> texts_;
  std::vector<SummaryInput> inputs_;
  SessionRow session_;
  std::vector<std::shared_ptr<ScriptedModel>> models_{std::make_shared<ScriptedModel>()};
  llm::SummarizerOptions options_;
  mcp::ToolContext context_;
  tools::SummaryStyle style_ = tools::SummaryStyle::technical;
  std::size_t max_tokens_ = 400;
  std::optional<std::int64_t> max_seconds_;
  std::unique_ptr<llm::ConfiguredSummarizer> summarizer_;
};

}  // namespace memd::test
