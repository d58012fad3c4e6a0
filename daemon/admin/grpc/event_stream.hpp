#pragma once

#include "daemon/admin/grpc/live_calls.hpp"

#include <grpcpp/support/server_callback.h>
#include <memd/admin/v1/admin.pb.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

namespace memd::admin::rpc {

// A client that watches: it gets a report at once, and another one after each commit. Commits that come while a report
// is made or written cause one more report. Looks run on workers, so a stream that waits holds no thread. It lives as
// UnaryCall does. Thread-safe.
class EventStream final : public grpc::ServerWriteReactor<v1::EventsReport>,
                          public LiveCall,
                          public std::enable_shared_from_this<EventStream> {
 public:
  static grpc::ServerWriteReactor<v1::EventsReport>* begin(LiveCalls& calls, const v1::EventsParams& request);

  EventStream(LiveCalls& calls, EventsParams params) : calls_(calls), params_(params) {}

  void end(const grpc::Status& status) override;
  void committed() override;
  bool ends_by_itself() const override { return false; }

 private:
  void look();
  void look_later();
  void OnWriteDone(bool ok) override;
  void OnCancel() override { end(grpc::Status::CANCELLED); }
  void OnDone() override;

  LiveCalls& calls_;
  EventsParams params_;       // of the next look; of the look while there is one
  v1::EventsReport message_;  // of the write while there is one
  std::mutex mutex_;
  bool busy_ = true;                  // a look or a write is under way; guarded by mutex_, as what follows
  bool writing_ = false;              // a write is
  bool hinted_ = false;               // something was committed since the look began
  bool ended_ = false;                // nothing is written any more
  std::optional<grpc::Status> last_;  // that is left to be told when the write is done
  std::shared_ptr<EventStream> self_;
};

}  // namespace memd::admin::rpc
