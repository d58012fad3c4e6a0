#include "daemon/models/decision_judge.hpp"

#include "daemon/models/decision_prompts.hpp"
#include "schemas/base/error.hpp"
#include "store/db/database.hpp"

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

namespace memd::llm {
namespace {

using namespace std::chrono_literals;
using observations::JudgedExchange;

constexpr auto kRetry = 5min;  // after an error

}  // namespace

DecisionJudge::DecisionJudge(ConfiguredSummarizer& models, const std::filesystem::path& database, Perform perform)
    : models_(models), perform_(std::move(perform)), store_(Reader::in_background(database)) {}

template <class F>
void DecisionJudge::note(F&& change) {
  const std::lock_guard lock(mutex_);
  change(progress_);
}

DecisionsStatus DecisionJudge::progress() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

Result<bool> DecisionJudge::judge_next(const std::stop_token& stop) {
  const auto backlog = store_.ask(JudgeBacklogQuery{.limit = 1});
  if (!backlog) return backlog.error();
  note([&](DecisionsStatus& p) { p.waiting = backlog->waiting; });
  if (backlog->due.empty()) return false;
  const SessionToJudge& session = backlog->due.front();
  std::vector<JudgedExchange> judged;
  const auto done = judge(session, judged, stop);
  if (const auto now = store_.ask(SessionVersionQuery{session.version}); now && *now == VersionState::gone)
    MEMD_TRY(models_.forget_answers(session.uid));  // an answer may have been cached after the session was forgotten
  auto written = write(session, std::move(judged), done.has_value());
  if (!done) written = done.error();
  note([&](DecisionsStatus& p) { p.trouble = written ? std::string() : written.error().message(); });
  if (!written) return written.error();
  return true;
}

Result<void> DecisionJudge::judge(const SessionToJudge& session, std::vector<JudgedExchange>& judged,
                                  const std::stop_token& stop) {
  MEMD_TRY_ASSIGN(const auto exchanges, store_.ask(ExchangesToJudgeQuery{session.version.session_pk}));
  MEMD_TRY_ASSIGN(const std::uint64_t secret, models_.secret());
  for (const ExchangeToJudge& exchange : exchanges) {
    // A session forgotten meanwhile must not be sent.
    MEMD_TRY_ASSIGN(const VersionState version_state, store_.ask(SessionVersionQuery{session.version}));
    if (version_state != VersionState::unchanged) return {};
    const auto request = decision_request(exchange, secret, models_.context_tokens());
    const auto answer = models_.ask_in_background(request, session.uid, stop);
    if (!answer && !answer.error().is(Errc::invalid_argument)) return answer.error();
    const auto parsed =
        answer ? decisions_api::parse_answer(answer->text) : Result<decisions_api::Answer>(answer.error());
    if (!parsed) {
      note([](DecisionsStatus& p) { ++p.unreadable; });
      continue;
    }
    auto checked = check_quotations(*parsed, exchange);
    for (Decision& d : checked.decisions)
      d.judged_by = answer->model;
    note([&](DecisionsStatus& p) {
      ++p.exchanges;
      p.decisions += static_cast<std::int64_t>(checked.decisions.size());
      p.not_said += static_cast<std::int64_t>(checked.not_said + parsed->unusable);
    });
    judged.push_back({exchange.number, std::move(checked.decisions)});
  }
  return {};
}

Result<void> DecisionJudge::write(const SessionToJudge& session, std::vector<JudgedExchange> judged, bool complete) {
  if (judged.empty() && !complete) return {};
  // Owned by the task: it may run after this call has given up.
  const auto made = std::make_shared<const std::vector<JudgedExchange>>(std::move(judged));
  return perform_([made, version = session.version, complete](Writer& writer) -> Result<void> {
    return writer.transact([&](sqlite::Database& db) {
      if (SessionVersionQuery{version}.run(db) != VersionState::unchanged) return;  // it continued, and waits again
      observations::replace_decisions(db, version.session_pk, *made);
      if (complete) analysis::mark_judged(db, version.session_pk);
    });
  });
}

BackgroundThread::Next JudgeThread::judge(const std::stop_token& stop) {
  Result<bool> more = true;
  while (more && *more && !stop.stop_requested())
    more = judge_.judge_next(stop);
  if (more) return {};
  // Hints do not shorten the pause after an error.
  return {std::chrono::steady_clock::now() + kRetry, BackgroundThread::Hints::ignore};
}

}  // namespace memd::llm
