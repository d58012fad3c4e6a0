#include "protocol/mcp/call.hpp"
#include "protocol/mcp/random_id.hpp"
#include "protocol/mcp/sampling.hpp"
#include "protocol/mcp/session.hpp"
#include "schemas/json_writer.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>
#include <vector>

// What happens to a call on its worker, and what the client hears of it meanwhile.
namespace memd::mcp {
namespace {

namespace bj = boost::json;

constexpr double kBeatStep = 0.001;  // heartbeats stay within this much of what the handler reported

// Of the tool and its arguments, whatever their order.
std::string question_of(const Call& call) {
  std::vector<std::string> members;
  for (const auto& argument : call.params.get_object()) {
    std::string text;
    json::append_string(text, std::string_view(argument.key()));
    members.push_back(text + ":" + bj::serialize(argument.value()));
  }
  std::sort(members.begin(), members.end());
  std::string text = call.tool->info.name;
  for (const std::string& member : members)
    text.append("\n").append(member);
  return digest(text);
}

// Beats count from the last report on; one that says nothing new must not take them back.
void note_reported(Call& call, double done) {
  if (done <= call.reported) return;
  call.reported = done;
  call.beats = 0;
}

std::string input_required_result(const ServerProfile& profile, const InputRoundModel& model, std::string_view state) {
  std::string out;
  json::Writer w(out);
  profile.begin_result(w, Revision::v2026_07_28, "input_required");
  w.key("inputRequests");
  w.begin_object();
  for (const auto& [key, request] : model.open())
    w.member_raw(key, request);
  w.end_object();
  w.member("requestState", state);
  profile.end_result(w, Revision::v2026_07_28);
  return out;
}

}  // namespace

// On a worker, or on the loop for a tool that is quick.
Session::Outcome Session::run(const std::shared_ptr<Call>& call) {
  ToolContext::ProgressSink sink;
  ToolContext::ProgressSink stage;
  const bool quick = call->tool != nullptr && call->tool->info.inline_ok;
  if (!quick && !call->progress_token.empty()) {
    sink = [this, call](double done, double total, std::string_view message) {
      report_progress(call, done, total, message);
    };
    stage = [call](double done, double total, std::string_view message) {
      const std::lock_guard lock(call->progress_mutex);
      call->stage = {done, total, std::string(message)};
    };
  }
  ToolContext context(call->stop.get_token(), std::move(sink), std::move(stage));
  if (call->stop.stop_requested()) return {};
  if (call->tool == nullptr) return run_work(*call, context);
  if (!call->can_sample || quick)
    return {tool_line(call, call->tool->invoke(call->params.get_object(), context)), true};
  if (is_modern(call->revision)) return run_tool_in_rounds(call, context);
  SamplingModel model(client_requests_, state_.client_waits, profile_.limits().max_client_waits,
                      std::chrono::milliseconds(profile_.limits().max_client_wait_ms));
  context.client_model = &model;
  return {tool_line(call, call->tool->invoke(call->params.get_object(), context)), true};
}

Session::Outcome Session::run_tool_in_rounds(const std::shared_ptr<Call>& call, ToolContext& context) {
  const InputRetry& retry = call->retry;
  InputRound earlier{question_of(*call), {}, {}};
  if (retry.state) {
    auto found = state_.input_rounds.find(*retry.state, earlier.question);
    if (!found) return {jsonrpc::error_line(call->id, jsonrpc::kInvalidParams, found.error().message()), false};
    earlier = std::move(*found);
  }
  InputRoundModel model(std::move(earlier));
  model.take(retry.responses);
  context.client_model = &model;
  const ToolOutcome outcome = call->tool->invoke(call->params.get_object(), context);
  if (retry.state && !call->stop.stop_requested()) state_.input_rounds.forget(*retry.state);
  // A handler that was not answered passes that on as its error.
  if (!outcome.is_error || model.open().empty()) return {tool_line(call, outcome), true};
  // A call that was cancelled meanwhile is forgotten: nobody would come back with the state.
  if (call->stop.stop_requested()) return {};
  const std::string state = state_.input_rounds.keep(std::move(model).next_round());
  return {jsonrpc::result_line(call->id, input_required_result(profile_, model, state)), true};
}

std::string Session::tool_line(const std::shared_ptr<Call>& call, const ToolOutcome& outcome) {
  if (outcome.unexpected) {
    const std::string what = call->tool->info.name + ": " + outcome.text;
    profile_.log_failure(what);
    executors_.to_loop([this, what, call] {
      if (!call->settled && !is_modern(call->revision)) log_to_client(what);
    });
  }
  return jsonrpc::result_line(call->id, profile_.tool_result(outcome, call->revision));
}

Session::Outcome Session::run_work(const Call& call, ToolContext& context) {
  std::string problem;
  int code = jsonrpc::kInternalError;
  try {
    auto result = call.work(call, context);
    if (result) return {result->empty() ? std::string() : jsonrpc::result_line(call.id, *result), true};
    problem = result.error().message();
    if (result.error().is(Errc::invalid_argument)) code = jsonrpc::kInvalidParams;
    if (result.error().is(Errc::not_found)) code = call.not_found_code;
  } catch (const std::exception& e) {
    problem = std::string("internal error: ") + e.what();
  }
  if (code == jsonrpc::kInternalError && !context.stop.stop_requested()) profile_.log_failure(problem);
  return {jsonrpc::error_line(call.id, code, problem), false};
}

void Session::report_progress(const std::shared_ptr<Call>& call, double done, double total, std::string_view message) {
  {
    const std::lock_guard lock(call->progress_mutex);
    call->stage = {done, total, std::string(message)};  // heartbeats tell what came too soon
    const TimeMs now = profile_.clock().now();
    if (call->progress_sent_at && now >= *call->progress_sent_at &&
        now - *call->progress_sent_at < profile_.limits().progress_interval_ms)
      return;
    call->progress_sent_at = now;
  }
  executors_.to_loop([this, call, done, total, text = std::string(message)] {
    note_reported(*call, done);
    send_progress(*call, done, total, text);
  });
}

void Session::send_progress(Call& call, double done, double total, std::string_view message) {
  if (call.settled || closed_ || !(done > call.last_progress)) return;
  call.last_progress = done;
  call.heard_at = profile_.clock().now();
  std::string params;
  json::Writer w(params);
  w.begin_object();
  w.member_raw("progressToken", call.progress_token);
  w.key("progress");
  w.number(done);
  if (total > 0) {
    w.key("total");
    w.number(total);
  }
  if (!message.empty() && has_progress_message(call.revision)) w.member("message", message);
  w.end_object();
  transport_->write_line(jsonrpc::notification_line("notifications/progress", params));
}

bool Session::beat() {
  bool any = false;
  const TimeMs now = profile_.clock().now();
  for (const auto& [id, call] : in_flight_) {
    if (call->progress_token.empty()) continue;
    any = true;
    if (now - call->heard_at < profile_.limits().heartbeat_ms) continue;
    CallStage stage;
    {
      const std::lock_guard lock(call->progress_mutex);
      stage = call->stage;
    }
    note_reported(*call, stage.done);
    // Grows with every beat and never reaches what the handler would report next.
    ++call->beats;
    const double done = call->reported + kBeatStep * call->beats / (call->beats + 1);
    if (!stage.message.empty()) stage.message += "; ";
    stage.message += "working since " + std::to_string((now - call->started_at + 500) / 1000) + " s";
    send_progress(*call, done, stage.total, stage.message);
    call->heard_at = now;
  }
  return any;
}

}  // namespace memd::mcp
