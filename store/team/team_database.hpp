#pragma once

#include "schemas/base/result.hpp"
#include "schemas/share.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

// A PostgreSQL database in which shares are files (schemas/sql/team). Knows rows; what they mean is the caller's.
namespace memd::team {

struct TeamShare {
  std::int64_t number = 0;
  std::int64_t last_change = 0;
  std::string identity;       // of the schema: one that was restored from a dump has another
  std::int64_t timeline = 0;  // a server that was promoted has a later one
  bool may_write = false;
  bool has_rows = false;  // false: the database was made by an older memd
  bool has_vectors = false;
  bool is_current = false;  // false: it lacks something that this memd would make
  bool may_update = false;  // the login may change the schema
};

// A session of which the database has rows, or which is out.
struct TeamSession {
  std::string uid;
  std::string who;  // "ada@laptop"
  std::string agent;
  std::string title;
  std::string mark;  // what its rows were made of, in the words of who wrote them; empty: rows are lacking
  bool is_out = false;
};

struct TeamFile {
  std::string path;     // below the share's directory
  std::string machine;  // who writes it; empty: share.json
  std::int64_t change = 0;
  bool is_removed = false;
  std::string content;  // empty where it was not asked for
};

// A change by which a database is recognised.
struct TeamMark {
  std::string path;
  std::int64_t change = 0;  // 0: none
};

struct TeamHash {
  std::string path;
  std::string sha256;  // hexadecimal
  std::int64_t change = 0;
};

// The database of a place. Connects when it is first asked, and anew when the connection was lost. Names no statement
// and sets nothing for a session, except to listen, so that a pooler may stand between. Blocks. One thread. Errors:
// Errc::unavailable, the server cannot be reached or refuses; Errc::permission, the login may not do that;
// Errc::unsupported, built without PostgreSQL, libpq is not installed, or an older memd made the database.
class TeamDatabase {
 public:
  // `patience`: a server of which nothing comes for so long is given up, while a statement runs.
  explicit TeamDatabase(std::string url,  // postgres://…
                        std::chrono::milliseconds patience = std::chrono::minutes(1));
  ~TeamDatabase();
  TeamDatabase(TeamDatabase&&) noexcept;
  TeamDatabase& operator=(TeamDatabase&&) noexcept;

  // nullopt: the login sees no share of the project.
  Result<std::optional<TeamShare>> look(const std::string& project);
  // Has the server tell of changes of the share from now on, over this connection. False: it cannot, because a pooler
  // stands between, or an older memd made the database.
  Result<bool> listen(const std::string& project);
  // False: nobody else has changed the share since it was last looked at. True also where nobody tells.
  bool may_have_changed(const std::string& project);
  // Readable when there may be something to be told, or the connection is gone. This object's; -1: it has none.
  int socket() const;
  // Makes the share, and what the database lacks for it. Of a share that is there: Errc::permission for others than
  // its members.
  Result<TeamShare> make(const std::string& project);

  // Files of other machines that were changed after `after` and not after `until`, in the order of changes, the first
  // ones; none are left when it is empty. Segments only if asked for.
  Result<std::vector<TeamFile>> files_of_others(const TeamShare& share, const std::string& machine, std::int64_t after,
                                                std::int64_t until, bool segments);
  // All files of the machine; the content only of those that may change (members/).
  Result<std::vector<TeamFile>> own_files(const TeamShare& share, const std::string& machine);
  // nullopt: there is none.
  Result<std::optional<std::string>> content(const TeamShare& share, const std::string& path);
  Result<std::vector<TeamHash>> hashes(const TeamShare& share);
  Result<TeamMark> newest(const TeamShare& share);
  // False: the database was set back to what it was before this change; others may have its number since.
  Result<bool> has(const TeamShare& share, const TeamMark& mark);

  // Writes and removes the files, in one transaction. Returns the number of the newest change of a machine's file; 0:
  // none is of a machine.
  Result<std::int64_t> write(const TeamShare& share, const std::vector<TeamFile>& files);

  // Gives the database what an older memd did not make.
  Result<void> update();
  // The machine's sessions, and those that anybody took out; of each uid and mark.
  Result<std::vector<TeamSession>> sessions(const TeamShare& share, const std::string& machine);
  // The hashes of the machine's rows of a session, by number.
  Result<std::map<std::int64_t, std::int64_t>> row_hashes(const TeamShare& share, const std::string& machine,
                                                          const std::string& session_uid);
  // The numbers of the machine's rows of a session that have vectors by the model.
  Result<std::set<std::int64_t>> rows_with_vectors(const TeamShare& share, const std::string& machine,
                                                   const std::string& session_uid, const std::string& model);
  // Writes rows of the session, and removes those that are gone, in one transaction; nothing if it is out. `model`: of
  // the rows' vectors; empty: they are not written.
  Result<void> write_rows(const TeamShare& share, const std::string& machine, const TeamSession& session,
                          const std::vector<std::int64_t>& gone, const std::vector<TeamExchange>& rows,
                          const std::string& model);
  // Writes the vectors of rows that are there already. Of `rows` only number, time and vectors count.
  Result<void> write_vectors(const TeamShare& share, const std::string& machine, const std::string& session_uid,
                             const std::vector<TeamExchange>& rows, const std::string& model);
  // The hashes of the machine's memories, by slug.
  Result<std::map<std::string, std::string>> memory_hashes(const TeamShare& share, const std::string& machine);
  // Writes memories of the machine, and removes those that are gone, in one transaction. `who`: "ada@laptop".
  Result<void> write_memories(const TeamShare& share, const std::string& machine, const std::string& who,
                              const std::vector<std::string>& gone, const std::vector<TeamMemory>& memories);
  // Removes everybody's rows of the session, for good.
  Result<void> take_out(const TeamShare& share, const std::string& machine, const std::string& session_uid);

 private:
  class Connection;
  Result<Connection*> connection();

  std::string url_;
  std::chrono::milliseconds patience_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace memd::team
