#pragma once

#include "daemon/background_thread.hpp"
#include "daemon/models/configured_summarizer.hpp"
#include "schemas/base/result.hpp"
#include "schemas/store_health.hpp"
#include "store/enrich/decision_judging.hpp"
#include "store/reader.hpp"
#include "store/write/observation_rows.hpp"
#include "store/write/writer.hpp"

#include <filesystem>
#include <functional>
#include <mutex>
#include <stop_token>

namespace memd::llm {

// Has the configured language model list the decisions of analysed sessions, exchange by exchange, and has the writer
// replace the decisions that memd recognised by their form. Answers are cached, so a restart repeats no request. One
// thread, but progress() is thread-safe. Borrows the models.
class DecisionJudge {
 public:
  using Perform = std::function<Result<void>(std::function<Result<void>(Writer&)>)>;  // as in EnrichmentParts

  DecisionJudge(ConfiguredSummarizer& models, const std::filesystem::path& database, Perform perform);

  // Judges one session. False: none waits. After an error (no model, budget spent, store busy) the finished part is
  // written; the rest of the session keeps its decisions and waits.
  Result<bool> judge_next(const std::stop_token& stop);
  DecisionsStatus progress() const;

 private:
  Result<void> judge(const SessionToJudge& session, std::vector<observations::JudgedExchange>& judged,
                     const std::stop_token& stop);
  Result<void> write(const SessionToJudge& session, std::vector<observations::JudgedExchange> judged, bool complete);
  template <class F>
  void note(F&& change);

  ConfiguredSummarizer& models_;
  const Perform perform_;
  Reader store_;
  mutable std::mutex mutex_;
  DecisionsStatus progress_;  // guarded by mutex_
};

// The thread of a DecisionJudge. It sleeps until a hint announces newly analysed sessions, and retries some time after
// an error. Members are thread-safe. Owns the judge.
class JudgeThread {
 public:
  JudgeThread(ConfiguredSummarizer& models, const std::filesystem::path& database, DecisionJudge::Perform perform)
      : judge_(models, database, std::move(perform)),
        thread_("memd-judge", [this](const std::stop_token& stop) { return judge(stop); }) {}

  void start() { thread_.start(false); }
  void hint() { thread_.hint(); }
  void stop() { thread_.stop(); }  // does not wait; abandons a running request
  void join() { thread_.join(); }
  DecisionsStatus progress() const { return judge_.progress(); }

 private:
  BackgroundThread::Next judge(const std::stop_token& stop);

  DecisionJudge judge_;
  BackgroundThread thread_;
};

}  // namespace memd::llm
