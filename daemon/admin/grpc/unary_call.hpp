#pragma once

#include "daemon/admin/grpc/live_calls.hpp"
#include "daemon/admin/grpc/messages.hpp"
#include "protocol/mcp/argument_text.hpp"
#include "protocol/mcp/tool_context.hpp"
#include "schemas/base/harmless.hpp"

#include <grpcpp/support/server_callback.h>

#include <atomic>
#include <exception>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

namespace memd::admin::rpc {

// A call of a method that returns one report. It lives until gRPC and all workers have released it. Whoever ends it
// first (the worker with the report, a client that cancels or a closing door) is the only one to end it.
template <class Method>
class UnaryCall final : public grpc::ServerUnaryReactor,
                        public LiveCall,
                        public std::enable_shared_from_this<UnaryCall<Method>> {
 public:
  static grpc::ServerUnaryReactor* begin(LiveCalls& calls, const Method& method,
                                         const google::protobuf::Message& request,
                                         google::protobuf::Message& response) {
    const auto call = std::make_shared<UnaryCall>(calls, method, response);
    call->self_ = call;
    if (const grpc::Status refused = calls.add(call); !refused.ok()) {
      call->end(refused);
      return call.get();
    }
    auto params = mcp::read_argument_text<typename Method::Params>(arguments_of(request));
    if (params)
      calls.to_worker([call, params = std::move(*params)] { call->work(params); });
    else
      call->end(status_of(params.error()));
    return call.get();
  }

  UnaryCall(LiveCalls& calls, const Method& method, google::protobuf::Message& response)
      : calls_(calls), method_(method), response_(response) {}

  void end(const grpc::Status& status) override {
    stop_.request_stop();
    if (!ended_.exchange(true)) Finish(status);
  }

 private:
  void work(const typename Method::Params& params) {
    if (ended_) return;
    typename Method::Report report;
    const grpc::Status status = run(params, report);
    if (ended_.exchange(true)) return;
    Finish(status.ok() ? write_report(response_, report) : status);
  }
  grpc::Status run(const typename Method::Params& params, typename Method::Report& report) const {
    mcp::ToolContext context(stop_.get_token());
    try {
      auto made = method_.run(params, context);
      if (!made) return status_of(made.error());
      report = std::move(*made);
      return grpc::Status::OK;
    } catch (const ErrorException& e) {
      return status_of(e.error());
    } catch (const std::exception& e) {
      calls_.log(std::string(method_.rpc) + ": internal error: " + e.what());
      return {grpc::StatusCode::INTERNAL, harmless(std::string("internal error: ") + e.what())};
    }
  }

  void OnCancel() override { end(grpc::Status::CANCELLED); }
  void OnDone() override {
    calls_.remove(*this);
    self_.reset();
  }

  LiveCalls& calls_;
  const Method& method_;
  google::protobuf::Message& response_;  // owned by gRPC until the call has ended
  std::stop_source stop_;
  std::atomic<bool> ended_{false};
  std::shared_ptr<UnaryCall> self_;
};

}  // namespace memd::admin::rpc
