#pragma once

#include "daemon/models/configured_summarizer.hpp"
#include "schemas/error.hpp"
#include "store/enrich/decision_judging.hpp"
#include "store/reader.hpp"
#include "store/write/observation_rows.hpp"
#include "store/write/writer.hpp"

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace memd::llm {

// What the judge did in this process.
struct JudgeProgress {
  std::int64_t waiting = 0;     // sessions, when it looked last
  std::int64_t exchanges = 0;   // judged
  std::int64_t decisions = 0;   // kept
  std::int64_t not_said = 0;    // quotations that nobody said, dropped
  std::int64_t unreadable = 0;  // answers; the decisions of these exchanges stay as they were
  std::string trouble;          // why nothing is judged now; empty: nothing
};

// Asks the configured language model what was decided in sessions that are analysed, exchange by exchange, and has the
// writer replace the decisions that memd knew by their form. Answers are kept, so nothing is asked twice after a
// restart. One thread, but progress() is thread-safe. Borrows the models.
class DecisionJudge {
 public:
  using Perform = std::function<Result<void>(std::function<Result<void>(Writer&)>)>;  // as in EnrichmentParts

  DecisionJudge(ConfiguredSummarizer& models, const std::filesystem::path& database, Perform perform);

  // Judges one session. False: none waits. After an error (no model, budget spent, store busy) what was judged is
  // written, and the rest of the session keeps its decisions and waits.
  Result<bool> judge_next(const std::stop_token& stop);
  JudgeProgress progress() const;

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
  JudgeProgress progress_;  // guarded by mutex_
};

// The thread of a DecisionJudge. It sleeps until it is hinted at sessions that were analysed, and tries again a while
// after trouble. Members are thread-safe. Owns the judge.
class JudgeThread {
 public:
  JudgeThread(ConfiguredSummarizer& models, const std::filesystem::path& database, DecisionJudge::Perform perform)
      : judge_(models, database, std::move(perform)) {}
  ~JudgeThread();  // stops and waits

  void start();
  void hint();
  void stop();  // does not wait; gives up a request under way
  void join();
  JudgeProgress progress() const { return judge_.progress(); }

 private:
  void run(const std::stop_token& stop);

  DecisionJudge judge_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  bool hinted_ = true;  // an earlier process may have left work; guarded by mutex_
  std::jthread thread_;
};

}  // namespace memd::llm
