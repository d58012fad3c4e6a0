#pragma once

#include "protocol/transport/byte_stream.hpp"

#include <memory>

namespace boost::asio {
class io_context;
}

namespace memd::transport {

// A stream that reads one descriptor and writes another: stdin and stdout. Both are borrowed and stay open. Pipes,
// sockets and terminals are driven by the loop, which sets O_NONBLOCK on the open file description others may share:
// the flags are put back when the stream is closed or destroyed. Regular files and /dev/null, which epoll refuses and
// which never make one wait, are read and written directly. Ignores SIGPIPE for the whole process.
std::unique_ptr<ByteStream> make_descriptor_stream(boost::asio::io_context& loop, int in_fd, int out_fd);

}  // namespace memd::transport
