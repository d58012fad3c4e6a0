#include "protocol/mcp/server.hpp"

#include "protocol/mcp/resource_watch.hpp"
#include "protocol/mcp/server_state.hpp"
#include "protocol/transport/byte_stream.hpp"
#include "protocol/transport/line_transport.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <fcntl.h>

#include <chrono>
#include <list>
#include <optional>
#include <utility>

namespace memd::mcp {
namespace {

namespace asio = boost::asio;
using asio::local::stream_protocol;
using boost::system::error_code;

// Pause after a failed accept (out of descriptors): connections wait in the backlog, and the loop does not spin.
constexpr auto kAcceptRetry = std::chrono::milliseconds(100);

}  // namespace

struct Server::Impl {
  Impl(asio::io_context& l, std::function<void(Task)> to_worker, const ServerProfile& p)
      : loop(l),
        profile(p),
        executors{std::move(to_worker), [this](Task t) { asio::post(loop, std::move(t)); }},
        state(p.clock()),
        watch(loop, executors, p.resources(), state.subscriptions, [this](const SubscriptionHub::Changes& changes) {
          for (const auto& session : sessions)
            session->notify_resources_changed(changes);
        }) {
    state.wake_heartbeat = [this] { beat_later(); };
  }

  using Sessions = std::list<std::unique_ptr<Session>>;

  void accept() {
    acceptor->async_accept(accepted, [this](error_code ec) { on_accept(ec); });
  }
  void on_accept(error_code ec) {
    if (stopping || draining || ec == asio::error::operation_aborted) {
      error_code ignored;
      accepted.close(ignored);
      return;
    }
    if (ec) {
      retry.expires_after(kAcceptRetry);
      retry.async_wait([this](error_code timer_ec) {
        if (!timer_ec && !stopping) accept();
      });
      return;
    }
    const int fd = accepted.release();
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    auto stream = transport::make_socket_stream(loop, fd);
    if (const auto same = transport::require_same_user(fd); !same)
      profile.log_failure("connection refused: " + same.error().message());
    else
      serve(std::move(stream));
    accept();
  }

  void serve(std::unique_ptr<transport::ByteStream> stream, std::string directory = {}) {
    const transport::StreamLimits limits{profile.limits().max_line_bytes, profile.limits().max_unsent_bytes};
    serve(std::make_unique<transport::StreamTransport>(std::move(stream), limits), std::move(directory));
  }
  void serve(std::unique_ptr<transport::LineTransport> t, std::string directory = {}) {
    if (!work) work.emplace(asio::make_work_guard(loop));
    const auto place = sessions.emplace(sessions.end());
    // Erased by a task of its own: on_finished is called from inside the session.
    *place = std::make_unique<Session>(std::move(t), profile, state, executors,
                                       [this, place] { asio::post(loop, [this, place] { erase(place); }); });
    (*place)->set_directory(std::move(directory));
    (*place)->start();
    if (stopping) (*place)->stop();
  }
  void erase(Sessions::iterator place) {
    sessions.erase(place);
    release_when_idle();
    if (draining && sessions.empty()) rest();
    if (closed_hook) closed_hook(sessions.size());
  }
  void release_when_idle() {
    if (!sessions.empty()) return;
    work.reset();
    deadline.cancel();
    heartbeat.cancel();
  }
  // Closes everything except the sessions.
  void rest() {
    error_code ignored;
    if (acceptor) acceptor->close(ignored);
    retry.cancel();
    watch.stop();
    heartbeat.cancel();
  }
  void beat_later() {
    if (stopping || std::exchange(beating, true)) return;
    heartbeat.expires_after(std::chrono::milliseconds(profile.limits().beat_ms));
    heartbeat.async_wait([this](error_code ec) {
      beating = false;
      if (ec && sessions.empty()) return;
      bool more = false;
      for (const auto& session : sessions)
        more = session->beat() || more;
      if (more) beat_later();
    });
  }

  asio::io_context& loop;
  const ServerProfile& profile;
  const Executors executors;
  ServerState state;
  ResourceWatch watch;
  std::optional<stream_protocol::acceptor> acceptor;
  stream_protocol::socket accepted{loop};
  asio::steady_timer retry{loop};
  asio::steady_timer deadline{loop};
  asio::steady_timer heartbeat{loop};
  bool beating = false;
  Sessions sessions;
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work;
  std::function<void(std::size_t)> closed_hook;
  bool stopping = false;
  bool draining = false;
};

Server::Server(asio::io_context& loop, std::function<void(Task)> to_worker, const ServerProfile& profile)
    : impl_(std::make_unique<Impl>(loop, std::move(to_worker), profile)) {}

Server::~Server() = default;

void Server::listen(int fd) {
  impl_->acceptor.emplace(impl_->loop, stream_protocol(), fd);
  impl_->accept();
}

void Server::serve_stdio(int in_fd, int out_fd, std::string directory) {
  impl_->serve(transport::make_descriptor_stream(impl_->loop, in_fd, out_fd), std::move(directory));
}

void Server::serve(std::unique_ptr<transport::LineTransport> transport) { impl_->serve(std::move(transport)); }

void Server::stop(int grace_ms) {
  Impl& impl = *impl_;
  if (std::exchange(impl.stopping, true)) return;
  impl.rest();
  for (const auto& session : impl.sessions)
    session->stop();
  if (impl.sessions.empty()) return;
  impl.deadline.expires_after(std::chrono::milliseconds(grace_ms));
  impl.deadline.async_wait([&impl](error_code ec) {
    if (ec) return;
    for (const auto& session : impl.sessions)
      session->abort();
  });
}

void Server::drain(int patience_ms) {
  Impl& impl = *impl_;
  if (impl.stopping || std::exchange(impl.draining, true)) return;
  error_code ignored;
  if (impl.acceptor) impl.acceptor->close(ignored);
  for (const auto& session : impl.sessions)
    session->drain();
  if (impl.sessions.empty()) return stop();
  impl.deadline.expires_after(std::chrono::milliseconds(patience_ms));
  impl.deadline.async_wait([this](error_code ec) {
    if (!ec) stop();
  });
}

std::size_t Server::session_count() const { return impl_->sessions.size(); }

void Server::on_session_closed(std::function<void(std::size_t)> f) { impl_->closed_hook = std::move(f); }

void Server::on_worker_held(std::function<void()> f) { impl_->state.on_worker_held = std::move(f); }

void Server::resources_may_have_changed() { impl_->watch.hint(); }

}  // namespace memd::mcp
