#pragma once

#include "protocol/mcp/session.hpp"
#include "schemas/base/error.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/memory_transport.hpp"
#include "test/support/sample_tools.hpp"
#include "test/support/stepped_executors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memd::test {

inline boost::json::value parse(std::string_view text) {
  return boost::json::parse(boost::json::string_view(text.data(), text.size()));
}

inline const std::string kModernMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";

// One session, its client, and a loop and workers that advance only when the test says so.
class SessionTest : public testing::Test {
 protected:
  // Sends a line and runs the loop, not the workers.
  void send(std::string line) {
    peer->to_server.push_back(std::move(line));
    if (!session) open();
    deliver();
  }
  void deliver() {
    steps.post([this] {
      if (!finished) transport->deliver();
    });
    steps.run_loop();
  }
  void end_input() {
    peer->input_ended = true;
    deliver();
  }
  void request(std::string_view id, std::string_view method, std::string_view params = "{}") {
    std::string line = R"({"jsonrpc":"2.0","id":)";
    line.append(id).append(R"(,"method":")").append(method).append(R"(","params":)").append(params).append("}");
    send(line);
  }
  void initialize(std::string_view version) {
    request("0", "initialize",
            std::string(R"({"protocolVersion":")")
                .append(version)
                .append(R"(","capabilities":{},"clientInfo":{"name":"test","version":"1"}})"));
    send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    peer->received.clear();
  }
  // Returns and clears the lines received.
  std::vector<std::string> take() { return std::exchange(peer->received, {}); }
  // Returns the only line received, as JSON.
  boost::json::object take_one() {
    const auto lines = take();
    EXPECT_EQ(lines.size(), 1U) << testing::PrintToString(lines);
    return lines.empty() ? boost::json::object() : parse(lines[0]).get_object();
  }
  int take_error_code() {
    const auto message = take_one();
    const auto* error = message.if_contains("error");
    return error == nullptr ? 0 : static_cast<int>(error->at("code").as_int64());
  }
  void open() {
    profile.emplace(mcp::ServerIdentity{"memd", "Memory", "0.1.0", "Ask recent_turns first."}, registry, clock, limits,
                    offers);
    state.emplace(clock);
    profile->add_method("memd/status", [](std::string_view params, mcp::ToolContext&) -> Result<std::string> {
      if (params == "{}") return std::string(R"({"ok":true})");
      return Error(Errc::invalid_argument, "takes nothing");
    });
    profile->set_failure_log([this](std::string_view what) { failures.emplace_back(what); });
    auto made = std::make_unique<MemoryTransport>(steps, peer);
    transport = made.get();
    session = std::make_unique<mcp::Session>(std::move(made), *profile, *state, steps.executors(),
                                             [this] { finished = true; });
    session->start();
  }
  void SetUp() override { add_sample_tools(registry); }

  mcp::ServerLimits limits;
  FakeClock clock;
  mcp::ToolRegistry registry;
  mcp::Offers offers;
  std::optional<mcp::ServerProfile> profile;
  std::optional<mcp::ServerState> state;
  SteppedExecutors steps;
  std::shared_ptr<MemoryPeer> peer = std::make_shared<MemoryPeer>();
  MemoryTransport* transport = nullptr;
  std::unique_ptr<mcp::Session> session;
  std::vector<std::string> failures;
  bool finished = false;
};

}  // namespace memd::test
