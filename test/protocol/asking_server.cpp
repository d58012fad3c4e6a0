// A server over stdin and stdout whose tools ask the client's own model: what the official clients are tried with in
// test/e2e.
#include "protocol/mcp/server.hpp"
#include "test/support/asking_tools.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

int main() {
  using namespace memd;
  mcp::ToolRegistry tools;
  test::add_asking_tools(tools);
  const mcp::ServerProfile profile({"asking", "Asking", "1", ""}, tools, system_clock());
  boost::asio::io_context loop{1};
  boost::asio::thread_pool workers{4};
  mcp::Server server(
      loop, [&](mcp::Task task) { boost::asio::post(workers, std::move(task)); }, profile);
  server.on_session_closed([&](std::size_t) { server.stop(); });
  server.serve_stdio();
  loop.run();
  workers.join();
}
