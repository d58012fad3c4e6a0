#pragma once

#include "daemon/admin/admin_door.hpp"
#include "daemon/admin/grpc/live_calls.hpp"
#include "daemon/admin/grpc/rpc_service.hpp"

#include <grpcpp/server.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace memd::admin::rpc {

// A gRPC server on our own socket. Connections are accepted on the loop, as those of the main socket are. Only those of
// the same user are passed to gRPC, which serves them on its own threads.
class GrpcDoor final : public AdminDoor {
 public:
  explicit GrpcDoor(const Parts& parts);
  ~GrpcDoor() override;

  bool is_up() const { return server_ != nullptr; }
  void listen(int fd) override;
  void committed() override { calls_.committed(); }
  void drain(std::chrono::milliseconds patience, std::string why) override;
  void stop() override;

 private:
  void close();
  void accept();
  void on_accept(boost::system::error_code ec);

  LiveCalls calls_;
  RpcService service_{calls_};
  std::optional<boost::asio::local::stream_protocol::acceptor> acceptor_;
  boost::asio::local::stream_protocol::socket accepted_;
  boost::asio::io_context& loop_;
  boost::asio::steady_timer retry_;  // delays accepting; limits draining
  bool closed_ = false;
  bool stopping_ = false;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace memd::admin::rpc
