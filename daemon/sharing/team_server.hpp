#pragma once

#include "daemon/sharing/share_place.hpp"
#include "schemas/base/result.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// A share in a PostgreSQL database: its files are rows there (schemas/sql/team), and this machine has a copy of them.
namespace memd::sharing {

inline constexpr std::chrono::milliseconds kAskServerEvery{1000};

// The database of a place. Connects when it is first asked, and anew when the connection was lost. Names no statement
// and sets nothing for a session, so that a pooler may stand between. Blocks. One thread. Errors: Errc::unavailable,
// the server cannot be reached or refuses; Errc::permission, the login may not do that; Errc::unsupported, built
// without PostgreSQL, or libpq is not installed.
class TeamServer {
 public:
  // Whether a place is one: postgres://… Errc::invalid_argument: a password is in it, and would be stored.
  static Result<bool> is_meant(std::string_view place);

  explicit TeamServer(std::string url);
  ~TeamServer();
  TeamServer(TeamServer&&) noexcept;
  TeamServer& operator=(TeamServer&&) noexcept;

  // Makes the copy and the database equal: this machine's files go there, the others' come from there. A copy with a
  // share.json makes the share if there is none. Own files that the copy lacks though it never knew them come back (it
  // is of a backup); those that it knew are removed. Where the server has lost some, they are sent again. A login that
  // may only read sends nothing.
  Result<void> exchange(const std::string& project, const SharePlace& copy, const std::string& machine);
  // Whether something was written there since the last exchange.
  Result<bool> has_news(const std::string& project, const SharePlace& copy);
  // Compares the hashes of all files there with those of the copy, and returns what differs.
  Result<std::vector<std::string>> verify(const std::string& project, const SharePlace& copy,
                                          const std::string& machine);

 private:
  class Connection;
  struct State {
    std::int64_t share = 0;
    std::int64_t last_change = 0;
    std::int64_t timeline = 0;
    bool may_write = false;
  };
  Result<Connection*> connection();
  Result<std::optional<State>> look(Connection& db, const std::string& project) const;
  Result<State> make(Connection& db, const std::string& project) const;

  std::string url_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace memd::sharing
