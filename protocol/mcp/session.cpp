#include "protocol/mcp/session.hpp"

#include "protocol/mcp/call.hpp"

#include <utility>
#include <vector>

// Connection state, admission and delivery. What each method answers is in session_methods.cpp, what a worker does in
// session_calls.cpp.
namespace memd::mcp {

Session::Session(std::unique_ptr<transport::LineTransport> transport, const ServerProfile& profile, ServerState& state,
                 const Executors& executors, std::function<void()> on_finished)
    : transport_(std::move(transport)),
      profile_(profile),
      state_(state),
      executors_(executors),
      on_finished_(std::move(on_finished)),
      client_requests_(executors,
                       [this](std::string_view line) {
                         if (!closed_) transport_->write_line(line);
                       }),
      subscriptions_(state.subscriptions) {}

Session::~Session() = default;

void Session::start() { transport_->start(*this); }

void Session::on_line(std::string_view line) {
  if (line.find_first_not_of(" \t") == std::string_view::npos) return;
  auto incoming = parser_.parse(line);
  if (auto* request = std::get_if<jsonrpc::Request>(&incoming)) {
    handle(*request, nullptr);
  } else if (auto* notification = std::get_if<jsonrpc::Notification>(&incoming)) {
    handle(*notification);
  } else if (auto* batch = std::get_if<jsonrpc::Batch>(&incoming)) {
    handle_batch(*batch);
  } else if (auto* response = std::get_if<jsonrpc::Response>(&incoming)) {
    client_requests_.on_response(*response);
  } else if (auto* invalid = std::get_if<jsonrpc::Invalid>(&incoming)) {
    transport_->write_line(jsonrpc::error_line(invalid->id, invalid->code, invalid->message));
  }
}

void Session::on_oversized_line() {
  transport_->write_line(
      jsonrpc::error_line(std::nullopt, jsonrpc::kInvalidRequest, "the message is too long and was skipped"));
}

void Session::handle_batch(jsonrpc::Batch& batch) {
  if (!legacy_ || !has_batches(*legacy_)) {
    transport_->write_line(jsonrpc::error_line(std::nullopt, jsonrpc::kInvalidRequest,
                                               "batches are part of protocol revision 2025-03-26 only"));
    return;
  }
  auto reply = std::make_shared<BatchReply>();
  reply->pending = 1;  // held open until every message has been looked at
  for (jsonrpc::Message& message : batch.messages) {
    if (auto* request = std::get_if<jsonrpc::Request>(&message)) {
      ++reply->pending;
      handle(*request, reply);
    } else if (auto* notification = std::get_if<jsonrpc::Notification>(&message)) {
      handle(*notification);
    } else if (auto* response = std::get_if<jsonrpc::Response>(&message)) {
      client_requests_.on_response(*response);
    } else if (auto* invalid = std::get_if<jsonrpc::Invalid>(&message)) {
      ++reply->pending;
      answer(reply, jsonrpc::error_line(invalid->id, invalid->code, invalid->message));
    }
  }
  answer(reply, {});
}

// An empty line settles a request without an answer.
void Session::answer(const std::shared_ptr<BatchReply>& batch, std::string line) {
  if (closed_) return;
  if (batch == nullptr) {
    if (!line.empty()) transport_->write_line(line);
    return;
  }
  if (!line.empty()) batch->answers.append(batch->answers.empty() ? "" : ",").append(line);
  if (--batch->pending == 0 && !batch->answers.empty()) transport_->write_line("[" + batch->answers + "]");
}

void Session::answer_error(const jsonrpc::Request& request, int code, std::string_view message,
                           const std::shared_ptr<BatchReply>& batch, std::string_view data) {
  answer(batch, jsonrpc::error_line(request.id, code, message, data));
}

void Session::admit(std::shared_ptr<Call> call) {
  if (call->tool != nullptr && call->tool->info.inline_ok) {
    answer(call->batch, run(call).line);
    return;
  }
  call->started_at = call->heard_at = profile_.clock().now();
  if (!call->progress_token.empty() && state_.wake_heartbeat) state_.wake_heartbeat();
  in_flight_.emplace(call->id, call);
  if (running_ < profile_.limits().max_in_flight)
    launch(call);
  else
    waiting_.push_back(std::move(call));  // only a batch gets here: reading has stopped
}

void Session::launch(const std::shared_ptr<Call>& call) {
  if (++running_ >= profile_.limits().max_in_flight) transport_->set_reading(false);
  executors_.to_worker([this, call] {
    auto outcome = std::make_shared<Outcome>(run(call));
    executors_.to_loop([this, call, outcome] { finish(call, *outcome); });
  });
}

void Session::finish(const std::shared_ptr<Call>& call, const Outcome& outcome) {
  --running_;
  if (!call->settled) {
    call->settled = true;
    in_flight_.erase(call->id);
    if (outcome.succeeded && call->on_success) call->on_success();
    answer(call->batch, outcome.line);
  }
  while (!waiting_.empty() && running_ < profile_.limits().max_in_flight) {
    const auto next = std::move(waiting_.front());
    waiting_.pop_front();
    if (!next->settled) launch(next);
  }
  if (!closed_ && !stopping_ && running_ < profile_.limits().max_in_flight) transport_->set_reading(true);
  close_when_drained();
  report_when_finished();
}

void Session::cancel(const std::shared_ptr<Call>& call) {
  call->settled = true;
  call->stop.request_stop();
  in_flight_.erase(call->id);
  answer(call->batch, {});
}

void Session::cancel_all() {
  waiting_.clear();
  for (const auto& [id, call] : std::exchange(in_flight_, {})) {
    call->settled = true;
    call->stop.request_stop();
  }
}

void Session::stop() {
  if (stopping_ || closed_) return;
  stopping_ = true;
  std::vector<std::shared_ptr<Call>> calls;
  for (const auto& [id, call] : in_flight_)
    calls.push_back(call);
  cancel_all();
  for (const auto& call : calls)
    answer(call->batch, jsonrpc::error_line(call->id, jsonrpc::kInternalError, "memd is stopping; ask again"));
  while (const auto stream = subscriptions_.any_stream())
    end_subscription(*stream);
  transport_->close();
}

void Session::abort() { transport_->abort(); }

void Session::notify_tools_changed() {
  if (closed_ || stopping_) return;
  for (const std::string& line : subscriptions_.tools_changed(legacy_ && initialized_))
    transport_->write_line(line);
}

void Session::notify_resources_changed(const SubscriptionHub::Changes& changes) {
  if (closed_ || stopping_) return;
  for (const std::string& line : subscriptions_.changed(changes))
    transport_->write_line(line);
}

// A final result and a cancellation both: the specification asks for one in one place and the other in another.
void Session::end_subscription(const std::string& id) {
  subscriptions_.close(id);
  transport_->write_line(jsonrpc::notification_line("notifications/cancelled", R"({"requestId":)" + id + "}"));
  transport_->write_line(jsonrpc::result_line(id, profile_.subscription_end_result(id)));
}

void Session::on_end_of_input() {
  input_ended_ = true;
  client_requests_.end();
  close_when_drained();
}

void Session::close_when_drained() {
  if (!input_ended_ || stopping_ || closed_ || !in_flight_.empty()) return;
  stop();
}

void Session::on_closed() {
  closed_ = true;
  client_requests_.end();
  cancel_all();
  subscriptions_.clear();
  report_when_finished();
}

void Session::report_when_finished() {
  if (closed_ && running_ == 0) on_finished_();
}

}  // namespace memd::mcp
