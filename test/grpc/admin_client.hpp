#pragma once

#include <grpcpp/grpcpp.h>
#include <memd/admin/v1/admin.grpc.pb.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

namespace memd::test {

// Returns a context with a deadline of 60 s, so that a failing test ends.
inline std::unique_ptr<grpc::ClientContext> patient() {
  auto context = std::make_unique<grpc::ClientContext>();
  context->set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
  return context;
}

// A client of the gRPC door on its socket, as another program would use it. Each client has its own connection.
class AdminClient {
 public:
  using Stub = memd::admin::v1::Admin::Stub;

  explicit AdminClient(const std::filesystem::path& socket) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
    arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 50);
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 50);
    channel_ = grpc::CreateCustomChannel("unix:" + socket.string(), grpc::InsecureChannelCredentials(), arguments);
    stub_ = memd::admin::v1::Admin::NewStub(channel_);
  }

  bool connects(std::chrono::seconds patience) {
    return channel_->WaitForConnected(std::chrono::system_clock::now() + patience);
  }
  Stub* operator->() { return stub_.get(); }

  // Calls a method of the stub: ask(&Stub::Status, request, response).
  template <class Request, class Response>
  grpc::Status ask(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                   const Request& request, Response& response) {
    const auto context = patient();
    return (stub_.get()->*method)(context.get(), request, &response);
  }

 private:
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<Stub> stub_;
};

}  // namespace memd::test
