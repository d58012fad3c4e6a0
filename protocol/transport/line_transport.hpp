#pragma once

#include "protocol/transport/byte_stream.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd::transport {

// The two ends of a line that was too long to be kept. JSON-RPC clients write the id of a request at either.
struct LineEnds {
  std::string beginning;  // at most kEndBytes
  std::string end;        // at most kEndBytes; may overlap
  static constexpr std::size_t kEndBytes = 1024;
};

// Splits a byte stream into lines. Scans each byte once, however the lines are spread over reads. Drops an overlong
// line, up to its newline, and keeps only its ends. One thread.
class LineBuffer {
 public:
  explicit LineBuffer(std::size_t max_line) : max_line_(max_line) {}

  // prepare() returns space for the next read; commit() adds the `n` bytes read into it.
  std::span<char> prepare();
  void commit(std::size_t n) { tail_ += n; }

  struct Line {
    std::string_view text;                // without "\n", "\r\n" and a byte order mark; valid until the next prepare()
    const LineEnds* oversized = nullptr;  // set for a line that was too long; valid as `text`
  };
  // Returns the next complete line. Reports an oversized line once, at its end.
  std::optional<Line> next();
  // Returns the last line when the stream has ended without a newline.
  std::optional<Line> rest();

 private:
  void shrink_if_idle();
  Line cut(std::string_view line);

  std::size_t max_line_;
  std::vector<char> bytes_;
  std::size_t head_ = 0;  // start of the line being assembled
  std::size_t scan_ = 0;  // no newline in [head, scan)
  std::size_t tail_ = 0;  // end of what was read
  bool skipping_ = false;
  LineEnds ends_;  // of the line that is skipped, or was skipped last
};

// Transport of one JSON message per line, in both directions. Does not parse messages. Loop thread. Every callback
// comes from the event loop, never from inside a call made to the transport.
class LineTransport {
 public:
  class Handler {
   public:
    virtual void on_line(std::string_view line) = 0;           // without its newline; valid during the call
    virtual void on_oversized_line(const LineEnds& ends) = 0;  // one was longer than allowed and was skipped
    virtual void on_end_of_input() = 0;                        // nothing more will come; writing still works
    virtual void on_drained() {}                               // congested() has become false
    virtual void on_closed() = 0;  // the last callback, exactly once; the transport may be destroyed

   protected:
    ~Handler() = default;
  };

  virtual ~LineTransport() = default;

  // Call it once. The transport may be destroyed after on_closed, or when the event loop runs no more.
  virtual void start(Handler& handler) = 0;
  // Back-pressure: while false, no on_line comes, and after the read in progress the peer's bytes stay in the kernel.
  // Initially true.
  virtual void set_reading(bool on) = 0;
  // Queues `line` and a newline. Lines written during on_line are collected and sent together.
  virtual void write_line(std::string_view line) = 0;
  // Returns whether so much is unsent that producers of lines should pause. The transport reads nothing meanwhile.
  virtual bool congested() const = 0;
  // Tells the peer, after what is queued, that no more comes (a socket is half closed). Reading goes on.
  virtual void end_output() = 0;
  // Stops reading and calls on_closed once everything queued is written.
  virtual void close() = 0;
  // Closes without writing what is queued; on_closed follows.
  virtual void abort() = 0;
};

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
  bool reading_ = true;  // set by the handler
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
