#pragma once

#include "daemon/admin/admin_door.hpp"

#include <grpcpp/support/status.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memd::admin::rpc {

// A call that a client waits for.
class LiveCall {
 public:
  virtual ~LiveCall() = default;
  // Ends it, if it has not ended. From any thread.
  virtual void end(const grpc::Status& status) = 0;
  // Something was committed. From any thread.
  virtual void committed() {}
  virtual bool ends_by_itself() const { return true; }
};

// The calls of a door: counts them, gives their work to the workers, and ends them when the process does. Thread-safe.
class LiveCalls {
 public:
  explicit LiveCalls(AdminDoor::Parts parts) : parts_(std::move(parts)) {}

  // Until remove(). An error: it is one too many, or the door is closing; then it is not among the calls.
  grpc::Status add(std::shared_ptr<LiveCall> call);
  void remove(const LiveCall& call);

  // By way of the loop, as requests of the main socket. A process that ends may leave it undone.
  void to_worker(std::function<void()> task);
  void log(std::string_view what) const { parts_.log(what); }
  const AdminService& service() const { return parts_.service; }

  void committed();
  // No more calls, and an end to those that do not end by themselves. `on_idle` is called once, on any thread, when all
  // have ended.
  void drain(std::string why, std::function<void()> on_idle);
  void stop();

 private:
  std::vector<std::shared_ptr<LiveCall>> now();
  grpc::Status closing() const { return {grpc::StatusCode::UNAVAILABLE, why_}; }  // once closing_ is set

  const AdminDoor::Parts parts_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<LiveCall>> calls_;  // guarded by mutex_
  bool closing_ = false;                          // likewise
  std::string why_ = "memd is stopping";          // constant once closing_ is set
  std::function<void()> on_idle_;                 // likewise; empty: nobody waits
};

}  // namespace memd::admin::rpc
