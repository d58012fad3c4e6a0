#include "protocol/mcp/call_runner.hpp"

#include "protocol/mcp/sampling.hpp"
#include "schemas/json_writer.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <utility>

namespace memd::mcp {
namespace {

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

CallRunner::Outcome CallRunner::run(const Call& call, ToolContext& context) const {
  if (call.stop.stop_requested()) return {};
  if (call.tool == nullptr) return run_work(call, context);
  const boost::json::object& arguments = call.params.get_object();
  if (!call.can_sample || call.is_inline()) return tool_answer(call, call.tool->invoke(arguments, context));
  if (is_modern(call.revision)) return run_in_rounds(call, context);
  SamplingModel model(client_, state_.client_waits, profile_.limits().max_client_waits,
                      std::chrono::milliseconds(profile_.limits().max_client_wait_ms));
  context.client_model = &model;
  return tool_answer(call, call.tool->invoke(arguments, context));
}

CallRunner::Outcome CallRunner::run_in_rounds(const Call& call, ToolContext& context) const {
  const InputRetry& retry = call.retry;
  const boost::json::object& arguments = call.params.get_object();
  InputRound earlier{question_digest(call.tool->info.name, arguments), {}, {}};
  if (retry.state) {
    auto found = state_.input_rounds.find(*retry.state, earlier.question);
    if (!found) return {jsonrpc::error_line(call.id, jsonrpc::kInvalidParams, found.error().message()), false, {}};
    earlier = std::move(*found);
  }
  InputRoundModel model(std::move(earlier));
  model.take(retry.responses);
  context.client_model = &model;
  const ToolOutcome outcome = call.tool->invoke(arguments, context);
  if (retry.state && !call.stop.stop_requested()) state_.input_rounds.forget(*retry.state);
  // A handler that was not answered passes that on as its error.
  if (!outcome.is_error || model.open().empty()) return tool_answer(call, outcome);
  // Nobody would come back with the state of a call that was cancelled meanwhile.
  if (call.stop.stop_requested()) return {};
  const std::string state = state_.input_rounds.keep(std::move(model).next_round());
  return {jsonrpc::result_line(call.id, input_required_result(profile_, model, state)), true, {}};
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
  try {
    auto result = call.work(call, context);
    if (result) return {result->empty() ? std::string() : jsonrpc::result_line(call.id, *result), true, {}};
    problem = result.error().message();
    if (result.error().is(Errc::invalid_argument)) code = jsonrpc::kInvalidParams;
    if (result.error().is(Errc::not_found)) code = call.not_found_code;
  } catch (const std::exception& e) {
    problem = std::string("internal error: ") + e.what();
  }
  if (code == jsonrpc::kInternalError && !context.stop.stop_requested()) profile_.log_failure(problem);
  return {jsonrpc::error_line(call.id, code, problem), false, {}};
}

}  // namespace memd::mcp
