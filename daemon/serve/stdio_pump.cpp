#include "daemon/serve/stdio_pump.hpp"

#include "daemon/serve/client_ledger.hpp"
#include "protocol/jsonrpc/message.hpp"
#include "protocol/mcp/client_requests.hpp"
#include "protocol/transport/byte_stream.hpp"
#include "protocol/transport/line_transport.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace memd {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using transport::LineTransport;

// Above the daemon's own limits, so that the daemon reports what is too long or too much.
transport::StreamLimits pump_limits() { return {16'000'000, 64U << 20}; }

constexpr std::string_view kProbeId = R"("memd-pump-sign-of-life")";

// Returns the probe: a request of the stateless revision, which the daemon answers on its loop even if all workers are
// busy.
std::string probe_line() {
  return jsonrpc::request_line(kProbeId, "server/discover",
                               R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                               R"("io.modelcontextprotocol/clientCapabilities":{}}})");
}

// Searches the id without parsing: the id is ours and occurs once.
bool is_answer_to_probe(std::string_view line) { return line.substr(0, 200).find(kProbeId) != std::string_view::npos; }

}  // namespace

struct StdioPump::Impl {
  // The handlers of the two ends.
  struct ClientEnd final : LineTransport::Handler {
    explicit ClientEnd(Impl& p) : pump(p) {}
    void on_line(std::string_view line) override { pump.from_client(line); }
    void on_oversized_line(const transport::LineEnds& ends) override {
      pump.client->write_line(jsonrpc::error_line(jsonrpc::id_of_cut_request(ends.beginning, ends.end),
                                                  jsonrpc::kInvalidRequest, "the message is longer than 10 MB"));
    }
    void on_end_of_input() override { pump.client_ended(); }
    void on_drained() override {
      if (pump.daemon) pump.daemon->set_reading(true);
    }
    void on_closed() override { pump.client_closed(); }
    Impl& pump;
  };
  struct DaemonEnd final : LineTransport::Handler {
    explicit DaemonEnd(Impl& p) : pump(p) {}
    void on_line(std::string_view line) override { pump.from_daemon(line); }
    void on_oversized_line(const transport::LineEnds&) override {}  // the daemon never sends one
    void on_end_of_input() override { pump.daemon->abort(); }
    void on_drained() override { pump.resume_client(); }
    void on_closed() override { pump.daemon_closed(); }
    Impl& pump;
  };

  Impl(asio::io_context& l, DaemonDial& d, Options o) : loop(l), dial(d), options(std::move(o)) {}

  void start() {
    client = std::make_unique<transport::StreamTransport>(
        transport::make_descriptor_stream(loop, options.in_fd, options.out_fd), pump_limits());
    client->set_reading(false);
    client->start(client_end);
    begin_dialing();
  }

  // --- connecting ---
  void begin_dialing() {
    dialing = true;
    client->set_reading(false);
    dial.begin();
    dial_once();
  }
  void dial_once() {
    auto fd = dial.attempt();
    if (!fd) return dialing_failed(fd.error());
    if (*fd) return connected(std::move(**fd));
    retry.expires_after(dial.next_wait());
    retry.async_wait([this](error_code ec) {
      if (!ec && !stopping) dial_once();
    });
  }
  void connected(UniqueFd fd) {
    dialing = false;
    reconnected = std::exchange(ever_connected, true);
    heard = false;
    watching = false;
    probes = 0;
    daemon =
        std::make_unique<transport::StreamTransport>(transport::make_socket_stream(loop, fd.release()), pump_limits());
    if (!options.directory.empty()) daemon->write_line(mcp::working_directory_line(options.directory));
    const std::vector<std::string> replayed = ledger.replay();
    for (const std::string& line : replayed)
      daemon->write_line(line);
    for (const std::string& line : unheard)
      if (std::find(replayed.begin(), replayed.end(), line) == replayed.end()) daemon->write_line(line);
    daemon->start(daemon_end);
    if (held) pass_on(*std::exchange(held, std::nullopt));
    watch_for_silence();
    resume_client();
    if (input_ended) daemon->end_output();
  }
  void dialing_failed(const Error& error) {
    dialing = false;
    unheard.clear();
    resent = false;
    if (!ever_connected) {
      failure = error;
      return stop();
    }
    if (held) ledger.from_client(*std::exchange(held, std::nullopt));
    for (const std::string& line : ledger.fail_everything(error.message()))
      client->write_line(line);
    resume_client();
    if (input_ended) finish();
  }

  // --- lines ---
  void from_client(std::string_view line) {
    if (daemon && !daemon_gone) return pass_on(line);
    held.emplace(line);
    client->set_reading(false);
    if (!daemon) begin_dialing();  // otherwise after the old connection has closed
  }
  void pass_on(std::string_view line) {
    ledger.from_client(line);
    if (reconnected && !heard && !resent) unheard.emplace_back(line);
    daemon->write_line(line);
    watch_for_silence();
    if (daemon->congested()) client->set_reading(false);
  }
  void from_daemon(std::string_view line) {
    heard = true;
    resent = false;
    unheard.clear();
    spoke = true;
    if (probes > 0 && is_answer_to_probe(line)) {
      --probes;
      return;
    }
    if (!ledger.from_daemon(line)) return;
    client->write_line(line);
    if (client->congested()) daemon->set_reading(false);
  }
  void resume_client() {
    if (!stopping && !held && !(daemon && daemon->congested())) client->set_reading(true);
  }

  // --- silence ---
  void watch_for_silence() {
    if (watching || ledger.idle() || !daemon || daemon_gone) return;
    watching = true;
    spoke = probed = false;
    wait_for_a_word();
  }
  void wait_for_a_word() {
    silence.expires_after(options.silence);
    silence.async_wait([this](error_code ec) {
      if (!ec && !stopping) judge_silence();
    });
  }
  void judge_silence() {
    if (!daemon || daemon_gone || ledger.idle()) {
      watching = false;
      return;
    }
    if (std::exchange(spoke, false)) {
      probed = false;
      return wait_for_a_word();
    }
    if (!std::exchange(probed, true)) {
      ++probes;
      daemon->write_line(probe_line());
      return wait_for_a_word();
    }
    watching = false;
    unheard.clear();
    for (const std::string& line : ledger.fail_everything(
             "the memd daemon does not answer: it is stopped, or hangs. Ask again; `memd doctor` says what to do"))
      client->write_line(line);
    daemon->abort();
  }

  // --- ending ---
  // Ends the daemon's input. It answers what is pending and closes.
  void client_ended() {
    input_ended = true;
    drain.expires_after(options.drain);
    drain.async_wait([this](error_code ec) {
      if (!ec) stop();
    });
    if (daemon)
      daemon->end_output();
    else
      finish();
  }
  void finish() { client->close(); }  // queued output is still written until the drain timer fires
  void daemon_closed() {
    // Called from inside the transport, so a posted task destroys it.
    daemon_gone = true;
    asio::post(loop, [this] {
      daemon.reset();
      daemon_gone = false;
      if (!stopping) daemon_lost();
      report_when_finished();
    });
  }
  void daemon_lost() {
    // A dying daemon may still have accepted the connection into its backlog. Lines that it gave no sign of having read
    // go to the next daemon, once.
    if (!unheard.empty() && !std::exchange(resent, true)) return begin_dialing();
    unheard = ledger.reads_to_ask_again();  // these get one more try if the next daemon is the same dying one
    resent = false;
    for (const std::string& line : ledger.fail_in_flight("memd daemon restarted; ask again"))
      client->write_line(line);
    // A handshake or reads in flight are finished with another daemon. Otherwise only a line of the client opens a new
    // connection.
    if (held || !ledger.idle())
      begin_dialing();
    else if (input_ended)
      finish();
  }
  void client_closed() {
    client_gone = true;
    stop();
    report_when_finished();
  }
  void stop() {
    if (std::exchange(stopping, true)) return;
    retry.cancel();
    silence.cancel();
    drain.cancel();
    if (daemon) daemon->abort();
    client->abort();
  }
  void report_when_finished() {
    if (!client_gone || daemon) return;
    drain.cancel();
    silence.cancel();
    if (on_finished) std::exchange(on_finished, {})();
  }

  asio::io_context& loop;
  DaemonDial& dial;
  const Options options;
  std::function<void()> on_finished;
  ClientEnd client_end{*this};
  DaemonEnd daemon_end{*this};
  std::unique_ptr<LineTransport> client;
  std::unique_ptr<LineTransport> daemon;
  asio::steady_timer retry{loop};
  asio::steady_timer drain{loop};
  asio::steady_timer silence{loop};
  ClientLedger ledger;
  std::optional<std::string> held;  // a client's line that waits for a daemon
  std::optional<Error> failure;
  bool dialing = false;
  std::vector<std::string> unheard;  // lines passed on over a new connection that has sent nothing yet
  bool ever_connected = false;
  bool reconnected = false;
  bool heard = false;        // the daemon has sent something on this connection
  bool resent = false;       // `unheard` is on its second try
  bool watching = false;     // the silence timer runs
  bool spoke = false;        // the daemon has sent something since the timer was last set
  bool probed = false;       // a probe was sent since then
  int probes = 0;            // unanswered probes of this connection
  bool daemon_gone = false;  // closed, not yet destroyed
  bool client_gone = false;
  bool input_ended = false;
  bool stopping = false;
};

StdioPump::StdioPump(asio::io_context& loop, DaemonDial& dial, Options options)
    : impl_(std::make_unique<Impl>(loop, dial, std::move(options))) {}

StdioPump::~StdioPump() = default;

void StdioPump::start(std::function<void()> on_finished) {
  impl_->on_finished = std::move(on_finished);
  impl_->start();
}

void StdioPump::stop() { impl_->stop(); }

const std::optional<Error>& StdioPump::failure() const { return impl_->failure; }

std::string client_directory(const std::filesystem::path& home) {
  std::error_code ec;
  const char* told = std::getenv("CLAUDE_PROJECT_DIR");
  for (const auto& directory :
       {std::filesystem::path(told != nullptr ? told : ""), std::filesystem::current_path(ec)}) {
    if (!directory.is_absolute() || !std::filesystem::is_directory(directory, ec)) continue;
    if (!directory.has_relative_path() || std::filesystem::equivalent(directory, home, ec)) continue;
    return directory.lexically_normal().string();
  }
  return {};
}

Result<void> run_stdio_pump(DaemonAddress address, std::string directory, StandInDoor stand_in) {
  asio::io_context loop(1);
  DaemonClient dial(std::move(address), std::move(stand_in));
  StdioPump::Options options;
  options.directory = std::move(directory);
  StdioPump pump(loop, dial, std::move(options));
  asio::signal_set signals(loop, SIGTERM, SIGINT);
  signals.async_wait([&](error_code ec, int) {
    if (!ec) pump.stop();
  });
  pump.start([&] { signals.cancel(); });
  loop.run();
  if (pump.failure()) return *pump.failure();
  return {};
}

}  // namespace memd
