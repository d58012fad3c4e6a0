// Links memd_protocol. Each input is the lines of a client for one session, which runs to its end. Nothing may crash,
// and everything that the session sends must be one line of JSON.
#include "protocol/transport/line_transport.hpp"
#include "test/fuzz/fuzz_target.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/memory_transport.hpp"
#include "test/support/sample_offers.hpp"
#include "test/support/sample_tools.hpp"
#include "test/support/stepped_executors.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

using namespace memd;

namespace {

std::deque<std::string> cut_into_lines(std::string_view bytes) {
  transport::LineBuffer buffer(4096);
  std::deque<std::string> lines;
  while (!bytes.empty()) {
    const auto room = buffer.prepare();
    const std::size_t n = std::min(room.size(), bytes.size());
    std::memcpy(room.data(), bytes.data(), n);
    buffer.commit(n);
    bytes.remove_prefix(n);
    while (const auto line = buffer.next())
      if (!line->oversized) lines.emplace_back(line->text);
  }
  if (const auto line = buffer.rest(); line && !line->oversized) lines.emplace_back(line->text);
  return lines;
}

}  // namespace

MEMD_FUZZ_TARGET(jsonrpc) {
  mcp::ToolRegistry registry;
  test::add_sample_tools(registry);
  const test::FakeClock clock;
  test::SampleNotes notes;
  mcp::ResourceRegistry resources;
  test::add_sample_resources(resources, notes);
  mcp::PromptRegistry prompts;
  test::add_sample_prompts(prompts, notes);
  const mcp::ServerProfile profile({"memd", "Memory", "0", "Ask."}, registry, clock, {}, {&resources, &prompts});
  test::SteppedExecutors steps;
  auto peer = std::make_shared<test::MemoryPeer>();
  peer->to_server = cut_into_lines(std::string_view(reinterpret_cast<const char*>(data), size));
  peer->input_ended = true;

  auto owned = std::make_unique<test::MemoryTransport>(steps, peer);
  test::MemoryTransport& link = *owned;
  bool finished = false;
  mcp::ServerState state(clock);
  mcp::Session session(std::move(owned), profile, state, steps.executors(), [&] { finished = true; });
  session.start();
  link.deliver();
  steps.run_all();
  if (!finished) std::abort();
  for (const std::string& line : peer->received) {
    boost::system::error_code ec;
    boost::json::parse(line, ec);
    if (ec || line.find('\n') != std::string::npos) std::abort();
  }
  return 0;
}
