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

// A running call.
class LiveCall {
 public:
  virtual ~LiveCall() = default;
  // Ends the call unless it has ended. Any thread.
  virtual void end(const grpc::Status& status) = 0;
  // Notifies the call of a commit. Any thread.
  virtual void committed() {}
  virtual bool ends_by_itself() const { return true; }
};

// The running calls of a door: counts them, passes their work to the workers, and ends them when the process ends.
// Thread-safe.
class LiveCalls {
 public:
  explicit LiveCalls(AdminDoor::Parts parts) : parts_(std::move(parts)) {}

  // Adds a call until remove(). An error if there are too many or the door is closing; the call is then not added.
  grpc::Status add(std::shared_ptr<LiveCall> call);
  void remove(const LiveCall& call);

  // Passes the task to a worker by way of the loop, as for requests of the main socket. A process that ends may drop
  // it.
  void to_worker(std::function<void()> task);
  void log(std::string_view what) const { parts_.log(what); }
  const AdminService& service() const { return parts_.service; }

  void committed();
  // Refuses new calls and ends those that do not end by themselves. `on_idle` is called once, on any thread, when all
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
  std::function<void()> on_idle_;                 // likewise; empty: nobody waits for it
};

}  // namespace memd::admin::rpc
