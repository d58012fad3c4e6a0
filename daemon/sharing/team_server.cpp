#include "daemon/sharing/team_server.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/harmless.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/ids.hpp"
#include "store/files/whole_file.hpp"

#include <fmt/format.h>

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace memd::sharing {

namespace {

constexpr std::size_t kRowsAtOnce = 200;
constexpr std::size_t kMostOfPush = std::size_t{16} << 20;  // bytes of files in one transaction

// What an exchange saw, in a file beside the copy.
struct Seen {
  std::int64_t timeline = 0;  // a server that was promoted has a later one
  std::int64_t others = 0;    // the newest change of which the copy has the others' files
  std::int64_t own = 0;       // the newest change by this machine
  bool lacks_some = false;    // others' segments were left there, or are lost here
  std::string identity;       // of the database
  team::TeamMark mark{};      // the newest change
};

std::filesystem::path file_of_seen(const SharePlace& copy) { return copy.directory().string() + ".seen"; }

Seen read_seen(const SharePlace& copy) {
  Seen out;
  if (const auto text = files::read_whole(file_of_seen(copy)))
    std::istringstream(*text) >> out.timeline >> out.others >> out.own >> out.lacks_some >> out.identity >>
        out.mark.change >> out.mark.path;
  return out;
}

Result<void> write_seen(const SharePlace& copy, const Seen& seen) {
  return files::write_whole(file_of_seen(copy),
                            fmt::format("{} {} {} {:d} {} {} {}\n", seen.timeline, seen.others, seen.own,
                                        seen.lacks_some, seen.identity, seen.mark.change, seen.mark.path),
                            files::OnDisk::now);
}

// As many as one transaction writes, each; moves them.
std::vector<std::vector<TeamExchange>> batches_of(std::vector<TeamExchange>& rows) {
  std::vector<std::vector<TeamExchange>> out;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    if (at % kRowsAtOnce == 0) out.emplace_back();
    out.back().push_back(std::move(rows[at]));
  }
  return out;
}

bool is_of_share(const std::string& path, std::string_view machine) {
  return SharePlace::is_head(path) ? machine.empty() : SharePlace::machine_of(path) == machine;
}

}  // namespace

Result<bool> TeamServer::is_meant(std::string_view place) {
  const auto begin = place.find("://");
  if (begin == std::string_view::npos) {
    if (place.find("password=") == std::string_view::npos) return false;
    return Error(Errc::invalid_argument, "a database is given by its URL, postgres://…, without a password");
  }
  const std::string scheme = ascii::lowered(place.substr(0, begin));
  if (scheme != "postgres" && scheme != "postgresql") return false;
  const auto login = place.substr(begin + 3, place.find_first_of("/?", begin + 3) - begin - 3);
  const auto at = login.rfind('@');
  if ((at != std::string_view::npos && login.substr(0, at).find(':') != std::string_view::npos) ||
      place.find('%', std::min(place.find('?'), place.size())) != std::string_view::npos ||  // a name in disguise
      ascii::lowered(place).find("password") != std::string::npos)
    return Error(Errc::invalid_argument,
                 "a password does not belong into the URL: put it into ~/.pgpass, or log in by peer or certificate");
  return true;
}

TeamServer::TeamServer(std::string url, bool fetches) : database_(std::move(url)), fetches_(fetches) {}

Result<void> TeamServer::exchange(const std::string& project, const SharePlace& copy, const std::string& machine) {
  MEMD_TRY_ASSIGN(auto there, database_.look(project));
  if (!there && !copy.share()) return {};
  if (!there) {
    MEMD_TRY_ASSIGN(there, database_.make(project));
  }
  if (!there->is_current && there->may_update) MEMD_TRY(database_.update());
  Seen seen = read_seen(copy);
  if (there->identity != seen.identity) seen = {};
  if (there->timeline < seen.timeline)
    return Error(Errc::unavailable,
                 "the server that answers is an older one: another was promoted since; nothing is exchanged with it");
  MEMD_TRY_ASSIGN(const bool goes_on, database_.has(*there, seen.mark));
  if (there->timeline > seen.timeline || !goes_on) seen = {};
  if (seen.lacks_some && fetches_) seen.others = 0;
  MEMD_TRY(pull(*there, copy, machine, seen.others));
  MEMD_TRY_ASSIGN(seen.own, push(*there, copy, machine, seen.own));
  MEMD_TRY_ASSIGN(seen.mark, database_.newest(*there));
  return write_seen(copy, {there->timeline, there->last_change, seen.own, !fetches_, there->identity, seen.mark});
}

Result<bool> TeamServer::bring(const team::TeamShare& there, const SharePlace& copy, const std::string& path) {
  MEMD_TRY_ASSIGN(const auto file, database_.content(there, path));
  if (file) MEMD_TRY(copy.write(path, *file));
  return file.has_value();
}

Result<std::size_t> TeamServer::bring(const std::string& project, const SharePlace& copy,
                                      const std::set<std::string>& paths) {
  std::size_t out = 0;
  MEMD_TRY_ASSIGN(const auto there, database_.look(project));
  for (const std::string& path : there ? paths : std::set<std::string>()) {
    MEMD_TRY_ASSIGN(const bool came, bring(*there, copy, path));
    out += came ? 1 : 0;
  }
  return out;
}

Result<void> TeamServer::pull(const team::TeamShare& there, const SharePlace& copy, const std::string& machine,
                              std::int64_t after) {
  while (after < there.last_change) {
    MEMD_TRY_ASSIGN(const auto files, database_.files_of_others(there, machine, after, there.last_change, fetches_));
    if (files.empty()) break;
    for (const team::TeamFile& file : files) {
      after = file.change;
      if (!is_of_share(file.path, file.machine)) continue;
      MEMD_TRY(file.is_removed ? copy.remove(file.path) : copy.write(file.path, file.content));
    }
  }
  return {};
}

Result<std::int64_t> TeamServer::push(const team::TeamShare& there, const SharePlace& copy, const std::string& machine,
                                      std::int64_t seen) {
  MEMD_TRY_ASSIGN(const auto own, database_.own_files(there, machine));
  std::int64_t newest = seen;
  std::map<std::string, std::string> known;  // path -> content, empty for files that never change
  for (const team::TeamFile& file : own) {
    newest = std::max(newest, file.change);
    if (file.is_removed) continue;
    known.emplace(file.path, file.content);
    if (file.change <= seen || !is_of_share(file.path, machine) || copy.read(file.path)) continue;
    MEMD_TRY(bring(there, copy, file.path));
  }
  if (!there.may_write) return newest;
  std::vector<team::TeamFile> changed;
  std::size_t bytes = 0;
  const auto send = [&]() -> Result<void> {
    if (changed.empty()) return {};
    MEMD_TRY_ASSIGN(const std::int64_t change, database_.write(there, std::exchange(changed, {})));
    newest = std::max(newest, change);
    bytes = 0;
    return {};
  };
  std::set<std::string> here;
  for (const std::string& path : copy.paths()) {
    const bool is_head = SharePlace::is_head(path);
    if (!is_head && SharePlace::machine_of(path) != machine) continue;
    here.insert(path);
    if (is_head && there.last_change > 0) continue;  // its first change made it
    const auto before = known.find(path);
    if (before != known.end() && before->second.empty()) continue;
    MEMD_TRY_ASSIGN(std::string file, copy.read(path));
    if (before != known.end() && before->second == file) continue;
    bytes += file.size();
    changed.push_back({path, is_head ? std::string() : machine, 0, false, std::move(file)});
    if (bytes >= kMostOfPush) MEMD_TRY(send());
  }
  for (const auto& [path, content] : known)
    if (!here.contains(path)) changed.push_back({path, machine, 0, true, {}});
  MEMD_TRY(send());
  return newest;
}

Result<std::vector<std::string>> TeamServer::exchange_rows(const std::string& project, const Member& self,
                                                           const std::vector<Session>& sessions, std::string model,
                                                           const Exchanges& exchanges) {
  MEMD_TRY_ASSIGN(const auto there, database_.look(project));
  if (!there || !there->has_rows) return std::vector<std::string>();
  if (!there->has_vectors) model.clear();
  MEMD_TRY_ASSIGN(const auto known, database_.sessions(*there, self.machine));
  std::map<std::string, std::string> marks;
  std::set<std::string> out;
  for (const team::TeamSession& one : known) {
    if (one.is_out) out.insert(one.uid);
    marks[one.uid] = one.mark;
  }
  for (const Session& session : sessions) {
    if (!there->may_write) break;
    const std::string mark = model.empty() ? session.mark : session.mark + " " + model;
    const auto before = marks.find(session.uid);
    if (out.contains(session.uid) || (!session.is_out && before != marks.end() && before->second == mark)) continue;
    if (session.is_out) {
      MEMD_TRY(database_.take_out(*there, self.machine, session.uid));
      continue;
    }
    std::map<std::int64_t, std::int64_t> hashes;
    std::set<std::int64_t> with_vectors;
    if (before != marks.end()) {  // else it has no rows there
      MEMD_TRY_ASSIGN(hashes, database_.row_hashes(*there, self.machine, session.uid));
    }
    if (before != marks.end() && !model.empty()) {
      MEMD_TRY_ASSIGN(with_vectors, database_.rows_with_vectors(*there, self.machine, session.uid, model));
    }
    MEMD_TRY_ASSIGN(auto changes, exchanges(session.uid, hashes, model.empty() ? nullptr : &with_vectors));
    for (const auto& some : batches_of(changes.bare))
      MEMD_TRY(database_.write_vectors(*there, self.machine, session.uid, some, model));
    team::TeamSession row{session.uid, self.name(), "", std::move(changes.title), "", false};
    if (const auto parts = split_session_uid(session.uid)) row.agent = to_string(parts->platform);
    auto batches = batches_of(changes.changed);
    if (batches.empty()) batches.emplace_back();  // the mark
    for (const auto& some : batches) {
      if (&some == &batches.back()) row.mark = mark;
      MEMD_TRY(database_.write_rows(*there, self.machine, row, std::exchange(changes.gone, {}), some, model));
    }
  }
  return std::vector<std::string>(out.begin(), out.end());
}

Result<void> TeamServer::exchange_memories(const std::string& project, const Member& self, const Memories& memories) {
  MEMD_TRY_ASSIGN(const auto there, database_.look(project));
  if (!there || !there->is_current || !there->may_write) return {};
  MEMD_TRY_ASSIGN(const auto hashes, database_.memory_hashes(*there, self.machine));
  const auto changes = memories(hashes);
  if (!changes || (changes->changed.empty() && changes->gone.empty())) return {};  // a damaged catalog is made anew
  return database_.write_memories(*there, self.machine, self.name(), changes->gone, changes->changed);
}

Result<bool> TeamServer::is_reader(const std::string& project) {
  MEMD_TRY_ASSIGN(const auto there, database_.look(project));
  return there && !there->may_write;
}

Result<bool> TeamServer::has_news(const std::string& project, const SharePlace& copy) {
  if (!database_.may_have_changed(project)) return false;
  MEMD_TRY_ASSIGN(const auto there, database_.look(project));
  const Seen seen = read_seen(copy);
  return !there || there->identity != seen.identity || there->timeline != seen.timeline ||
         there->last_change != seen.others || seen.lacks_some == fetches_;
}

Result<TeamServer::News> TeamServer::wait_for_news(const std::string& project) {
  News out;
  MEMD_TRY_ASSIGN(const bool listens, database_.listen(project));
  if (!listens) return out;
  out.are_here = database_.may_have_changed(project);
  out.socket = UniqueFd(::fcntl(database_.socket(), F_DUPFD_CLOEXEC, 0));
  if (!out.socket) return Error::from_errno(errno, "duplicate", "a socket");
  return out;
}

Result<std::vector<std::string>> TeamServer::verify(const std::string& project, const SharePlace& copy,
                                                    const std::string& machine, const std::set<std::string>& read) {
  MEMD_TRY_ASSIGN(const auto there, database_.look(project));
  if (!there) return Error(Errc::not_found, "the database has no share of the project, or not for this login");
  MEMD_TRY_ASSIGN(const auto hashes, database_.hashes(*there));
  Seen seen = read_seen(copy);
  std::vector<std::string> out;
  std::set<std::string> known;
  for (const team::TeamHash& one : hashes) {
    known.insert(one.path);
    const auto file = copy.read(one.path);
    if (file && sha256_hex(*file) != one.sha256)
      out.push_back(harmless_line(one.path) + ": the database has another content");
    if (file || read.contains(one.path) || !(fetches_ || SharePlace::machine_of(one.path) == machine)) continue;
    out.push_back(harmless_line(one.path) + ": it is in the database only; memd share sync");
    seen.lacks_some = seen.lacks_some || one.change <= seen.others;
  }
  if (seen.lacks_some) MEMD_TRY(write_seen(copy, seen));
  for (const auto& path : copy.paths())
    if (!known.contains(path) && SharePlace::machine_of(path) == machine && there->may_write)
      out.push_back(path + ": the database does not have it; memd share sync");
  return out;
}

}  // namespace memd::sharing
