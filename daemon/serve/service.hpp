#pragma once

#include "daemon/admin/admin_door.hpp"
#include "daemon/admin/admin_service.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/watcher.hpp"
#include "daemon/serve/memory_after_burst.hpp"
#include "daemon/serve/worker_pool.hpp"
#include "protocol/mcp/server.hpp"
#include "protocol/mcp/server_profile.hpp"
#include "schemas/error.hpp"
#include "schemas/time.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <optional>
#include <string>

namespace memd {

class HeldSignals;
class StoreRebuild;

// A serving process: the loop thread (this one) with transports, watcher, timers and signals; a pool of worker threads
// for tool calls; the two threads of ingest.
//
// Order of shutdown, each step after the one before:
//   1. signal, or the last client of --stdio gone: the server stops accepting, cancels what runs, writes what is
//   queued;
//      the gRPC door ends its calls
//   2. the watcher and the timers stop; the loop runs out of work and run() goes on
//   3. ingest stops reading, commits what it has read, its threads end
//   4. the workers end, the gRPC door closes its connections, the store's connections close
// So it ends, too, to make room for a rebuild of the store; then another one goes on with the same sockets.
class Service {
 public:
  // `rebuild`: the one that a daemon offers; it must outlive this. While it is under way, serve_as_it_is().
  Service(const Settings& settings, const Clock& clock, std::string role, std::string socket,
          StoreRebuild* rebuild = nullptr);
  ~Service();

  Result<void> start_ingest();  // for the holder of the instance lock
  // Instead, where nobody can write.
  void serve_as_it_is(std::string why) { host_.serve_as_it_is(std::move(why)); }
  void listen(int listening_socket);
  // The door of the configuration, which nothing else opens.
  Result<void> open_grpc_door(int listening_socket);
  void serve_stdio();  // run() ends with the client
  // Until SIGTERM, SIGINT or the end of the client: null. Or until a rebuild wants room: then another one is to serve
  // once this one is gone and StoreRebuild::go_on() was called, and signals wait for as long as the object lives.
  std::unique_ptr<HeldSignals> run();

 private:
  void stop();
  void make_room();
  void stop_serving(std::string why);
  bool was_signalled();
  void give_memory_back();
  void start_watchdog();
  admin::ProcessFacts facts(std::string role, std::string socket);
  template <class F>
  auto ask_loop(F question) -> decltype(question());

  StoreRebuild* const rebuild_;  // null: none is offered
  MemoryHost host_;
  boost::asio::io_context loop_{1};
  WorkerPool workers_;
  MemoryAfterBurst memory_;
  bool start_was_given_back_ = false;  // for give_memory_back() only, which runs once at a time
  admin::AdminService service_;
  mcp::ToolRegistry admin_;
  std::unique_ptr<mcp::ServerProfile> profile_;
  std::unique_ptr<mcp::Server> server_;
  std::unique_ptr<admin::AdminDoor> door_;  // null: none is open
  std::unique_ptr<Watcher> watcher_;
  boost::asio::signal_set signals_;
  boost::asio::steady_timer watchdog_;
  std::unique_ptr<HeldSignals> held_;
  bool stopping_ = false;
  bool ending_ = false;  // and no other one is to serve
};

// The three ways memd serves. Each returns the exit code when it is over.

// memd --socket [PATH]: the daemon. An error if one is running already for this data directory.
Result<int> serve_socket(const Settings& settings, const std::optional<std::string>& path);

// memd --stdio: a byte pump to the daemon, which is started when there is none. Where the data directory cannot be
// written to and none runs, as with --standalone.
Result<int> serve_stdio_pump(const Settings& settings);

// memd --stdio --standalone: everything in this process. Ingests unless another memd does so already, or the data
// directory cannot be written to: then it answers from the store as it lies, and each answer says so.
Result<int> serve_stdio_standalone(const Settings& settings);

}  // namespace memd
