#pragma once

#include "daemon/sharing/share_place.hpp"
#include "schemas/base/result.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// A share at user@host: the host's memd has the directory, this machine a copy of it. Both run the same exchange over
// ssh; nothing listens.
namespace memd::sharing {

// One side's message. Paths are those below the share's directory.
struct Message {
  std::string machine;  // of the client
  std::string invitation;
  std::map<std::string, std::string> have;   // of the client: path and SHA-256
  std::vector<std::string> want;             // of the server: of the client's own files
  std::vector<std::string> gone;             // removed by who wrote them: of the client its own, of the server others'
  std::map<std::string, std::string> files;  // path and content
};
inline constexpr std::size_t kMostOfMessage = std::size_t{64} << 20;  // bytes of files; more come with the next message

std::string to_text(const Message& message);
// Errc::protocol: it is damaged, or of another version.
Result<Message> parse_message(std::string_view text);

// Answers a client: takes its files, lets `sync` read them and write what is new here, and gives what the client lacks:
// also its own files, which it lacks when it is older than it was (of a backup).
Result<std::string> answer(const SharePlace& place, std::string_view request,
                           const std::function<Result<void>(const Message&)>& sync);

// Makes the copy and the host's directory equal: this machine's files go there, the others' come from there.
// Errc::unavailable: the host cannot be reached, or has no memd. Blocks.
Result<void> exchange(const std::string& host, const std::string& project, const SharePlace& copy,
                      const std::string& machine, const std::string& invitation);

inline constexpr std::chrono::milliseconds kLookAtHostEvery{std::chrono::minutes(1)};

// Whether this machine has a copy of a place: of user@host, or of a database. Errc::invalid_argument for what ssh would
// not take as a host, and for a URL with a password.
Result<bool> is_remote(std::string_view place);

}  // namespace memd::sharing
