#include "protocol/mcp/running_calls.hpp"

#include "protocol/mcp/sampling.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/json_writer.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <utility>

namespace memd::mcp {
namespace {

std::string input_required_result(const ServerProfile& profile, const InputRoundClient& client,
                                  std::string_view state) {
  std::string out;
  json::Writer w(out);
  profile.begin_result(w, Revision::v2026_07_28, "input_required");
  w.key("inputRequests");
  w.begin_object();
  for (const auto& [key, request] : client.open())
    w.member_raw(key, request);
  w.end_object();
  w.member("requestState", state);
  profile.end_result(w, Revision::v2026_07_28);
  return out;
}

// The answer to a call that was not finished.
std::string unfinished_line(const Call& call, std::string_view reason) {
  const bool reads = call.tool == nullptr || call.tool->info.annotations.read_only;
  return jsonrpc::error_line(call.id, jsonrpc::kInternalError, reason,
                             reads ? jsonrpc::kRetryable : jsonrpc::kNotRetryable);
}

}  // namespace

CallRunner::Outcome CallRunner::run(const Call& call, ToolContext& context) const {
  if (call.stop.stop_requested()) return {};
  context.directory = call.directory;
  if (!is_modern(call.revision) && !call.is_inline())
    context.set_roots([this](const std::stop_token& stop) { return roots_.list(stop); });
  if (call.tool == nullptr) return run_work(call, context);
  const boost::json::object& arguments = call.params.get_object();
  if ((!call.client.model && !call.client.elicitation) || call.is_inline())
    return tool_answer(call, call.tool->invoke(arguments, context));
  if (is_modern(call.revision)) return run_in_rounds(call, context);
  ClientWait wait{client_, state_.client_waits, profile_.limits().max_client_waits,
                  std::chrono::milliseconds(profile_.limits().max_client_wait_ms)};
  SamplingModel model(wait);
  LegacyElicitation elicitation(wait);
  if (call.client.model) context.client_model = &model;
  if (call.client.elicitation) context.elicitation = &elicitation;
  return tool_answer(call, call.tool->invoke(arguments, context));
}

CallRunner::Outcome CallRunner::run_in_rounds(const Call& call, ToolContext& context) const {
  const InputRetry& retry = call.retry;
  const boost::json::object& arguments = call.params.get_object();
  InputRound earlier{question_digest(call.tool->info.name, arguments), {}, {}, {}};
  if (retry.state) {
    auto found = state_.input_rounds.find(*retry.state, earlier.question);
    if (!found) return {jsonrpc::error_line(call.id, jsonrpc::kInvalidParams, found.error().message()), false, {}};
    earlier = std::move(*found);
  }
  InputRoundClient client(std::move(earlier));
  client.take(retry.responses);
  if (call.client.model) context.client_model = &client;
  if (call.client.elicitation) context.elicitation = &client;
  const ToolOutcome outcome = call.tool->invoke(arguments, context);
  if (retry.state && !call.stop.stop_requested()) state_.input_rounds.forget(*retry.state);
  // A handler whose own question was not answered returns that as its error.
  if (!outcome.is_error || client.open().empty()) return tool_answer(call, outcome);
  // A cancelled call is never resumed, so its state need not be sent.
  if (call.stop.stop_requested()) return {};
  const std::string state = state_.input_rounds.keep(std::move(client).next_round());
  return {jsonrpc::result_line(call.id, input_required_result(profile_, client, state)), true, {}};
}

CallRunner::Outcome CallRunner::tool_answer(const Call& call, const ToolOutcome& outcome) const {
  Outcome out{jsonrpc::result_line(call.id, profile_.tool_result(outcome, call.revision)), true, {}};
  if (outcome.unexpected) {
    out.failure = call.tool->info.name + ": " + outcome.text;
    profile_.log_failure(out.failure);
  }
  return out;
}

CallRunner::Outcome CallRunner::run_work(const Call& call, ToolContext& context) const {
  std::string problem;
  int code = jsonrpc::kInternalError;
  bool passes = false;  // whether the failure may pass by itself
  std::string data;
  try {
    auto result = call.work(call, context);
    if (result) return {result->empty() ? std::string() : jsonrpc::result_line(call.id, *result), true, {}};
    problem = result.error().message();
    if (result.error().is(Errc::invalid_argument)) code = jsonrpc::kInvalidParams;
    if (result.error().is(Errc::not_found)) {
      code = call.not_found_code;
      if (const auto uri = string_member(call.params, "uri"); uri && call.names_resource) {
        json::Writer w(data);
        w.begin_object();
        w.member("uri", *uri);
        w.end_object();
      }
    }
    passes = result.error().is(Errc::store_busy) || result.error().is(Errc::unavailable);
  } catch (const std::exception& e) {
    problem = std::string("internal error: ") + e.what();
  }
  if (code == jsonrpc::kInternalError && !context.stop.stop_requested()) profile_.log_failure(problem);
  if (code == jsonrpc::kInternalError) data = passes ? jsonrpc::kRetryable : jsonrpc::kNotRetryable;
  return {jsonrpc::error_line(call.id, code, problem, data), false, {}};
}

RunningCalls::RunningCalls(const ServerProfile& profile, ServerState& state, const Executors& executors,
                           ClientRequests& client, ClientRoots& roots, ReplyWriter& replies, Owner& owner)
    : profile_(profile),
      state_(state),
      executors_(executors),
      replies_(replies),
      owner_(owner),
      runner_(profile, state, client, roots) {}

void RunningCalls::admit(std::shared_ptr<Call> call) {
  call->directory = directory_;
  if (call->is_inline()) {
    ToolContext context(call->stop.get_token());
    const auto outcome = runner_.run(*call, context);
    replies_.answer(call->batch, outcome.line);
    tell_failure(*call, outcome);
    return;
  }
  call->progress.start(profile_.clock().now());
  if (call->progress.wanted() || !call->unhurried) wake_heartbeat();
  in_flight_.emplace(call->id, call);
  if (has_room())
    launch(call);
  else
    waiting_.push_back(std::move(call));  // only calls of a batch get here: reading has stopped
}

ToolContext RunningCalls::context_of(const std::shared_ptr<Call>& call) {
  if (!call->progress.wanted()) return ToolContext(call->stop.get_token());
  auto report = [this, call](double done, double total, std::string_view message) {
    const TimeMs interval = profile_.limits().progress_interval_ms;
    if (!call->progress.note_report(done, total, message, profile_.clock().now(), interval)) return;
    executors_.to_loop([this, call, done, total, text = std::string(message)] {
      if (call->settled) return;
      if (const auto line = call->progress.report_line(done, total, text, profile_.clock().now()))
        replies_.write(*line);
    });
  };
  auto stage = [call](double done, double total, std::string_view message) {
    call->progress.note_stage(done, total, message);
  };
  return ToolContext(call->stop.get_token(), std::move(report), std::move(stage));
}

void RunningCalls::launch(const std::shared_ptr<Call>& call) {
  running_.push_back(call);
  if (!has_room()) owner_.on_full();
  executors_.to_worker([this, call] {
    ToolContext context = context_of(call);
    auto outcome = std::make_shared<CallRunner::Outcome>(runner_.run(*call, context));
    executors_.to_loop([this, call, outcome] { finish(call, *outcome); });
  });
}

void RunningCalls::finish(const std::shared_ptr<Call>& call, const CallRunner::Outcome& outcome) {
  std::erase(running_, call);
  if (call->late_ms >= profile_.limits().max_late_ms) --held_workers_;
  if (!call->settled) {
    tell_failure(*call, outcome);
    call->settled = true;
    in_flight_.erase(call->id);
    if (outcome.succeeded && call->on_success) call->on_success();
    replies_.answer(call->batch, outcome.line);
  }
  launch_waiting();
  owner_.on_returned();
}

void RunningCalls::launch_waiting() {
  while (!waiting_.empty() && has_room()) {
    const auto next = std::move(waiting_.front());
    waiting_.pop_front();
    if (!next->settled) launch(next);
  }
}

void RunningCalls::tell_failure(const Call& call, const CallRunner::Outcome& outcome) {
  if (!outcome.failure.empty() && !is_modern(call.revision)) owner_.on_failure(outcome.failure);
}

void RunningCalls::wake_heartbeat() const {
  if (state_.wake_heartbeat) state_.wake_heartbeat();
}

void RunningCalls::cancel(const std::string& id) {
  if (const auto it = in_flight_.find(id); it != in_flight_.end()) end(std::shared_ptr(it->second), {});
}

void RunningCalls::end(const std::shared_ptr<Call>& call, std::string_view answer) {
  in_flight_.erase(call->id);
  call->settled = true;
  call->stop.request_stop();
  replies_.answer(call->batch, answer);
  wake_heartbeat();
}

void RunningCalls::cancel_all(std::string_view reason) {
  waiting_.clear();
  for (const auto& [id, call] : std::exchange(in_flight_, {}))
    end(call, reason.empty() ? std::string() : unfinished_line(*call, reason));
}

void RunningCalls::do_not_watch(std::string_view uri) {
  if (uri.empty()) return;
  for (const auto& [id, call] : in_flight_)
    if (call->subscribes == uri) call->on_success = {};
}

bool RunningCalls::is_overdue(Call& call) const {
  const ServerLimits& limits = profile_.limits();
  const bool waits = call.tool != nullptr && call.tool->info.waits;
  call.in_flight_ms += limits.beat_ms;
  return !call.unhurried && call.in_flight_ms >= (waits ? limits.max_waiting_call_ms : limits.max_call_ms);
}

// Time is counted by beats: a clock that was set, or a computer that slept, ends no call.
bool RunningCalls::beat() {
  const ServerLimits& limits = profile_.limits();
  const TimeMs now = profile_.clock().now();
  bool any = false;
  std::vector<std::shared_ptr<Call>> overdue;
  for (const auto& [id, call] : in_flight_) {
    any = any || call->progress.wanted() || !call->unhurried;
    if (is_overdue(*call))
      overdue.push_back(call);
    else if (const auto line =
                 call->progress.wanted() ? call->progress.heartbeat_line(now, limits.heartbeat_ms) : std::nullopt)
      replies_.write(*line);
  }
  for (const auto& call : overdue)
    end(call, unfinished_line(*call, "ended after " + std::to_string(call->in_flight_ms / 1000) +
                                         " s: ask for less (a shorter time, one project, fewer tokens), or later"));
  std::vector<std::shared_ptr<Call>> lost;
  for (const auto& call : running_) {
    if (!call->settled || call->late_ms >= limits.max_late_ms) continue;
    any = true;
    if ((call->late_ms += limits.beat_ms) >= limits.max_late_ms) lost.push_back(call);
  }
  for (const auto& call : lost)
    replace_worker_of(*call);
  if (!overdue.empty() || !lost.empty()) owner_.on_returned();
  return any;
}

void RunningCalls::replace_worker_of(const Call& call) {
  ++held_workers_;
  profile_.log_failure((call.tool != nullptr ? call.tool->info.name : "a request") +
                       " was cancelled and does not end: another worker takes its place");
  if (state_.on_worker_held) state_.on_worker_held();
  launch_waiting();
}

}  // namespace memd::mcp
