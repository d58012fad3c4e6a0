#pragma once

#include "protocol/transport/line_transport.hpp"
#include "test/support/stepped_executors.hpp"

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace memd::test {

// The client's end of an in-memory connection of lines.
struct MemoryPeer {
  std::deque<std::string> to_server;
  std::vector<std::string> received;
  bool input_ended = false;
  bool reading = true;  // false: the session applies back-pressure
  bool closed = false;
};

// An in-memory LineTransport. Keeps its contract: callbacks come from the loop, and lines only while reading is on.
class MemoryTransport final : public transport::LineTransport {
 public:
  MemoryTransport(SteppedExecutors& executors, std::shared_ptr<MemoryPeer> peer)
      : executors_(executors), peer_(std::move(peer)) {}

  void start(Handler& handler) override { handler_ = &handler; }
  void set_reading(bool on) override {
    peer_->reading = on;
    if (on)
      executors_.post([this, alive = std::weak_ptr(alive_)] {
        if (!alive.expired()) deliver();
      });
  }
  void write_line(std::string_view line) override {
    if (!closing_) peer_->received.emplace_back(line);
  }
  bool congested() const override { return false; }
  void end_output() override {}
  void close() override {
    if (std::exchange(closing_, true)) return;
    executors_.post([this] {
      peer_->closed = true;
      handler_->on_closed();
    });
  }
  void abort() override { close(); }

  void deliver() {
    while (peer_->reading && !closing_ && !peer_->to_server.empty()) {
      const std::string line = std::move(peer_->to_server.front());
      peer_->to_server.pop_front();
      handler_->on_line(line);
    }
    if (!peer_->reading || closing_ || !peer_->input_ended || end_reported_) return;
    end_reported_ = true;
    handler_->on_end_of_input();
  }

 private:
  SteppedExecutors& executors_;
  std::shared_ptr<MemoryPeer> peer_;
  std::shared_ptr<int> alive_ = std::make_shared<int>();
  Handler* handler_ = nullptr;
  bool closing_ = false;
  bool end_reported_ = false;
};

}  // namespace memd::test
