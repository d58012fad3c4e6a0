#pragma once

#include "daemon/sharing/inbox.hpp"
#include "daemon/sharing/segment.hpp"
#include "daemon/sharing/share_place.hpp"
#include "daemon/sharing/team_server.hpp"
#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"
#include "schemas/share.hpp"
#include "store/read/shares.hpp"
#include "store/reader.hpp"
#include "store/text/redaction/forgotten_text.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace memd {
class MemoryHost;
class Withheld;
}  // namespace memd

namespace memd::sharing {

struct Exchanged : SyncSums {
  std::string waiting_why;  // of the first that waits
  bool is_reader = false;   // the database takes nothing from this login
};

// Writes what this machine shares into segments, and takes the segments of others in. All state is in the store and at
// the places, so several of these may exist; a file lock lets one work at a time. The host has to ingest and must
// outlive it. One thread.
class Sharing {
 public:
  // Makes the key of this machine if there is none. Errc::unsupported: built without encryption.
  static Result<Sharing> open(MemoryHost& host);

  // Make, join and leave a share. Errors say what to do instead.
  // `place`: a directory, user@host, or a URL postgres://….
  Result<ShareRow> init(const std::string& place, const std::string& project, bool sealed);
  Result<ShareRow> join(const std::string& place, const std::string& project, const std::string& invitation);
  // Returns why the others could not be told; empty: they were.
  Result<std::string> leave(const ShareRow& share);

  // Takes in, then writes. What came is stored when it returns. Errc::not_found: the place is not there.
  Result<Exchanged> sync(const ShareRow& of_store, const std::stop_token& stop);
  // Returns whether all is as at the last sync, which found nothing to do: a sync now would read all rows of the share
  // for nothing. Costs some calls of stat and a query; where a database does not tell of changes, also one there. Of a
  // place on a host: for a minute.
  bool is_as_before(const ShareRow& share);

  // Has the database tell of changes, if the place is one and it can.
  TeamServer::News wait_for_news(const ShareRow& share);

  // Compares the segments that the store knows with those at the place, and returns what is wrong.
  Result<std::vector<std::string>> verify(const ShareRow& share);

  // Copies the files of the share, as they are at its place or in this machine's copy of it, into a directory that
  // others can join. Returns their number. Errc::invalid_argument: another share of the name is there.
  Result<std::int64_t> copy(const ShareRow& share, const std::filesystem::path& directory) const;

  const std::string& machine() const { return machine_; }
  // Returns the directory of a share: at its place, or this machine's copy of the one on a host.
  Result<SharePlace> place_of(const ShareRow& share) const;
  // Returns the members of a share; in a sealed one those who know the invitation.
  std::vector<Member> members(const ShareRow& share, const SharePlace& place) const;

 private:
  explicit Sharing(MemoryHost& host);
  Result<void> read_all(const std::stop_token& stop);
  Result<ShareRow> share_of(const std::string& place, const std::string& text);
  Result<ShareRow> bound(ShareRow share);

  // One share during a sync.
  struct Work {
    const ShareRow& share;
    SharePlace place;
    std::map<std::string, Member> members{};                           // by machine
    std::map<std::string, std::vector<SharedSegmentRow>> of_others{};  // by session
    std::set<std::string> excluded{};                                  // uids
    seal::CipherPtr cipher{};                                          // of own segments; null: not sealed
    std::map<std::string, SharedSessionRow> sessions{};                // own ones, and those that are out
    std::map<std::string, std::vector<std::string>> segments{};        // names of own segments of a session, in order
    std::set<std::string> known{};                                     // names of segments
    TimeMs known_at = 0;                                               // of the newest segment: the next one is later
    std::vector<SharedSegmentRow> rows{};                              // to be stored
    std::set<std::string> lacking{};                                   // paths of segments that others continue
    std::shared_ptr<const Withheld> withheld{};
    Exchanged done{};
  };

  struct Quiet {
    std::string seen;  // what look() gave when there was nothing to do
    TimeMs since = 0;
  };
  std::string look(const ShareRow& share, const SharePlace& place);
  ChangedSharedSessionsQuery changed(const ShareRow& share) const;

  Result<void> admit(Work& work);
  Result<void> write_keys(Work& work);
  Result<void> load(Work& work);
  Result<void> take_out(Work& work);
  Result<void> withdraw(Work& work, const std::string& session_uid);
  Result<void> publish(Work& work, const std::stop_token& stop);
  Result<void> receive(Work& work, const std::stop_token& stop);
  Result<void> receive_all(Work& work, const std::stop_token& stop);
  Result<void> take(Work& work, const std::set<std::filesystem::path>& files, const std::stop_token& stop);
  Result<void> settle(Work& work, const std::stop_token& stop);
  Result<void> honour(Work& work, const std::vector<std::string>& out);
  Result<void> write(Work& work, Segment segment);
  Result<void> exchange_rows(Work& work);              // with the database, if the place is one
  Result<void> exchange_files(const ShareRow& share);  // with the host or the database, if the place is one
  TeamServer* server_of(const ShareRow& share);        // null: the place is none
  Result<void> save(Work& work, const std::vector<SharedSessionRow>& sessions);
  // Opens a segment. Errc::permission: its key is not one that a member sealed for this machine, or it should be
  // sealed.
  Result<Segment> open_segment(const ShareRow& share, const SharePlace& place, const std::string& machine,
                               std::string_view file) const;
  Member self(const ShareRow& share, bool left) const;
  std::filesystem::path directory() const;
  bool has_text(const Work& work, const std::string& machine, const std::string& name,
                const redaction::ForgottenTexts& texts) const;

  MemoryHost& host_;
  Reader store_;
  Inbox inbox_;
  std::string secret_;                                // key of this machine
  std::string machine_;                               // its id
  std::map<std::string, TeamServer> servers_;         // by URL
  std::map<std::int64_t, Quiet> quiet_;               // by share
  bool is_settled_ = false;                           // what an earlier process left undone is done
  std::vector<redaction::TextToken> checked_tokens_;  // of the texts that own segments were searched for
};

}  // namespace memd::sharing
