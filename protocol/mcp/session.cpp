#include "protocol/mcp/session.hpp"

#include <chrono>
#include <utility>

namespace memd::mcp {

Session::Session(std::unique_ptr<transport::LineTransport> transport, const ServerProfile& profile, ServerState& state,
                 const Executors& executors, std::function<void()> on_finished)
    : transport_(std::move(transport)),
      on_finished_(std::move(on_finished)),
      replies_(*transport_),
      client_requests_(executors, [this](std::string_view line) { replies_.write(line); }),
      client_roots_(client_requests_, std::chrono::milliseconds(profile.limits().max_roots_wait_ms)),
      calls_(profile, state, executors, client_requests_, client_roots_, replies_, *this),
      subscriptions_(profile, state.subscriptions, calls_, replies_),
      router_(profile, calls_, subscriptions_, client_roots_, replies_) {}

Session::~Session() = default;

void Session::start() { transport_->start(*this); }

void Session::on_line(std::string_view line) {
  if (line.find_first_not_of(" \t") == std::string_view::npos) return;
  auto incoming = parser_.parse(line);
  if (auto* request = std::get_if<jsonrpc::Request>(&incoming)) {
    router_.handle(*request, nullptr);
  } else if (const auto* notification = std::get_if<jsonrpc::Notification>(&incoming)) {
    router_.handle(*notification);
  } else if (auto* batch = std::get_if<jsonrpc::Batch>(&incoming)) {
    handle_batch(*batch);
  } else if (auto* response = std::get_if<jsonrpc::Response>(&incoming)) {
    client_requests_.on_response(*response);
  } else if (const auto* invalid = std::get_if<jsonrpc::Invalid>(&incoming)) {
    replies_.write(jsonrpc::error_line(invalid->id, invalid->code, invalid->message));
  }
}

void Session::on_oversized_line(const transport::LineEnds& ends) {
  replies_.write(jsonrpc::error_line(jsonrpc::id_of_cut_request(ends.beginning, ends.end), jsonrpc::kInvalidRequest,
                                     "the message is longer than 10 MB and was skipped"));
}

void Session::handle_batch(jsonrpc::Batch& batch) {
  if (!router_.takes_batches()) {
    replies_.write(jsonrpc::error_line(std::nullopt, jsonrpc::kInvalidRequest,
                                       "batches are part of protocol revision 2025-03-26 only"));
    return;
  }
  auto reply = std::make_shared<BatchReply>();
  reply->pending = 1;  // held open until every message has been looked at
  for (jsonrpc::Message& message : batch.messages) {
    if (auto* request = std::get_if<jsonrpc::Request>(&message)) {
      ++reply->pending;
      router_.handle(*request, reply);
    } else if (const auto* notification = std::get_if<jsonrpc::Notification>(&message)) {
      router_.handle(*notification);
    } else if (auto* response = std::get_if<jsonrpc::Response>(&message)) {
      client_requests_.on_response(*response);
    } else if (const auto* invalid = std::get_if<jsonrpc::Invalid>(&message)) {
      ++reply->pending;
      replies_.answer(reply, jsonrpc::error_line(invalid->id, invalid->code, invalid->message));
    }
  }
  replies_.answer(reply, {});
}

void Session::on_returned() {
  if (!replies_.closed() && !stopping_ && !draining_ && calls_.has_room()) transport_->set_reading(true);
  close_when_drained();
  report_when_finished();
}

void Session::drain() {
  if (stopping_ || replies_.closed()) return;
  draining_ = true;
  transport_->set_reading(false);
  close_when_drained();
}

void Session::stop() {
  if (stopping_ || replies_.closed()) return;
  stopping_ = true;
  calls_.cancel_all("memd is stopping; ask again");
  subscriptions_.end_streams();
  transport_->close();
}

void Session::abort() { transport_->abort(); }

void Session::notify_resources_changed(const SubscriptionHub::Changes& changes) {
  if (!stopping_) subscriptions_.tell_resources_changed(changes);
}

void Session::on_end_of_input() {
  input_ended_ = true;
  client_requests_.end();
  close_when_drained();
}

void Session::close_when_drained() {
  if ((input_ended_ || draining_) && calls_.all_settled()) stop();
}

void Session::on_closed() {
  replies_.close();
  client_requests_.end();
  calls_.cancel_all();
  subscriptions_.clear();
  report_when_finished();
}

void Session::report_when_finished() {
  if (replies_.closed() && calls_.none_running()) on_finished_();
}

}  // namespace memd::mcp
