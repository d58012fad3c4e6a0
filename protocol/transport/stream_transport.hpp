#pragma once

#include "protocol/transport/byte_stream.hpp"
#include "protocol/transport/line_buffer.hpp"
#include "protocol/transport/line_transport.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace memd::transport {

struct StreamLimits {
  std::size_t max_line_bytes = 10'000'000;
  // Above this the connection is aborted; above a quarter of it reading stops until the peer reads.
  std::size_t max_unsent_bytes = 32U << 20;
};

// Sends and receives lines over a byte stream. Loop thread. Owns the stream.
class StreamTransport final : public LineTransport {
 public:
  StreamTransport(std::unique_ptr<ByteStream> stream, StreamLimits limits);
  ~StreamTransport() override;

  void start(Handler& handler) override;
  void set_reading(bool on) override;
  void write_line(std::string_view line) override;
  bool congested() const override { return unsent_bytes() > limits_.max_unsent_bytes / 4; }
  void end_output() override;
  void close() override;
  void abort() override;

 private:
  void pump();  // delivers what is buffered, then reads on
  void deliver();
  void on_read(boost::system::error_code ec, std::size_t n);
  void end_input();
  void flush();
  void on_written(boost::system::error_code ec);
  void post_pump();
  void shut();
  void report_closed_when_quiet();
  bool may_deliver() const;
  std::size_t unsent_bytes() const { return pending_.size() + (write_pending_ ? writing_.size() : 0); }

  const std::unique_ptr<ByteStream> stream_;
  const StreamLimits limits_;
  Handler* handler_ = nullptr;
  LineBuffer input_;
  std::string pending_;  // queued while `writing_` is on its way
  std::string writing_;
  bool reading_ = true;  // what the handler wants
  bool read_pending_ = false;
  bool write_pending_ = false;
  bool hangup_pending_ = false;
  int posted_ = 0;       // tasks of ours on the loop
  bool corked_ = false;  // inside deliver(): collect writes
  bool input_ended_ = false;
  bool end_reported_ = false;
  bool ending_output_ = false;
  bool closing_ = false;  // close() was called
  bool shut_ = false;     // the stream is closed
};

}  // namespace memd::transport
