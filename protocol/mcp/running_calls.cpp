#include "protocol/mcp/running_calls.hpp"

#include <utility>

namespace memd::mcp {

RunningCalls::RunningCalls(const ServerProfile& profile, ServerState& state, const Executors& executors,
                           ClientRequests& client, ReplyWriter& replies, Owner& owner)
    : profile_(profile),
      state_(state),
      executors_(executors),
      replies_(replies),
      owner_(owner),
      runner_(profile, state, client) {}

void RunningCalls::admit(std::shared_ptr<Call> call) {
  if (call->is_inline()) {
    ToolContext context(call->stop.get_token());
    const auto outcome = runner_.run(*call, context);
    replies_.answer(call->batch, outcome.line);
    tell_failure(*call, outcome);
    return;
  }
  call->progress.start(profile_.clock().now());
  if (call->progress.wanted() && state_.wake_heartbeat) state_.wake_heartbeat();
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
  ++running_;
  if (!has_room()) owner_.on_full();
  executors_.to_worker([this, call] {
    ToolContext context = context_of(call);
    auto outcome = std::make_shared<CallRunner::Outcome>(runner_.run(*call, context));
    executors_.to_loop([this, call, outcome] { finish(call, *outcome); });
  });
}

void RunningCalls::finish(const std::shared_ptr<Call>& call, const CallRunner::Outcome& outcome) {
  --running_;
  if (!call->settled) {
    tell_failure(*call, outcome);
    call->settled = true;
    in_flight_.erase(call->id);
    if (outcome.succeeded && call->on_success) call->on_success();
    replies_.answer(call->batch, outcome.line);
  }
  while (!waiting_.empty() && has_room()) {
    const auto next = std::move(waiting_.front());
    waiting_.pop_front();
    if (!next->settled) launch(next);
  }
  owner_.on_returned();
}

void RunningCalls::tell_failure(const Call& call, const CallRunner::Outcome& outcome) {
  if (!outcome.failure.empty() && !is_modern(call.revision)) owner_.on_failure(outcome.failure);
}

void RunningCalls::cancel(const std::string& id) {
  const auto it = in_flight_.find(id);
  if (it == in_flight_.end()) return;
  const auto call = std::move(it->second);
  in_flight_.erase(it);
  call->settled = true;
  call->stop.request_stop();
  replies_.answer(call->batch, {});
}

void RunningCalls::cancel_all(std::string_view reason) {
  waiting_.clear();
  const auto calls = std::exchange(in_flight_, {});
  for (const auto& [id, call] : calls) {
    call->settled = true;
    call->stop.request_stop();
  }
  if (reason.empty()) return;
  for (const auto& [id, call] : calls)
    replies_.answer(call->batch, jsonrpc::error_line(id, jsonrpc::kInternalError, reason));
}

void RunningCalls::do_not_watch(std::string_view uri) {
  if (uri.empty()) return;
  for (const auto& [id, call] : in_flight_)
    if (call->subscribes == uri) call->on_success = {};
}

bool RunningCalls::beat() {
  bool any = false;
  const TimeMs now = profile_.clock().now();
  for (const auto& [id, call] : in_flight_) {
    if (!call->progress.wanted()) continue;
    any = true;
    if (const auto line = call->progress.heartbeat_line(now, profile_.limits().heartbeat_ms)) replies_.write(*line);
  }
  return any;
}

}  // namespace memd::mcp
