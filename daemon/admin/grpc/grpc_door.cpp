#include "daemon/admin/grpc/grpc_door.hpp"

#include "daemon/grpc_built_in.hpp"
#include "protocol/transport/byte_stream.hpp"
#include "schemas/base/error.hpp"

#include <grpcpp/server_builder.h>
#include <grpcpp/server_posix.h>
#include <boost/asio/post.hpp>

#include <fcntl.h>

#include <chrono>
#include <utility>

namespace memd {

bool has_grpc_door() { return true; }

namespace admin {
namespace rpc {

using boost::asio::local::stream_protocol;
using boost::system::error_code;

namespace {

// Delay after running out of descriptors; connections wait in the backlog.
constexpr auto kAcceptRetry = std::chrono::milliseconds(100);
constexpr int kMostBytesOfRequest = 1 << 20;
constexpr int kMostCallsOfConnection = 32;

}  // namespace

GrpcDoor::GrpcDoor(const Parts& parts) : calls_(parts), accepted_(parts.loop), loop_(parts.loop), retry_(parts.loop) {
  grpc::ServerBuilder builder;
  builder.RegisterService(&service_);
  builder.SetMaxReceiveMessageSize(kMostBytesOfRequest);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMostCallsOfConnection);
  server_ = builder.BuildAndStart();
}

GrpcDoor::~GrpcDoor() {
  stop();
  if (!server_) return;
  server_->Shutdown(std::chrono::system_clock::now());  // disconnects clients that do not read the end of a call
  server_->Wait();
}

void GrpcDoor::listen(int fd) {
  acceptor_.emplace(retry_.get_executor(), stream_protocol(), fd);
  accept();
}

void GrpcDoor::accept() {
  acceptor_->async_accept(accepted_, [this](error_code ec) { on_accept(ec); });
}

void GrpcDoor::on_accept(error_code ec) {
  if (closed_ || ec == boost::asio::error::operation_aborted) {
    error_code ignored;
    accepted_.close(ignored);
    return;
  }
  if (ec) {
    retry_.expires_after(kAcceptRetry);
    retry_.async_wait([this](error_code timer_ec) {
      if (!timer_ec && !closed_) accept();
    });
    return;
  }
  UniqueFd fd(accepted_.release());
  if (const auto same = transport::require_same_user(fd.get()); !same) {
    calls_.log("connection to the gRPC door refused: " + same.error().message());
  } else {
    ::fcntl(fd.get(), F_SETFD, FD_CLOEXEC);
    ::fcntl(fd.get(), F_SETFL, O_NONBLOCK);
    grpc::AddInsecureChannelFromFd(server_.get(), fd.release());
  }
  accept();
}

void GrpcDoor::close() {
  if (std::exchange(closed_, true)) return;
  error_code ignored;
  if (acceptor_) acceptor_->close(ignored);
  retry_.cancel();
}

void GrpcDoor::drain(std::chrono::milliseconds patience, std::string why) {
  if (closed_) return;
  close();
  retry_.expires_after(patience);
  retry_.async_wait([this](error_code) { stop(); });
  calls_.drain(std::move(why), [this] { boost::asio::post(loop_, [this] { retry_.cancel(); }); });
}

void GrpcDoor::stop() {
  if (std::exchange(stopping_, true)) return;
  close();
  retry_.cancel();
  calls_.stop();
}

}  // namespace rpc

Result<std::unique_ptr<AdminDoor>> make_grpc_door(AdminDoor::Parts parts) {
  auto door = std::make_unique<rpc::GrpcDoor>(parts);
  if (!door->is_up()) return Error(Errc::unavailable, "gRPC does not start");
  return std::unique_ptr<AdminDoor>(std::move(door));
}

}  // namespace admin
}  // namespace memd
