#include "protocol/mcp/call.hpp"

#include "schemas/base/json_writer.hpp"

namespace memd::mcp {
namespace {

constexpr double kBeatStep = 0.001;  // heartbeats exceed the reported progress by less than this

}  // namespace

void ReplyWriter::write(std::string_view line) {
  if (!closed_) transport_.write_line(line);
}

void ReplyWriter::answer(const std::shared_ptr<BatchReply>& batch, std::string_view line) {
  if (closed_) return;
  if (batch == nullptr) {
    if (!line.empty()) transport_.write_line(line);
    return;
  }
  if (!line.empty()) batch->answers.append(batch->answers.empty() ? "" : ",").append(line);
  if (--batch->pending == 0 && !batch->answers.empty()) transport_.write_line("[" + batch->answers + "]");
}

void ReplyWriter::answer_error(const jsonrpc::Request& request, int code, std::string_view message,
                               const std::shared_ptr<BatchReply>& batch, std::string_view data) {
  answer(batch, jsonrpc::error_line(request.id, code, message, data));
}

void CallProgress::note_stage(double done, double total, std::string_view message) {
  const std::lock_guard lock(mutex_);
  stage_ = {done, total, std::string(message)};
}

bool CallProgress::note_report(double done, double total, std::string_view message, TimeMs now, TimeMs interval) {
  const std::lock_guard lock(mutex_);
  stage_ = {done, total, std::string(message)};  // a report that came too soon is sent by the next heartbeat
  if (sent_at_ && now >= *sent_at_ && now - *sent_at_ < interval) return false;
  sent_at_ = now;
  return true;
}

// Heartbeats count from the last report that grew. Another report must not reset the count, or progress would decrease.
void CallProgress::set_reported(double done) {
  if (done <= reported_) return;
  reported_ = done;
  beats_ = 0;
}

std::optional<std::string> CallProgress::report_line(double done, double total, std::string_view message, TimeMs now) {
  set_reported(done);
  return line(done, total, message, now);
}

std::optional<std::string> CallProgress::heartbeat_line(TimeMs now, TimeMs quiet) {
  if (now - heard_at_ < quiet) return std::nullopt;
  Stage stage;
  {
    const std::lock_guard lock(mutex_);
    stage = stage_;
  }
  set_reported(stage.done);
  // Grows with every heartbeat and stays below reported_ + kBeatStep.
  ++beats_;
  const double done = reported_ + kBeatStep * beats_ / (beats_ + 1);
  if (!stage.message.empty()) stage.message += "; ";
  stage.message += "working since " + std::to_string((now - started_at_ + 500) / 1000) + " s";
  heard_at_ = now;
  return line(done, stage.total, stage.message, now);
}

std::optional<std::string> CallProgress::line(double done, double total, std::string_view message, TimeMs now) {
  if (!(done > last_sent_)) return std::nullopt;
  last_sent_ = done;
  heard_at_ = now;
  std::string params;
  json::Writer w(params);
  w.begin_object();
  w.member_raw("progressToken", token_);
  w.member_number("progress", done);
  if (total > 0) w.member_number("total", total);
  if (!message.empty() && has_progress_message(revision_)) w.member("message", message);
  w.end_object();
  return jsonrpc::notification_line("notifications/progress", params);
}

}  // namespace memd::mcp
