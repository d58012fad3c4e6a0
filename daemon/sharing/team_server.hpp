#pragma once

#include "daemon/sharing/share_place.hpp"
#include "schemas/base/result.hpp"
#include "schemas/base/unique_fd.hpp"
#include "store/read/team_exchanges.hpp"
#include "store/team/team_database.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

// A share in a PostgreSQL database: its files are rows there (schemas/sql/team), and this machine has a copy of them.
namespace memd::sharing {

// Exchanges the files of a copy with the database. Blocks. One thread. Errors: as TeamDatabase.
class TeamServer {
 public:
  // Whether a place is one: postgres://… Errc::invalid_argument: a password is in it, and would be stored.
  static Result<bool> is_meant(std::string_view place);

  // `fetches`: others' segments come here; false: their rows are asked instead.
  TeamServer(std::string url, bool fetches);

  // Makes the copy and the database equal: this machine's files go there, the others' come from there. A copy with a
  // share.json makes the share if there is none. Own files that the copy lacks though it never knew them come back (it
  // is of a backup); those that it knew are removed. Where the server has lost some, they are sent again. A login that
  // may only read sends nothing. A database of an older memd is brought up to date, if the login may.
  Result<void> exchange(const std::string& project, const SharePlace& copy, const std::string& machine);
  // Brings files that are there into the copy, whatever was seen. Returns how many came.
  Result<std::size_t> bring(const std::string& project, const SharePlace& copy, const std::set<std::string>& paths);
  // Whether the login may read only.
  Result<bool> is_reader(const std::string& project);
  // Whether something was written there since the last exchange. Asks only if the server did not say that nothing was.
  Result<bool> has_news(const std::string& project, const SharePlace& copy);
  // How news of a share get here.
  struct News {
    bool are_here = false;  // something was told already, and nobody has looked
    UniqueFd socket;        // becomes readable when something is told; none: the server does not tell
  };
  // Has the server tell, if it can.
  Result<News> wait_for_news(const std::string& project);
  // Compares the hashes of all files there with those of the copy, and returns what differs. If the copy lacks what it
  // has seen, the next exchange brings everything again. `read`: of others, of which the copy may lack some.
  Result<std::vector<std::string>> verify(const std::string& project, const SharePlace& copy,
                                          const std::string& machine, const std::set<std::string>& read);

  // An own session of the share: its rows there are to be as they are here.
  struct Session {
    std::string uid;
    std::string mark;  // of its present state
    bool is_out = false;
  };
  // The hashes and the numbers with vectors are as TeamExchangesQuery has them.
  using Exchanges = std::function<Result<TeamExchangesQuery::Answer>(const std::string& uid,
                                                                     const std::map<std::int64_t, std::int64_t>& hashes,
                                                                     const std::set<std::int64_t>* with_vectors)>;
  // Writes what the rows of the sessions lack, and takes out those that are out. `model`: of vectors; empty: none are
  // made. Returns what others took out.
  Result<std::vector<std::string>> exchange_rows(const std::string& project, const Member& self,
                                                 const std::vector<Session>& sessions, std::string model,
                                                 const Exchanges& exchanges);
  using Memories = std::function<Result<TeamMemoriesQuery::Answer>(const std::map<std::string, std::string>&)>;
  // Makes this machine's memories there as they are here.
  Result<void> exchange_memories(const std::string& project, const Member& self, const Memories& memories);

 private:
  Result<bool> bring(const team::TeamShare& there, const SharePlace& copy, const std::string& path);
  // What others wrote after the change `after` comes into the copy.
  Result<void> pull(const team::TeamShare& there, const SharePlace& copy, const std::string& machine,
                    std::int64_t after);
  // What this machine wrote: there, and here. Returns the newest of its changes; `seen`: the one of before.
  Result<std::int64_t> push(const team::TeamShare& there, const SharePlace& copy, const std::string& machine,
                            std::int64_t seen);

  team::TeamDatabase database_;
  const bool fetches_;
};

}  // namespace memd::sharing
