#include "daemon/serve/service.hpp"

#include "daemon/admin/admin_tools.hpp"
#include "daemon/child_process.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/ingest/rebuild.hpp"
#include "daemon/log.hpp"
#include "daemon/memories/indexer_thread.hpp"
#include "daemon/memories/memory_indexer.hpp"
#include "daemon/models/configured_summarizer.hpp"
#include "daemon/process_memory.hpp"
#include "daemon/serve/daemon_address.hpp"
#include "daemon/serve/daemon_client.hpp"
#include "daemon/serve/instance_lock.hpp"
#include "daemon/serve/listening_socket.hpp"
#include "daemon/serve/newest_program.hpp"
#include "daemon/serve/shutdown_limit.hpp"
#include "daemon/serve/stand_in.hpp"
#include "daemon/serve/stdio_pump.hpp"
#include "daemon/serve/store_rebuild.hpp"
#include "daemon/serve/takeover.hpp"
#include "daemon/tools/capability_matrix.hpp"
#include "daemon/tools/toolset.hpp"
#include "daemon/version.hpp"
#include "schemas/base/error.hpp"
#include "store/files/own_executable.hpp"
#include "store/reader_pool.hpp"

#include <boost/asio/post.hpp>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <future>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace memd {
namespace asio = boost::asio;

namespace {

// Must be less than the time that `memd rebuild --stop-daemon` waits.
constexpr std::chrono::seconds kWorkersEndWithin{10};
constexpr std::chrono::milliseconds kLookAtLockEvery{200};
// Time for calls already read to be answered, so that another daemon can take over unnoticed.
constexpr std::chrono::milliseconds kCallsEndWithin{1500};

mcp::ServerIdentity identity() {
  return {"memd", "memd: memory for coding agents", std::string(version()), std::string(tools::server_instructions())};
}

// More workers than queries need, so that a long `ingest` request and calls that wait for a language model do not delay
// status and tools.
std::size_t worker_count(const Settings& settings) {
  const bool has_models = settings.config.summaries.choice.provider != SummaryProvider::disabled;
  return static_cast<std::size_t>(settings.config.query_threads) + 2 + mcp::ServerLimits().max_client_waits +
         (has_models ? llm::SummarizerOptions().calls : 0);
}

// Sends a message of systemd's notification protocol (sd_notify(3)), without its library. Does nothing outside a
// service manager.
void notify(std::string_view message) {
  const char* path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr || (path[0] != '/' && path[0] != '@')) return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t length = std::strlen(path);
  if (length >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, path, length);
  if (path[0] == '@') address.sun_path[0] = '\0';  // abstract name
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM, 0);
  if (fd < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  // A failed send is ignored: the service manager may not listen.
  (void)::sendto(fd, message.data(), message.size(), 0, reinterpret_cast<const sockaddr*>(&address), size);
  ::close(fd);
}

// Whether systemd or launchd started this process; both set environment variables.
bool under_service_manager() {
  const char* listener = std::getenv("LISTEN_PID");
  if (std::getenv("NOTIFY_SOCKET") != nullptr || (listener != nullptr && listener == std::to_string(::getpid())))
    return true;
#ifdef __APPLE__
  const char* service = std::getenv("XPC_SERVICE_NAME");
  return service != nullptr && std::string_view(service) == "dev.memd";
#else
  return false;
#endif
}

// Returns half of WATCHDOG_USEC.
std::optional<std::chrono::milliseconds> watchdog_interval() {
  const char* text = std::getenv("WATCHDOG_USEC");
  if (text == nullptr) return std::nullopt;
  long long usec = 0;
  const auto [end, ec] = std::from_chars(text, text + std::strlen(text), usec);
  if (ec != std::errc{} || usec <= 0) return std::nullopt;
  return std::chrono::milliseconds(usec / 2000);
}

Result<ListeningSocket> listening_socket(const Settings& settings, const std::optional<std::string>& path,
                                         const InstanceLock& lock, std::optional<ListeningSocket> adopted) {
  if (adopted) return std::move(*adopted);
  MEMD_TRY_ASSIGN(const auto socket, socket_of(settings, path));
  return ListeningSocket::create(socket, lock);
}

// Makes the socket of the gRPC door if the configuration requests one. A failure does not stop the rest of the service.
std::optional<ListeningSocket> grpc_socket(const Settings& settings, const ListeningSocket& main,
                                           const InstanceLock& lock) {
  const AdminConfig& config = settings.config.admin;
  if (!config.grpc) return std::nullopt;
  const auto path =
      config.grpc_socket.empty() ? grpc_socket_path(settings, main.path(), main.adopted()) : config.grpc_socket;
  auto socket = ListeningSocket::create(path, lock);
  if (socket) return std::move(*socket);
  log::error("the gRPC door stays shut: {}", socket.error().message());
  return std::nullopt;
}

}  // namespace

Service::Service(const Settings& settings, const Clock& clock, std::string role, std::string socket,
                 StoreRebuild* rebuild)
    : rebuild_(rebuild),
      host_(settings, clock, [this](std::function<void()> work) { workers_.post(std::move(work)); }),
      workers_(worker_count(settings)),
      memory_(loop_, {.give_back =
                          [this](std::function<void()> done) {
                            workers_.post([this, done = std::move(done)] {
                              trim_memory();
                              done();
                            });
                          }}),
      service_(host_, facts(std::move(role), std::move(socket))),
      sharing_(
          host_,
          [this](std::vector<std::filesystem::path> directories) {
            watch_also(&Service::shared_directories_, std::move(directories));
          },
          [this](std::vector<UniqueFd> sockets) { await_shared(std::move(sockets)); }),
      signals_(loop_, SIGTERM, SIGINT),
      watchdog_(loop_),
      lock_look_(loop_) {
  admin::register_admin_tools(admin_, service_);

  profile_ = std::make_unique<mcp::ServerProfile>(identity(), host_.tools(), clock, mcp::ServerLimits{},
                                                  mcp::Offers{&host_.resources(), &host_.prompts()});
  admin::add_admin_methods(*profile_, admin_);
  admin::add_admin_methods(*profile_, host_.whole_answers(), admin::kAnswerMethods);
  profile_->set_failure_log([](std::string_view what) { log::error("{}", what); });
  const auto to_worker = [this](mcp::Task task) {
    memory_.on_request();
    workers_.post(std::move(task));
  };
  server_ = std::make_unique<mcp::Server>(loop_, to_worker, *profile_);
  server_->on_worker_held([this] { workers_.add(); });
  server_->on_session_closed([this](std::size_t) { memory_.on_request(); });
  host_.on_commit([this] {
    server_->resources_may_have_changed();
    if (door_) door_->committed();
    sharing_.hint();
  });
  signals_.async_wait([this](const boost::system::error_code& ec, int signal) {
    if (ec) return;
    log::info("signal {}: stopping", signal);
    stop();
  });
  if (rebuild_ != nullptr) rebuild_->serve([this] { asio::post(loop_, [this] { make_room(); }); });
}

admin::ProcessFacts Service::facts(std::string role, std::string socket) {
  admin::ProcessFacts out;
  out.role = std::move(role);
  out.socket = std::move(socket);
  out.started_at = host_.clock().now();
  out.connections = [this] { return ask_loop([this] { return static_cast<std::int64_t>(server_->session_count()); }); };
  out.watcher = [this] {
    return ask_loop([this] {
      if (watcher_) return watcher_->describe();
      const bool is_made_anew = rebuild_ != nullptr && rebuild_->is_under_way();
      return std::string(is_made_anew ? "nothing, while the store is rebuilt" : "nothing: another memd ingests");
    });
  };
  if (rebuild_ != nullptr) {
    out.rebuild_store = [this](OnLoss on_loss) { return rebuild_->order(on_loss); };
    out.store_rebuild = [this] { return rebuild_->status(); };
  }
  return out;
}

// Closes idle store connections and returns free heap memory, which many simultaneous requests leave behind. The first
// call also unmaps the program pages that only the start needed. Later calls do not: the next answer needs those pages.
void Service::trim_memory() {
  host_.readers().close_idle();
  process_memory::trim_heap();
  if (!std::exchange(start_was_trimmed_, true)) process_memory::unmap_program_pages();
}

// Runs the question on the loop thread and waits for its answer. For worker threads, which must not touch the loop's
// objects. An empty answer if the loop is shutting down.
template <class F>
auto Service::ask_loop(F question) -> decltype(question()) {
  auto answer = std::make_shared<std::promise<decltype(question())>>();
  auto future = answer->get_future();
  asio::post(loop_, [answer, question] { answer->set_value(question()); });
  if (future.wait_for(std::chrono::seconds(1)) != std::future_status::ready) return {};
  return future.get();
}

Service::~Service() {
  if (rebuild_ != nullptr) rebuild_->serve({});
  limit_.reset();
  std::optional<ShutdownLimit> limit;
  if (!is_guest_) limit.emplace(kWorkersEndWithin, "workers");
  sharing_.stop();
  host_.stop();
  sharing_.join();
  workers_.stop();
  door_.reset();
}

Result<void> Service::start_ingest() {
  host_.on_memory_directories([this](std::vector<std::filesystem::path> directories) {
    watch_also(&Service::memory_directories_, std::move(directories));
  });
  MEMD_TRY(host_.start_ingest());
  IngestService& ingest = *host_.ingest();
  WatchOptions watch;
  watch.max_directories = static_cast<std::size_t>(host_.settings().config.max_watches);
  const Watcher::Callbacks tell{
      [&ingest](const SourceCandidate& source, const std::filesystem::path& file) { ingest.hint(source, file); },
      [&ingest](const std::filesystem::path& path) { ingest.hint(path); },
      [this, &ingest] {
        ingest.scan();
        host_.memory_indexer()->hint_everything();
        sharing_.hint();
      },
      [this](const std::filesystem::path& path) {
        if (memories::may_be_memory(path)) host_.memory_indexer()->hint(path);
        sharing_.hint(path);
      },
      [this] {
        host_.memory_indexer()->hint_everything();
        sharing_.hint();
      }};
  // In its turn on the loop: who has asked already is answered first. Watches first and scans second, so that changes
  // in between are hinted.
  asio::post(loop_, [this, &ingest, tell, watch] {
    if (stopping_) return;
    watcher_ = make_watcher(loop_, host_.discovery(), tell, watch);
    watcher_->start();
    ingest.scan();
    sharing_.start();
    watch_directories();
  });
  return {};
}

// Any thread.
void Service::watch_also(std::vector<std::filesystem::path> Service::*which,
                         std::vector<std::filesystem::path> directories) {
  asio::post(loop_, [this, which, directories = std::move(directories)]() mutable {
    this->*which = std::move(directories);
    watch_directories();
  });
}

void Service::watch_directories() {
  auto all = memory_directories_;
  all.insert(all.end(), shared_directories_.begin(), shared_directories_.end());
  if (!watcher_ || stopping_ || !watcher_->watch_also(all)) return;
  host_.memory_indexer()->hint_everything();
  sharing_.hint();
}

// Any thread.
void Service::await_shared(std::vector<UniqueFd> sockets) {
  asio::post(loop_, [this, sockets = std::move(sockets)]() mutable {
    shared_sockets_.clear();
    if (stopping_) return;
    shared_sockets_.reserve(sockets.size());
    for (UniqueFd& socket : sockets)
      shared_sockets_.emplace_back(loop_, socket.release())
          .async_wait(asio::posix::stream_descriptor::wait_read, [this](const boost::system::error_code& ec) {
            if (!ec) sharing_.hint();
          });
  });
}

void Service::serve_while_held(pid_t holder, const std::string& who) {
  log::info("{} holds the store: answering from it as it is until that has ended", who);
  host_.serve_while_held(who);
  look_at_lock(holder);
}

void Service::look_at_lock(pid_t holder) {
  lock_look_.expires_after(kLookAtLockEvery);
  lock_look_.async_wait([this, holder](const boost::system::error_code& ec) {
    if (ec || stopping_) return;
    const auto& data_dir = host_.settings().layout.data_dir();
    if (!InstanceLock::is_held(data_dir) || InstanceLock::look(data_dir).holder != holder) return make_room();
    look_at_lock(holder);
  });
}

void Service::listen(int listening_socket) {
  server_->listen(listening_socket);
  notify("READY=1");
  start_watchdog();
  memory_.on_request();  // the start is a burst, too
}

Result<void> Service::open_grpc_door(int listening_socket) {
  UniqueFd fd(listening_socket);
  const auto to_worker = [this](std::function<void()> task) {
    memory_.on_request();
    workers_.post(std::move(task));
  };
  MEMD_TRY_ASSIGN(door_, admin::make_grpc_door(
                             {service_, loop_, to_worker, [](std::string_view what) { log::error("{}", what); }}));
  door_->listen(fd.release());
  return {};
}

void Service::serve_stdio(std::string directory) {
  server_->on_session_closed([this](std::size_t left) {
    if (left == 0) stop();
  });
  server_->serve_stdio(STDIN_FILENO, STDOUT_FILENO, std::move(directory));
}

void Service::serve(UniqueFd connected_socket) {
  server_->on_session_closed([this](std::size_t left) {
    if (left == 0) stop();
  });
  const mcp::ServerLimits& limits = profile_->limits();
  server_->serve(std::make_unique<transport::StreamTransport>(
      transport::make_socket_stream(loop_, connected_socket.release()),
      transport::StreamLimits{limits.max_line_bytes, limits.max_unsent_bytes}));
}

std::unique_ptr<BlockedSignals> Service::run() {
  loop_.run();
  if (held_ && !ending_ && !was_signalled()) return std::move(held_);
  log::info("stopped");
  return nullptr;
}

void Service::stop() {
  if (std::exchange(ending_, true)) return;
  notify("STOPPING=1");
  stop_serving("memd is stopping");
}

void Service::make_room() {
  if (stopping_) return;
  held_ = std::make_unique<BlockedSignals>();
  stop_serving("memd makes room for what writes to its store: ask again");
}

void Service::stop_serving(std::string why) {
  if (std::exchange(stopping_, true)) return;
  if (!is_guest_) limit_.emplace(kCallsEndWithin + kWorkersEndWithin, "calls");
  server_->drain(static_cast<int>(kCallsEndWithin.count()));
  if (door_) door_->drain(kCallsEndWithin, std::move(why));
  memory_.stop();
  if (watcher_) watcher_->stop();
  shared_sockets_.clear();
  watchdog_.cancel();
  lock_look_.cancel();
  signals_.cancel();
}

// Whether a signal arrived before signals were blocked and has not been handled since.
bool Service::was_signalled() {
  bool heard = false;
  signals_.async_wait([&heard](const boost::system::error_code& ec, int) { heard = !ec; });
  loop_.restart();
  loop_.poll();
  signals_.cancel();
  loop_.poll();
  return heard;
}

void Service::start_watchdog() {
  const auto interval = watchdog_interval();
  if (!interval) return;
  watchdog_.expires_after(*interval);
  watchdog_.async_wait([this](const boost::system::error_code& ec) {
    if (ec || stopping_) return;
    notify("WATCHDOG=1");
    start_watchdog();
  });
}

namespace {

Result<int> serve_read_only(const Settings& settings) {
  std::signal(SIGPIPE, SIG_IGN);
  log::start(settings.config.log_level);
  Service service(settings, system_clock(), "standalone", "");
  const std::string why = settings.layout.data_dir().string() + " cannot be written to";
  log::error("{}: answering from the store as it is", why);
  service.serve_as_it_is(why);
  service.serve_stdio(client_directory(settings.home));
  service.run();
  return 0;
}

}  // namespace

namespace {

// Executes the newer memd if one has replaced this program, keeping the sockets passed to it. Returns if there is none.
void become_newer(const Settings& settings, const std::optional<std::string>& path) {
  const NewestProgram newer = newer_program(settings.layout.data_dir());
  if (newer.program.empty()) return;
  std::vector<std::string> words{newer.program.native(), "--socket"};
  if (path && !path->empty()) words.push_back(*path);
  words.insert(words.end(), settings.forward.begin(), settings.forward.end());
  become_program(words);
}

constexpr const char* kIsMadeAnew = "memd rebuilds its store; until that is done answers come from the previous one";

// Serves until the daemon ends; then returns null. When the rebuild has to continue, returns the held signals.
Result<std::unique_ptr<BlockedSignals>> serve_on(const Settings& settings, const ListeningSocket& listener,
                                                 const std::optional<ListeningSocket>& for_grpc, StoreRebuild& rebuild,
                                                 std::unique_ptr<BlockedSignals> held) {
  std::optional<ShutdownLimit> limit;
  Service service(settings, system_clock(), "daemon", listener.path().string(), &rebuild);
  if (for_grpc) {
    auto socket = for_grpc->duplicate();
    const auto opened = socket ? service.open_grpc_door(*socket) : Result<void>(socket.error());
    if (!opened) log::error("the gRPC door stays shut: {}", opened.error().message());
  }
  if (rebuild.is_under_way())
    service.serve_as_it_is(kIsMadeAnew);
  else
    MEMD_TRY(service.start_ingest());
  MEMD_TRY_ASSIGN(const int socket, listener.duplicate());
  service.listen(socket);
  held.reset();
  held = service.run();
  if (!held && rebuild.is_under_way()) {
    limit.emplace(kWorkersEndWithin, "the rebuild of the store");
    rebuild.stop();
  }
  return held;
}

// Serves on the socket of a service manager, if there is one, while a command holds the lock. Returns whether the
// process has to end.
Result<bool> serve_while_held(const Settings& settings, const std::optional<ListeningSocket>& adopted,
                              const InstanceLock::Attempt& holder) {
  if (adopted) {
    std::unique_ptr<BlockedSignals> held;  // outlives the service, whose handlers would swallow a signal
    Service service(settings, system_clock(), "daemon", adopted->path().string());
    service.serve_while_held(holder.holder, holder.who());
    MEMD_TRY_ASSIGN(const int socket, adopted->duplicate());
    service.listen(socket);
    held = service.run();
    return held == nullptr;
  }
  log::info("{} holds the store: waiting for it to end", holder.who());
  while (InstanceLock::is_held(settings.layout.data_dir())) {
    notify("EXTEND_TIMEOUT_USEC=10000000");
    ::poll(nullptr, 0, static_cast<int>(kLookAtLockEvery.count()));
  }
  return false;
}

}  // namespace

Result<int> serve_socket(const Settings& settings, const std::optional<std::string>& path) {
  const bool managed = under_service_manager();
  if (managed) become_newer(settings, path);
  std::signal(SIGPIPE, SIG_IGN);
  log::start(settings.config.log_level);
  MEMD_TRY_ASSIGN(const auto directory, open_state_directory(settings.layout.data_dir()));
  MEMD_TRY_ASSIGN(auto adopted, ListeningSocket::adopt());
  MEMD_TRY_ASSIGN(auto attempt, InstanceLock::attempt(settings.layout.data_dir()));
  while (attempt.ends_by_itself() && managed) {
    MEMD_TRY_ASSIGN(const bool ends, serve_while_held(settings, adopted, attempt));
    if (ends) return 0;
    MEMD_TRY_ASSIGN(attempt, InstanceLock::attempt(settings.layout.data_dir()));
  }
  if (attempt.is_command() && !managed) return attempt.busy();
  if (!attempt.lock) {
    // A daemon under a service manager serves all clients, so it replaces one that a client started. A newer memd does
    // so too.
    if (!managed && !is_older(attempt.version, version()))
      return Error(Errc::store_busy, "memd is running already for " + settings.layout.data_dir().string() + " (pid " +
                                         std::to_string(attempt.holder) + ")");
    TakeOver how;
    how.on_holder = [](const InstanceLock::Attempt& holder) {
      log::info("{} is {}, then this memd takes over", holder.who(),
                holder.ends_by_itself() ? "waited for" : "asked to end");
    };
    MEMD_TRY_ASSIGN(auto lock, take_over(settings.layout.data_dir(), how));
    attempt.lock.emplace(std::move(lock));
  }
  auto held = std::make_unique<BlockedSignals>();
  MEMD_TRY_ASSIGN(const auto listener, listening_socket(settings, path, *attempt.lock, std::move(adopted)));
  MEMD_TRY(attempt.lock->publish(listener.path()));
  note_program(settings.layout.data_dir(), files::own_executable());

  const auto for_grpc = grpc_socket(settings, listener, *attempt.lock);
  log::info("listening on {}", listener.path().string());
  if (for_grpc) log::info("listening for gRPC on {}", for_grpc->path().string());
  for (const AdapterDescription& adapter : describe_adapters(settings.config))
    log::info("{}", tools::capability_line(adapter));

  StoreRebuild rebuild(settings, system_clock());
  while (true) {
    MEMD_TRY_ASSIGN(held, serve_on(settings, listener, for_grpc, rebuild, std::move(held)));
    if (!held) return 0;
    rebuild.go_on();
  }
}

Result<int> serve_stdio_pump(const Settings& settings) {
  if (is_read_only(settings.layout.data_dir())) {
    const auto daemon = connect_running(settings);
    if (!daemon || !*daemon) return serve_read_only(settings);  // no daemon can be started there
  }
  MEMD_TRY_ASSIGN(auto address, daemon_address(settings));
  StandIn stand_in(settings);
  MEMD_TRY(run_stdio_pump(std::move(address), client_directory(settings.home),
                          [&stand_in](const InstanceLock::Attempt& holder) { return stand_in.open(holder); }));
  return 0;
}

Result<int> serve_stdio_standalone(const Settings& settings) {
  if (is_read_only(settings.layout.data_dir())) return serve_read_only(settings);
  std::signal(SIGPIPE, SIG_IGN);
  log::start(settings.config.log_level);
  MEMD_TRY_ASSIGN(const auto directory, open_state_directory(settings.layout.data_dir()));
  MEMD_TRY_ASSIGN(auto attempt, InstanceLock::attempt(settings.layout.data_dir()));
  Service service(settings, system_clock(), "standalone", "");
  service.serve_stdio(client_directory(settings.home));
  if (attempt.lock) {
    MEMD_TRY(attempt.lock->publish({}, kStandalone));
    MEMD_TRY(service.start_ingest());
  } else {
    log::info("{} ingests for this data directory; answering from its store", attempt.who());
  }
  service.run();
  return 0;
}

}  // namespace memd
