#pragma once

#include "schemas/base/error.hpp"
#include "schemas/language_model.hpp"

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memd::test {

// A language model that returns a test's answers and records its requests. Thread-safe.
class ScriptedModel final : public LanguageModel {
 public:
  using Answer = std::function<Result<Completion>(const CompletionRequest&)>;

  explicit ScriptedModel(Answer answer = {}, std::string name = "scripted/m") : name_(std::move(name)) {
    if (!answer) answer = [](const CompletionRequest&) { return says("A summary."); };
    answer_with(std::move(answer));
  }

  static Completion says(std::string text) { return {std::move(text), "m-2026", false, 100, 10}; }

  std::string name() const override { return name_; }
  Result<std::vector<Completion>> complete(std::span<const CompletionRequest> requests, std::stop_token stop) override {
    std::shared_ptr<Answer> answer;  // shared, not copied: it may count its calls
    {
      std::unique_lock lock(mutex_);
      ++calls_;
      asked_.insert(asked_.end(), requests.begin(), requests.end());
      most_at_once_ = std::max(most_at_once_, ++at_once_);
      came_.notify_all();
      // Blocks until the test's condition is met, so that concurrent calls overlap here.
      released_.wait(lock, stop, [this] { return !held_ || at_once_ >= *held_; });
      if (held_) held_.reset(), released_.notify_all();
      answer = answer_;
    }
    std::vector<Completion> out;
    std::optional<Error> failure;
    if (stop.stop_requested()) failure = Error(Errc::cancelled, "cancelled");
    for (const auto& request : requests) {
      if (failure) break;
      auto one = (*answer)(request);
      if (one)
        out.push_back(std::move(*one));
      else
        failure = one.error();
    }
    const std::lock_guard lock(mutex_);
    --at_once_;
    if (failure) return std::move(*failure);
    return out;
  }

  void answer_with(Answer answer) {
    const std::lock_guard lock(mutex_);
    answer_ = std::make_shared<Answer>(std::move(answer));
  }
  // From now on requests block until `at_once` of them are waiting.
  void hold_until(std::size_t at_once) {
    const std::lock_guard lock(mutex_);
    held_ = at_once;
  }
  void wait_until_asked(std::size_t requests) {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [&] { return asked_.size() >= requests; });
  }
  std::vector<CompletionRequest> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  std::size_t calls() const {
    const std::lock_guard lock(mutex_);
    return calls_;
  }
  std::size_t most_at_once() const {
    const std::lock_guard lock(mutex_);
    return most_at_once_;
  }

 private:
  const std::string name_;
  mutable std::mutex mutex_;
  std::condition_variable_any released_;
  std::condition_variable came_;
  std::shared_ptr<Answer> answer_;  // this and the following members are guarded by mutex_
  std::vector<CompletionRequest> asked_;
  std::optional<std::size_t> held_;
  std::size_t calls_ = 0;
  std::size_t at_once_ = 0;
  std::size_t most_at_once_ = 0;
};

}  // namespace memd::test
