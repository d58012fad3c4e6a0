#include "daemon/admin/grpc/event_stream.hpp"

#include "daemon/admin/admin_service.hpp"
#include "daemon/admin/grpc/messages.hpp"
#include "protocol/mcp/argument_text.hpp"
#include "protocol/mcp/tool_context.hpp"
#include "schemas/base/error.hpp"

#include <exception>
#include <string>
#include <utility>

namespace memd::admin::rpc {

grpc::ServerWriteReactor<v1::EventsReport>* EventStream::begin(LiveCalls& calls, const v1::EventsParams& request) {
  const auto params = mcp::read_argument_text<EventsParams>(arguments_of(request));
  const auto stream = std::make_shared<EventStream>(calls, params ? *params : EventsParams());
  stream->self_ = stream;
  if (!params)
    stream->end(status_of(params.error()));
  else if (const grpc::Status refused = calls.add(stream); !refused.ok())
    stream->end(refused);
  else
    stream->look_later();
  return stream.get();
}

void EventStream::end(const grpc::Status& status) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(ended_, true)) return;
    if (writing_) {
      last_ = status;
      return;
    }
  }
  Finish(status);
}

void EventStream::committed() {
  {
    const std::lock_guard lock(mutex_);
    hinted_ = true;
    if (ended_ || busy_) return;
    busy_ = true;
  }
  look_later();
}

void EventStream::look_later() {
  calls_.to_worker([self = shared_from_this()] { self->look(); });
}

void EventStream::look() {
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    hinted_ = false;
  }
  Result<EventsReport> report = Error(Errc::cancelled, "cancelled");
  try {
    mcp::ToolContext context;
    report = calls_.service().events.run(params_, context);
  } catch (const std::exception& e) {
    calls_.log(std::string("WatchEvents: internal error: ") + e.what());
    return end({grpc::StatusCode::INTERNAL, "internal error"});
  }
  if (!report) return end(status_of(report.error()));
  params_.after = report->cursor;
  message_.Clear();
  if (const grpc::Status written = write_report(message_, *report); !written.ok()) return end(written);
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    // A full page may be followed by another one.
    if (static_cast<std::int64_t>(report->sessions.size()) == params_.limit) hinted_ = true;
    writing_ = true;
  }
  StartWrite(&message_);
}

void EventStream::OnWriteDone(bool ok) {
  std::optional<grpc::Status> last;
  bool again = false;
  {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    last = last_;
    if (!last && !ok && !std::exchange(ended_, true)) last = grpc::Status::CANCELLED;
    busy_ = again = hinted_ && !ended_;
  }
  if (last)
    Finish(*last);
  else if (again)
    look_later();
}

void EventStream::OnDone() {
  calls_.remove(*this);
  self_.reset();
}

}  // namespace memd::admin::rpc
