#pragma once

#include "daemon/admin/admin_door.hpp"
#include "daemon/admin/admin_service.hpp"
#include "daemon/blocked_signals.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/watcher.hpp"
#include "daemon/serve/memory_after_burst.hpp"
#include "daemon/serve/shutdown_limit.hpp"
#include "daemon/serve/worker_pool.hpp"
#include "daemon/sharing/sharing_thread.hpp"
#include "protocol/mcp/server.hpp"
#include "protocol/mcp/server_profile.hpp"
#include "protocol/transport/byte_stream.hpp"
#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>

namespace memd {

class StoreRebuild;

// A serving process: the loop thread (the caller of run()) with transports, watcher, timers and signals; a pool of
// worker threads for tool calls; the two threads of ingest.
//
// Order of shutdown:
//   1. on a signal, or when the last client of --stdio is gone: the server stops accepting, cancels running calls and
//      writes queued output; the gRPC door ends its calls
//   2. the watcher and the timers stop; the loop runs out of work and run() continues
//   3. ingest stops reading and commits what it has read; its threads end
//   4. the workers end, the gRPC door closes its connections, the store's connections close
// It ends the same way to make room for a rebuild of the store; another service then continues on the same sockets.
class Service {
 public:
  // `rebuild`: the rebuild that a daemon offers; it must outlive this object. While it is under way, call
  // serve_as_it_is() instead of start_ingest().
  Service(const Settings& settings, const Clock& clock, std::string role, std::string socket,
          StoreRebuild* rebuild = nullptr);
  ~Service();

  // The process goes on without this service, so it may take as long as it does to end. Call it first.
  void be_guest() { is_guest_ = true; }

  Result<void> start_ingest();  // for the holder of the instance lock
  // Serves the store without ingest. Call it instead of start_ingest() where nobody can write.
  void serve_as_it_is(std::string why) { host_.serve_as_it_is(std::move(why)); }
  // Serves the store without ingest while the process `holder`, named `who`, holds the instance lock. Then run() ends
  // as for a rebuild, and the caller may take the lock.
  void serve_while_held(pid_t holder, const std::string& who);
  void listen(int listening_socket);
  // Opens the configured gRPC door. Nothing else opens it.
  Result<void> open_grpc_door(int listening_socket);
  // Serves one client, which works in `directory` (empty: not known). run() ends with the client.
  void serve_stdio(std::string directory);
  void serve(UniqueFd connected_socket);  // likewise; a client names its directory itself
  // Serves until SIGTERM, SIGINT or the end of the client; then returns null. When a rebuild needs the store closed,
  // returns an object that blocks signals while it lives. Then destroy this service, call StoreRebuild::go_on() and
  // serve with a new one.
  std::unique_ptr<BlockedSignals> run();

 private:
  void stop();
  void make_room();
  void stop_serving(std::string why);
  bool was_signalled();
  void trim_memory();
  void start_watchdog();
  void look_at_lock(pid_t holder);
  void await_shared(std::vector<UniqueFd> sockets);
  void watch_also(std::vector<std::filesystem::path> Service::*which, std::vector<std::filesystem::path> directories);
  void watch_directories();  // on the loop; those that watch_also() has named
  admin::ProcessFacts facts(std::string role, std::string socket);
  template <class F>
  auto ask_loop(F question) -> decltype(question());

  StoreRebuild* const rebuild_;  // null: no rebuild is offered
  MemoryHost host_;
  boost::asio::io_context loop_{1};
  WorkerPool workers_;
  MemoryAfterBurst memory_;
  bool start_was_trimmed_ = false;  // for trim_memory() only, which runs once at a time
  admin::AdminService service_;
  mcp::ToolRegistry admin_;
  std::unique_ptr<mcp::ServerProfile> profile_;
  std::unique_ptr<mcp::Server> server_;
  std::unique_ptr<admin::AdminDoor> door_;  // null: no door is open
  std::unique_ptr<Watcher> watcher_;
  // What watches beside the roots. Loop thread only.
  std::vector<std::filesystem::path> memory_directories_;
  std::vector<std::filesystem::path> shared_directories_;
  std::vector<boost::asio::posix::stream_descriptor> shared_sockets_;
  sharing::SharingThread sharing_;
  boost::asio::signal_set signals_;
  boost::asio::steady_timer watchdog_;
  boost::asio::steady_timer lock_look_;
  std::unique_ptr<BlockedSignals> held_;
  std::optional<ShutdownLimit> limit_;  // from stop_serving() on: a call may hang
  bool is_guest_ = false;               // without such limits
  bool stopping_ = false;
  bool ending_ = false;  // and no other service follows
};

// The three modes of serving. Each returns the exit code when it is over.

// Runs `memd --socket [PATH]`: the daemon. An error if one already runs for this data directory.
Result<int> serve_socket(const Settings& settings, const std::optional<std::string>& path);

// Runs `memd --stdio`: a byte pump to the daemon, which is started when none runs. Where the data directory is not
// writable and no daemon runs, serves as --standalone does. While a command holds the store, answers from the store as
// it is, and each answer says so.
Result<int> serve_stdio_pump(const Settings& settings);

// Runs `memd --stdio --standalone`: everything in this process. Ingests unless another memd does or the data directory
// is not writable. In the latter case it answers from the existing store, and each answer says so.
Result<int> serve_stdio_standalone(const Settings& settings);

}  // namespace memd
