#include "daemon/models/model_run.hpp"

#include "schemas/base/error.hpp"
#include "store/text/token_budget.hpp"

#include <boost/algorithm/string/join.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <utility>

namespace memd::llm {

namespace {

using completions::SpendingLedger;

constexpr std::size_t kMostAtOnce = 8;  // requests sent to a client together

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= 80 &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return c > ' ' && c < 0x7F; });
}

std::int64_t as_count(std::size_t n) { return static_cast<std::int64_t>(n); }

}  // namespace

Deadline::Deadline(std::stop_token caller, std::optional<std::chrono::seconds> allowed, Now now)
    : caller_(std::move(caller), [this] { source_.request_stop(); }),
      now_(std::move(now)),
      until_(allowed ? std::optional(now_() + *allowed) : std::nullopt) {
  if (!allowed) return;
  timer_ = std::jthread([this, wait = *allowed](const std::stop_token& over) {
    std::unique_lock lock(mutex_);
    never_.wait_for(lock, over, wait, [] { return false; });
    if (!over.stop_requested()) source_.request_stop();
  });
}

std::string ModelRun::models() const { return boost::algorithm::join(used_, ", "); }

void ModelRun::begin(std::string_view step, std::size_t of) {
  step_ = step;
  step_of_ = of;
  done_before_step_ = done_;
}

// Returns the progress message of this step, with counts if it has several requests.
std::string ModelRun::step_now() const {
  std::string out = (step_.empty() ? "summarising" : step_) + " with " + model().name();
  if (step_of_ > 1) out += ", " + std::to_string(done_ - done_before_step_) + " of " + std::to_string(step_of_);
  return out;
}

Result<std::optional<std::string>> ModelRun::ask(const SummaryRequest& request) {
  MEMD_TRY_ASSIGN(auto answers, ask(std::span(&request, 1)));
  return std::move(answers.front());
}

Result<ModelRun::Answers> ModelRun::ask(std::span<const SummaryRequest> requests) {
  Answers answers(requests.size());
  while (true) {
    if (context_.stop.stop_requested()) return Error(Errc::cancelled, "cancelled");
    const auto missing = look_up(requests, answers);
    if (missing.empty() || !trouble_.empty()) return answers;
    if (deadline_.passed()) {
      trouble_ = "the time allowed was over";
      return answers;
    }
    context_.stage(static_cast<double>(done_), static_cast<double>(std::max(expected_, done_ + missing.size())),
                   step_now());
    const auto asked = parts_.models[active_].all_at_once ? ask_all_at_once(missing) : ask_in_parallel(missing);
    if (asked) continue;  // nothing is missing any more
    const Error& error = asked.error();
    if (context_.stop.stop_requested()) return Error(Errc::cancelled, "cancelled");
    if (error.is(Errc::input_required)) return error;
    if (give_up(error)) return answers;
  }
}

// Records the failure of a model. False: another model can be tried.
bool ModelRun::give_up(const Error& error) {
  if (error.is(Errc::cancelled)) {
    trouble_ = deadline_.token().stop_requested() ? "the time allowed was over" : error.context;
    return true;
  }
  if (over_budget_ || active_ + 1 == parts_.models.size()) {
    trouble_ = error.context;
    return true;
  }
  ++active_;
  return false;
}

std::vector<ModelRun::Missing> ModelRun::look_up(std::span<const SummaryRequest> requests, Answers& answers) {
  std::vector<Missing> missing;
  const std::string name = model().name();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (answers[i]) continue;
    // An unreadable cache entry counts as missing.
    auto found = parts_.cache.find(name, requests[i].request);
    if (found && *found) {
      answers[i] = std::move(**found);
      used_.insert(name);
      ++done_;
    } else {
      missing.push_back({&requests[i], &answers[i]});
    }
  }
  return missing;
}

Result<SpendingLedger::Charge> ModelRun::charge(const SummaryRequest& request) {
  const auto& left_alone = parts_.models[active_].left_alone;
  if (const std::string why = left_alone ? left_alone() : std::string(); !why.empty())
    return Error(Errc::unavailable, why);
  const auto& r = request.request;
  auto charged = parts_.spending.charge(model().name(), as_count(estimate_tokens(r.system) + estimate_tokens(r.prompt)),
                                        as_count(r.max_tokens));
  if (!charged) over_budget_ = true;
  return charged;
}

void ModelRun::release(const SpendingLedger::Charge& charge, const Error& error) {
  // A client that has to be asked first is charged when it answers. The cost of a failed or abandoned request is
  // unknown, so its request tokens stay charged.
  const bool not_asked = error.is(Errc::input_required);
  if (!not_asked) {
    const std::lock_guard lock(mutex_);
    ++requests_;
  }
  (void)parts_.spending.settle(charge, not_asked ? SpendingLedger::Outcome::not_asked : SpendingLedger::Outcome::failed,
                               charge.tokens_in, 0);
}

Result<void> ModelRun::take(const Missing& missing, const Completion& completion,
                            const SpendingLedger::Charge& charge) {
  const std::string name = model().name();
  const std::int64_t in = completion.tokens_in > 0 ? completion.tokens_in : charge.tokens_in;
  const std::int64_t out =
      completion.tokens_out > 0 ? completion.tokens_out : as_count(estimate_tokens(completion.text));
  std::string text = cleaned_answer(completion.text, missing.request->max_tokens);
  if (const auto tokens = estimate_tokens(text); completion.truncated && tokens > 1)
    text = cut_to_tokens(text, tokens - 1).text;  // cut at a sentence end
  (void)parts_.spending.settle(
      charge, text.empty() ? SpendingLedger::Outcome::failed : SpendingLedger::Outcome::answered, in, out);
  const std::lock_guard lock(mutex_);
  ++requests_;
  if (text.empty()) return Error(Errc::protocol, name + ": its answer holds no summary");
  (void)parts_.cache.keep(parts_.session_uid, name, missing.request->request, text);
  // The client's model is configured under one name, but its answer names the actual model.
  used_.insert(parts_.models[active_].all_at_once && is_plain_name(completion.model) ? name + "/" + completion.model
                                                                                     : name);
  ++done_;
  context_.progress(static_cast<double>(done_), static_cast<double>(std::max(expected_, done_)), step_now());
  *missing.answer = std::move(text);
  return {};
}

Result<void> ModelRun::ask_all_at_once(std::span<const Missing> missing) {
  for (std::size_t first = 0; first < missing.size(); first += kMostAtOnce) {
    const auto batch = missing.subspan(first, std::min(kMostAtOnce, missing.size() - first));
    std::vector<SpendingLedger::Charge> charges;
    std::vector<CompletionRequest> requests;
    for (const auto& one : batch) {
      auto charged = charge(*one.request);
      if (!charged) {
        for (const auto& c : charges)
          release(c, Error(Errc::input_required, {}));
        return charged.error();
      }
      charges.push_back(std::move(*charged));
      requests.push_back(one.request->request);
    }
    auto answers = model().complete(requests, deadline_.token());
    if (answers && answers->size() != batch.size())
      answers = Error(Errc::protocol, model().name() + ": not as many answers as requests");
    if (!answers) {
      for (const auto& c : charges)
        release(c, answers.error());
      return answers.error();
    }
    Result<void> outcome;
    for (std::size_t i = 0; i < batch.size(); ++i)
      if (auto taken = take(batch[i], answers->at(i), charges[i]); !taken) outcome = std::move(taken);
    if (!outcome) return outcome;
  }
  return {};
}

Result<void> ModelRun::ask_one(const Missing& missing) {
  const RequestSlots::Slot slot(parts_.slots, deadline_.token());
  if (!slot) return Error(Errc::cancelled, "cancelled");
  MEMD_TRY_ASSIGN(const auto charged, charge(*missing.request));
  auto answers = model().complete(std::span(&missing.request->request, 1), deadline_.token());
  if (answers && answers->size() != 1)
    answers = Error(Errc::protocol, model().name() + ": not as many answers as requests");
  if (!answers) {
    release(charged, answers.error());
    return answers.error();
  }
  return take(missing, answers->front(), charged);
}

// Sends the requests in parallel. After a failure no new request starts; running ones are awaited, because they are
// paid for.
Result<void> ModelRun::ask_in_parallel(std::span<const Missing> missing) {
  std::atomic<std::size_t> next{0};
  std::mutex failing;
  std::optional<Error> failure;  // guarded by failing; the first
  const auto work = [&] {
    while (true) {
      const std::size_t i = next++;
      if (i >= missing.size()) return;
      Result<void> asked;
      try {
        asked = ask_one(missing[i]);
      } catch (const std::exception& e) {
        asked = Error(Errc::unavailable, model().name() + ": " + e.what());
      }
      if (asked) continue;
      next = missing.size();
      const std::lock_guard lock(failing);
      if (!failure) failure = std::move(asked).error();
    }
  };
  {
    std::vector<std::jthread> others;
    const std::size_t helpers = std::min(parts_.parallel, missing.size()) - 1;
    for (std::size_t i = 0; i < helpers; ++i)
      others.emplace_back(work);
    work();
  }
  if (failure) return std::move(*failure);
  return {};
}

}  // namespace memd::llm
