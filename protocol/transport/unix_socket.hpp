#pragma once

#include "protocol/transport/byte_stream.hpp"
#include "schemas/error.hpp"

#include <sys/types.h>

#include <memory>
#include <string>

namespace boost::asio {
class io_context;
}

namespace memd::transport {

// Takes over a connected Unix stream socket; it is closed with the stream.
std::unique_ptr<ByteStream> make_socket_stream(boost::asio::io_context& loop, int fd);

// Connects at once (a Unix socket does not make one wait). The error keeps errno: boost::system::errc names.
Result<std::unique_ptr<ByteStream>> connect_unix(boost::asio::io_context& loop, const std::string& path);
// The blocking descriptor (close-on-exec) behind it.
Result<int> connect_unix_fd(const std::string& path);

// The user and the process at the other end of a connected socket; of who listens, those who began to.
struct SocketPeer {
  uid_t user = 0;
  pid_t process = 0;  // 0: of another pid namespace
};
Result<SocketPeer> socket_peer(int fd);

// permission unless the process at the other end of the socket runs as the same user as this one.
Result<void> require_same_user(int fd);

}  // namespace memd::transport
