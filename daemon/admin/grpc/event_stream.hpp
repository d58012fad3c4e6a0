#pragma once

#include "daemon/admin/event_report.hpp"
#include "daemon/admin/grpc/live_calls.hpp"

#include <grpcpp/support/server_callback.h>
#include <memd/admin/v1/admin.pb.h>

#include <memory>
#include <mutex>
#include <optional>

namespace memd::admin::rpc {

// A watching client. It gets a report at once and another one after each commit. Commits during a look or a write cause
// one more report. Looks run on workers, so a waiting stream holds no thread. Its lifetime is that of a UnaryCall.
// Thread-safe.
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
  EventsParams params_;       // for the next look, or for the running one
  v1::EventsReport message_;  // in use while a write runs
  std::mutex mutex_;
  bool busy_ = true;                  // a look or a write is running; guarded by mutex_, as are the members below
  bool writing_ = false;              // a write is running
  bool hinted_ = false;               // there was a commit since the look began
  bool ended_ = false;                // nothing more is written
  std::optional<grpc::Status> last_;  // status to send when the write is done
  std::shared_ptr<EventStream> self_;
};

}  // namespace memd::admin::rpc
