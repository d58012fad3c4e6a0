#include "daemon/sharing/sharing.hpp"

#include "adapters/adapter.hpp"
#include "daemon/config/config.hpp"
#include "daemon/host/excluded_sessions.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/ingest/forgotten_turns.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/ingest/silent_places.hpp"
#include "daemon/interchange/session_walk.hpp"
#include "daemon/sharing/exchange.hpp"
#include "daemon/sharing/turn_vectors.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/harmless.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/time.hpp"
#include "schemas/ids.hpp"
#include "store/catalog/catalog_state.hpp"
#include "store/db/withheld.hpp"
#include "store/enrich/embedding/embedder.hpp"
#include "store/files/system_calls.hpp"
#include "store/files/whole_file.hpp"
#include "store/read/projects.hpp"
#include "store/seal/sealed_box.hpp"
#include "store/write/forgetting.hpp"
#include "store/write/share_rows.hpp"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

namespace memd::sharing {
namespace fs = std::filesystem;
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kEventsOfSegment = 5000;
constexpr std::size_t kMachineDigits = 16;
constexpr std::size_t kKeyDigits = 64;

Result<void> transact(MemoryHost& host, const std::function<void(sqlite::Database&)>& change) {
  return host.ingest()->perform([&](Writer& writer) { return writer.transact(change); });
}

SharedSegmentRow row_of(const std::string& name, const SegmentHead& head, std::size_t bytes, TimeMs now) {
  return {name, head.machine, head.session_id, head.events, static_cast<std::int64_t>(bytes), now};
}

// Shows that who said it knows the invitation. Hashed twice, so that nothing can be appended to what is said.
std::string proof_of(const std::string& said, const ShareRow& share) {
  return sha256_hex(share.invitation + sha256_hex(share.invitation + share.share_id + "\n" + said));
}

// What a box of a key contains: anybody can put something into a box for a member, so the key has a proof behind it.
std::string boxed(const std::string& key, const std::string& machine, const ShareRow& share) {
  return key + proof_of("key\n" + machine + "\n" + key, share);
}
std::optional<std::string> unboxed(const std::string& secret, const std::string& box, const std::string& machine,
                                   const ShareRow& share) {
  auto key = seal::open_box(secret, box);
  if (!key) return std::nullopt;
  const std::string text = *key;
  key->resize(std::min(key->size(), kKeyDigits));
  return boxed(*key, machine, share) == text ? key : std::nullopt;
}

Error nothing_shared(const fs::path& directory, const std::string& place, const std::string& project) {
  std::string shared;
  for (const auto& name : SharePlace::projects_at(directory))
    shared += (shared.empty() ? "; shared there: " : ", ") + harmless_line(name);
  return Error(Errc::not_found, place + " has no share of the project \"" + harmless_line(project) + "\"" + shared +
                                    "; memd share init --to PLACE --project P makes one");
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  const std::string whole(name.data());
  return whole.substr(0, whole.find('.'));
}

}  // namespace

Sharing::Sharing(MemoryHost& host)
    : host_(host), store_(Reader::in_background(host.settings().layout.database())), inbox_(host.settings().layout) {}

Result<Sharing> Sharing::open(MemoryHost& host) {
  Sharing out(host);
  MEMD_TRY(files::make_directories(out.directory()));
  const fs::path file = out.directory() / "key";
  auto key = files::read_whole(file);
  if (!key && key.error().is(Errc::not_found)) {
    MEMD_TRY_ASSIGN(const std::string made, seal::new_key());
    const auto created = files::create_whole(file, made, files::OnDisk::now);
    if (!created && !created.error().is(Errc::busy)) return created.error();
    key = files::read_whole(file);
  }
  if (!key) return key.error();
  out.secret_ = *key;
  MEMD_TRY_ASSIGN(const std::string id, seal::public_key_of(out.secret_));
  out.machine_ = id.substr(0, kMachineDigits);
  return out;
}

fs::path Sharing::directory() const { return host_.settings().layout.data_dir() / "shared"; }

Member Sharing::self(const ShareRow& share, bool left) const {
  Member out;
  out.machine = machine_;
  out.person = host_.settings().home.filename().string();
  if (out.person.empty()) out.person = "unknown";
  out.host = host_name();
  out.public_key = seal::public_key_of(secret_).value();
  out.left = left;
  if (!share.invitation.empty()) out.proof = proof_of(out.said(), share);
  return out;
}

std::vector<Member> Sharing::members(const ShareRow& share, const SharePlace& place) const {
  std::vector<Member> out = place.members();
  if (share.invitation.empty()) return out;
  std::erase_if(out, [&](const Member& m) {
    return m.public_key.substr(0, kMachineDigits) != m.machine || m.proof != proof_of(m.said(), share);
  });
  return out;
}

Result<SharePlace> Sharing::place_of(const ShareRow& share) const {
  MEMD_TRY_ASSIGN(const bool remote, is_remote(share.place));
  const fs::path copy = directory() / "copies" / sha256_hex(share.place).substr(0, kMachineDigits);
  if (remote) MEMD_TRY(files::make_directories(copy));
  return SharePlace::of(remote ? copy : fs::path(share.place), share.project);
}

TeamServer* Sharing::server_of(const ShareRow& share) {
  const auto is_server = TeamServer::is_meant(share.place);
  return is_server && *is_server
             ? &servers_.try_emplace(share.place, share.place, host_.settings().config.sharing.ask_server_ms == 0)
                    .first->second
             : nullptr;
}

Result<void> Sharing::exchange_files(const ShareRow& share) {
  MEMD_TRY_ASSIGN(const bool remote, is_remote(share.place));
  if (!remote) return {};
  MEMD_TRY_ASSIGN(const SharePlace copy, place_of(share));
  if (TeamServer* const server = server_of(share)) return server->exchange(share.project, copy, machine_);
  return exchange(share.place, share.project, copy, machine_, share.invitation);
}

// Waits until ingest has read all that there is.
Result<void> Sharing::read_all(const std::stop_token& stop) {
  while (!host_.ingest()->block_until_idle(100ms)) {
    if (stop.stop_requested()) return Error(Errc::cancelled, "memd is stopping");
    if (const std::string trouble = host_.ingest()->trouble(); !trouble.empty()) return Error(Errc::store, trouble);
  }
  return {};
}

// Returns the share of the project that a person means. What was typed is the name of a project that has no session
// here yet; a store that was never filled does not tell.
Result<ShareRow> Sharing::share_of(const std::string& place, const std::string& text) {
  if (text.empty()) return Error(Errc::invalid_argument, "--project: say which project is shared; memd project list");
  host_.ingest()->scan();
  MEMD_TRY(read_all({}));
  ShareRow out;
  out.place = place;
  const auto found = store_.ask(FindProjectQuery{text});
  if (!found && (!found.error().is(Errc::not_found) || text.find('/') != std::string::npos)) return found.error();
  // A part of a name is not enough to share what has it.
  const bool is_meant =
      found && (text.find('/') != std::string::npos || ascii::lowered(found->name) == ascii::lowered(text));
  out.project = is_meant ? found->name : text;
  if (is_meant) out.project_key = found->key;
  return out;
}

// Finds the project of a share that no session had when it was joined: the one of its name in which an agent of this
// machine has worked since.
Result<ShareRow> Sharing::bound(ShareRow share) {
  if (!share.project_key.empty()) return share;
  MEMD_TRY_ASSIGN(const auto keys, store_.ask(OwnProjectsQuery{share.project}));
  if (keys.size() > 1)
    return Error(Errc::invalid_argument, share.project + " is the name of " + std::to_string(keys.size()) +
                                             " projects here, such as " + recorded(keys.front()) + " and " +
                                             recorded(keys.back()) +
                                             ": memd share leave, and join with the path of one");
  if (keys.empty()) return share;
  share.project_key = keys.front();
  MEMD_TRY(transact(host_, [&](sqlite::Database& db) { shares::add(db, share); }));
  return share;
}

Result<ShareRow> Sharing::init(const std::string& place, const std::string& project, bool sealed) {
  MEMD_TRY_ASSIGN(ShareRow share, share_of(place, project));
  MEMD_TRY_ASSIGN(const bool remote, is_remote(place));
  std::error_code ec;
  if (!remote && !fs::is_directory(place, ec))
    return Error(Errc::not_found, place + " is no directory: make it, or mount it, first");
  MEMD_TRY_ASSIGN(const SharePlace at, place_of(share));
  MEMD_TRY(exchange_files(share));  // it may have one
  MEMD_TRY_ASSIGN(const std::string id, seal::new_key());
  share.share_id = id.substr(0, kMachineDigits);
  if (sealed) {
    MEMD_TRY_ASSIGN(share.invitation, seal::new_key());
  }
  const auto made = at.make({1, share.share_id, share.project, sealed});
  if (!made && made.error().is(Errc::busy))
    return Error(Errc::invalid_argument, at.directory().string() + " is a share already: memd share join");
  MEMD_TRY(made);
  MEMD_TRY(at.write(self(share, false)));
  if (const auto sent = exchange_files(share); !sent) {
    for (const std::string& path : at.paths())  // of the copy; a directory needs no exchange
      (void)at.remove(path);
    return sent.error();
  }
  if (const auto there = at.share(); !there || there->share != share.share_id)
    return Error(Errc::busy, "another machine has begun to share it at the same time: memd share join");
  MEMD_TRY(transact(host_, [&](sqlite::Database& db) { share.pk = shares::add(db, share); }));
  return share;
}

Result<ShareRow> Sharing::join(const std::string& place, const std::string& project, const std::string& invitation) {
  MEMD_TRY_ASSIGN(ShareRow share, share_of(place, project));
  share.invitation = invitation;
  MEMD_TRY(exchange_files(share));
  MEMD_TRY_ASSIGN(SharePlace at, place_of(share));
  // Who begins a share and who joins may write the name differently.
  for (const std::string& name : SharePlace::projects_at(at.directory().parent_path()))
    if (ascii::lowered(name) == ascii::lowered(share.project) && !at.share()) {
      share.project = name;
      MEMD_TRY_ASSIGN(at, place_of(share));
    }
  const auto file = at.share();
  if (!file)
    return file.error().is(Errc::not_found) ? nothing_shared(at.directory().parent_path(), place, share.project)
                                            : file.error();
  share.share_id = file->share;
  if (file->sealed && invitation.empty())
    return Error(Errc::invalid_argument,
                 "the share is sealed: --invitation takes the word that `memd share init` or `memd share status` "
                 "showed to a member");
  if (!file->sealed && !invitation.empty())
    return Error(
        Errc::permission,
        "--invitation: what is there says that it is not sealed, so anybody could read it. Ask who invited you, "
        "or join without");
  if (file->sealed && members(share, at).empty())
    return Error(Errc::permission, "--invitation: it is not the one of this share");
  MEMD_TRY(at.write(self(share, false)));
  MEMD_TRY(transact(host_, [&](sqlite::Database& db) { share.pk = shares::add(db, share); }));
  return share;
}

Result<std::string> Sharing::leave(const ShareRow& share) {
  // A place that is gone for good, or that cannot be written to, can be left, too.
  const auto say = [&]() -> Result<void> {
    MEMD_TRY_ASSIGN(const SharePlace place, place_of(share));
    MEMD_TRY(place.share());
    MEMD_TRY(place.write(self(share, true)));
    return exchange_files(share);
  };
  const auto said = say();
  MEMD_TRY(transact(host_, [&](sqlite::Database& db) { shares::remove(db, share.pk); }));
  return said ? std::string() : said.error().message();
}

// Returns what tells of a change: times of the place's directories and of what was forgotten, sessions to be written,
// memories. Empty: a change from now on might not be seen, because what is there has just changed, or is on a file
// system that reports no changes.
std::string Sharing::look(const ShareRow& share, const SharePlace& place) {
  std::string out;
  if (!file_system_of(place.directory()).silent.empty()) return out;
  const TimeMs now = host_.clock().now();
  auto paths = place.watched();
  paths.push_back(place.directory());
  paths.push_back(host_.settings().layout.withheld());
  for (const auto& path : paths) {
    struct stat s {};
    if (::stat(path.c_str(), &s) != 0) s = {};
    const auto changed = files::inode_changed_at(s);
    if (changed.tv_sec + 1 >= now / 1000) return {};
    out += fmt::format("{} {} {}.{}\n", path.native(), s.st_ino, changed.tv_sec, changed.tv_nsec);
  }
  const auto sessions = store_.ask(changed(share));
  if (!sessions) return {};
  for (const auto& session : *sessions)
    out += fmt::format("{} {}\n", session.session_uid, session.ingested_at);
  if (share.project_key.empty()) {
    const auto projects = store_.ask(OwnProjectsQuery{share.project});
    if (!projects || !projects->empty()) return {};
  }
  const auto memories = store_.ask(catalog::CatalogStatusQuery{});
  return memories ? out + std::to_string(memories->generation) : std::string();
}

ChangedSharedSessionsQuery Sharing::changed(const ShareRow& share) const {
  return {share.pk, machine_, share.project_key};
}

bool Sharing::is_as_before(const ShareRow& share) {
  const auto before = quiet_.find(share.pk);
  const auto place = place_of(share);
  if (before == quiet_.end() || !place) return false;
  if (TeamServer* const server = server_of(share)) {
    const auto news = server->has_news(share.project, *place);
    if (!news || *news) return false;
  } else if (const auto remote = is_remote(share.place); remote && *remote) {
    if (host_.clock().now() - before->second.since >= kLookAtHostEvery.count()) return false;
  }
  return before->second.seen == look(share, *place);
}

TeamServer::News Sharing::wait_for_news(const ShareRow& share) {
  TeamServer* const server = server_of(share);
  auto news = server != nullptr ? server->wait_for_news(share.project) : TeamServer::News();
  return news ? std::move(*news) : TeamServer::News();  // the next sync tells what is wrong
}

Result<Exchanged> Sharing::sync(const ShareRow& of_store, const std::stop_token& stop) {
  MEMD_TRY_ASSIGN(const ShareRow share, bound(of_store));
  quiet_.erase(share.pk);
  MEMD_TRY(files::make_directories(inbox_.directory()));
  MEMD_TRY_ASSIGN(const auto lock, inbox_.lock(60s));
  MEMD_TRY_ASSIGN(SharePlace place, place_of(share));
  MEMD_TRY(exchange_files(share));
  std::string seen = look(share, place);
  Work work{share, std::move(place)};
  const auto file = work.place.share();
  if (!file) return Error(file.error().code, share.place + ": " + file.error().message());
  if (file->share != share.share_id)
    return Error(Errc::permission, work.place.directory().string() +
                                       " is another share than the one that was joined: memd share leave, and join it");
  if (file->sealed == share.invitation.empty())
    return Error(Errc::permission, work.place.directory().string() + " says that it is " +
                                       (file->sealed ? "sealed" : "not sealed") + ", and it was joined otherwise");
  MEMD_TRY(admit(work));
  MEMD_TRY(load(work));
  if (!is_settled_) MEMD_TRY(settle(work, stop));
  MEMD_TRY(receive_all(work, stop));
  MEMD_TRY(take_out(work));
  if (TeamServer* const server = server_of(share)) {
    MEMD_TRY_ASSIGN(work.done.is_reader, server->is_reader(share.project));
  }
  if (!work.done.is_reader) MEMD_TRY(publish(work, stop));
  if (work.done.sent_segments > 0) MEMD_TRY(exchange_files(share));
  MEMD_TRY(exchange_rows(work));
  if (!seen.empty() && work.done.sent_segments + work.done.taken_segments + work.done.waiting == 0)
    quiet_[share.pk] = {std::move(seen), host_.clock().now()};
  return work.done;
}

// Writes this machine's file and keys of the share.
Result<void> Sharing::admit(Work& work) {
  for (const Member& member : members(work.share, work.place))
    work.members[member.machine] = member;
  const auto own = work.members.find(machine_);
  if (own == work.members.end() || own->second.left || own->second.name() != self(work.share, false).name()) {
    const Member written = self(work.share, false);
    MEMD_TRY(work.place.write(written));
    work.members[machine_] = written;
  }
  return work.share.invitation.empty() ? Result<void>() : write_keys(work);
}

// The key depends on who reads: after a member has left, another one seals. Each earlier key is in a box for each
// member, so that who comes later reads everything.
Result<void> Sharing::write_keys(Work& work) {
  std::string readers;
  for (const auto& [machine, member] : work.members)
    if (!member.left) readers += "\n" + machine;
  const std::string key = sha256_hex("memd share\n" + work.share.share_id + "\n" + secret_ + readers);
  MEMD_TRY_ASSIGN(work.cipher, seal::Cipher::from_key(key));
  std::map<std::string, std::string> keys{{hexadecimal(work.cipher->key_id()), key}};
  const auto names = work.place.keys(machine_);
  for (const std::string& name : names) {
    const auto dot = name.find('.');
    if (dot == std::string::npos || name.substr(dot + 1) != machine_) continue;
    const auto box = work.place.read_key(machine_, name);
    const auto opened = box ? unboxed(secret_, *box, machine_, work.share) : std::nullopt;
    if (opened) keys.emplace(name.substr(0, dot), *opened);
  }
  for (const auto& [id, text] : keys)
    for (const auto& [machine, member] : work.members) {
      const std::string name = id + "." + machine;
      if (member.left || std::find(names.begin(), names.end(), name) != names.end()) continue;
      MEMD_TRY_ASSIGN(const std::string box, seal::seal_box(member.public_key, boxed(text, machine_, work.share)));
      MEMD_TRY(work.place.write_key(machine_, name, box));
    }
  return {};
}

Result<Segment> Sharing::open_segment(const ShareRow& share, const SharePlace& place, const std::string& machine,
                                      std::string_view file) const {
  const auto cipher_of = [&](const std::string& key_id) -> Result<seal::CipherPtr> {
    const auto box = place.read_key(machine, key_id + "." + machine_);
    if (!box && box.error().is(Errc::not_found))
      return Error(Errc::not_found,
                   "the key of " + machine + " is not there yet: it comes with that machine's next sync");
    if (!box) return box.error();
    const auto key = unboxed(secret_, *box, machine, share);
    if (!key) return Error(Errc::permission, "the key " + harmless_line(key_id) + " was not sealed for this machine");
    return seal::Cipher::from_key(*key);
  };
  auto out = decode(file, cipher_of);
  if (out && !share.invitation.empty() && !out->is_sealed)
    return Error(Errc::permission, "it is not sealed, so anybody may have written it");
  return out;
}

// Reads what the store knows of the share, and what is to stay out of it.
Result<void> Sharing::load(Work& work) {
  MEMD_TRY_ASSIGN(const auto sessions, store_.ask(SharedSessionsQuery{work.share.pk}));
  for (const auto& session : sessions)
    work.sessions[session.session_uid] = session;
  MEMD_TRY_ASSIGN(const auto segments, store_.ask(SharedSegmentsQuery{work.share.pk}));
  const auto names = work.place.segments(machine_);
  const std::set<std::string> there(names.begin(), names.end());
  std::set<std::string> damaged;
  for (const auto& segment : segments)
    if (segment.machine == machine_ &&
        (!there.contains(segment.name) || (!is_settled_ && !work.place.has_segment(segment))))
      damaged.insert(segment.session_uid);
  for (const auto& segment : segments) {
    if (segment.machine == machine_ && damaged.contains(segment.session_uid)) {
      MEMD_TRY(work.place.remove_segment(machine_, segment.name));
      continue;
    }
    work.known.insert(segment.name);
    if (segment.machine == machine_)
      work.segments[segment.session_uid].push_back(segment.name);
    else
      work.of_others[segment.session_uid].push_back(segment);
    work.known_at = std::max(work.known_at, segment.known_at);
  }
  // A session of which the place has lost something is written anew.
  MEMD_TRY(transact(host_, [&](sqlite::Database& db) {
    for (const auto& uid : damaged)
      shares::remove_segments(db, work.share.pk, uid, machine_);
  }));
  for (const auto& uid : damaged) {
    SharedSessionRow& session = work.sessions[uid];
    if (session.is_out)
      MEMD_TRY(withdraw(work, uid));
    else
      MEMD_TRY(save(work, {{uid, 0, 0, 0, false}}));
  }
  MEMD_TRY_ASSIGN(const auto excluded, stored_though_excluded(host_));
  work.excluded.insert(excluded.begin(), excluded.end());
  return {};
}

Result<void> Sharing::write(Work& work, Segment segment) {
  SegmentHead& head = segment.head;
  const Member& me = work.members.at(machine_);
  head.share = work.share.share_id;
  head.machine = machine_;
  head.person = me.person;
  head.host = me.host;
  if (const auto parts = split_session_uid(head.session_id)) head.agent = to_string(parts->platform);
  head.written = format_rfc3339(host_.clock().now());
  const std::string file = encode(segment, work.cipher.get());
  const std::string name = name_of(file);
  MEMD_TRY(work.place.write_segment(machine_, name, file));
  work.known_at = std::max(work.known_at + 1, host_.clock().now());
  work.rows.push_back(row_of(name, head, file.size(), work.known_at));
  work.segments[head.session_id].push_back(name);
  work.known.insert(name);
  ++work.done.sent_segments;
  work.done.sent_events += head.events;
  return {};
}

Result<void> Sharing::save(Work& work, const std::vector<SharedSessionRow>& sessions) {
  MEMD_TRY(transact(host_, [&](sqlite::Database& db) {
    for (const auto& segment : work.rows)
      shares::add(db, work.share.pk, segment);
    for (const auto& session : sessions)
      shares::save(db, work.share.pk, session);
  }));
  work.rows.clear();
  for (const auto& session : sessions)
    work.sessions[session.session_uid] = session;
  return {};
}

// Removes this machine's segments of a session from the place, and tells the others that it is out.
Result<void> Sharing::withdraw(Work& work, const std::string& session_uid) {
  const auto segments = std::exchange(work.segments[session_uid], {});
  Segment word;
  word.head.session_id = session_uid;
  word.head.out = true;
  MEMD_TRY(write(work, std::move(word)));
  for (const auto& name : segments)
    MEMD_TRY(work.place.remove_segment(machine_, name));
  MEMD_TRY(transact(host_,
                    [&](sqlite::Database& db) { shares::remove_segments(db, work.share.pk, session_uid, machine_); }));
  return save(work, {{session_uid, 0, 0, 0, true}});
}

bool Sharing::has_text(const Work& work, const std::string& machine, const std::string& name,
                       const redaction::ForgottenTexts& texts) const {
  const auto file = work.place.read_segment(machine, name);
  const auto segment = file ? open_segment(work.share, work.place, machine, *file) : Result<Segment>(file.error());
  std::vector<redaction::Secret> found;
  if (segment) texts.find_escaped(segment->lines, found);
  return !found.empty();
}

// Takes out what was shared and may not be shared any more. A session of which a turn or a text was forgotten goes as a
// whole: its segments would have to be written anew, and others have read them.
Result<void> Sharing::take_out(Work& work) {
  MEMD_TRY_ASSIGN(const auto withheld, Withheld::open(host_.settings().layout.withheld()));
  const auto texts = withheld->texts();
  const bool look_for_texts = !texts->is_empty() && checked_tokens_ != texts->tokens();
  std::vector<std::string> out;
  for (const auto& [uid, session] : work.sessions) {
    if (session.is_out) continue;
    bool goes = withheld->has_session(uid) || withheld->has_exchange_of(uid) || work.excluded.contains(uid);
    for (const auto& name : look_for_texts && !goes ? work.segments[uid] : std::vector<std::string>())
      goes = goes || has_text(work, machine_, name, *texts);
    if (goes) out.push_back(uid);
  }
  for (const auto& uid : out)
    MEMD_TRY(withdraw(work, uid));
  // What this machine alone has forgotten of others.
  const bool has_copy = server_of(work.share) != nullptr;
  for (const auto& [uid, segments] : work.of_others) {
    MEMD_TRY(inbox_.forget(*withheld, uid));
    for (const auto& segment : segments) {
      if (!has_copy || segment.events == 0) continue;  // the word that it is out stays
      if (withheld->has_session(uid) || withheld->has_exchange_of(uid) ||
          (look_for_texts && has_text(work, segment.machine, segment.name, *texts)))
        MEMD_TRY(work.place.remove_segment(segment.machine, segment.name));
    }
  }
  if (look_for_texts) MEMD_TRY(inbox_.mask(*texts));
  if (look_for_texts) checked_tokens_ = texts->tokens();
  work.withheld = withheld;
  return {};
}

Result<void> Sharing::publish(Work& work, const std::stop_token& stop) {
  const auto& settings = host_.settings();
  RecordFinder records(settings.layout.database(), settings.layout.raw_dir(), raw::FrameSeal(settings.cipher));
  const interchange::AsOf as_of{host_.clock().now(), settings.config.sessions.stopped_after};
  MEMD_TRY_ASSIGN(const auto sessions, store_.ask(changed(work.share)));
  for (const auto& session : sessions) {
    if (stop.stop_requested()) break;
    const std::string& uid = session.session_uid;
    // It came through a share that was left: whoever wrote it there decides where else it goes.
    if (!session.is_of_machine && inbox_.has(uid)) continue;
    if (work.withheld->has_session(uid) || work.withheld->has_exchange_of(uid) || work.excluded.contains(uid)) continue;
    std::int64_t from = session.from_seq;
    do {
      const std::int64_t until = std::min(session.next_seq, from + kEventsOfSegment);
      Segment segment;
      const interchange::ExportSink sink{[&](std::string_view line) -> Result<void> {
                                           segment.lines.append(line).append(1, '\n');
                                           return {};
                                         },
                                         {},
                                         {from, until},
                                         false};
      MEMD_TRY_ASSIGN(const auto report, interchange::export_session(store_, records, session.session_pk, as_of, sink));
      const auto& before = work.segments[uid];
      segment.head.session_id = uid;
      segment.head.commit = session.commit;
      segment.head.previous = from == 0 || before.empty() ? std::string() : before.back();
      segment.head.events = report.events;
      segment.head.next_seq = until;
      segment.head.last_event = until == session.next_seq ? format_key(session.last_event) : std::string();
      MEMD_TRY(write(work, std::move(segment)));
      from = until;
    } while (from < session.next_seq);
    MEMD_TRY(save(work, {{uid, session.next_seq, session.last_event, session.ingested_at, false}}));
  }
  return {};
}

// What others took out is honoured here, too: where rows are asked, their segments do not come. What that withdraws
// goes with the next sync.
Result<void> Sharing::exchange_rows(Work& work) {
  TeamServer* const server = work.share.invitation.empty() ? server_of(work.share) : nullptr;
  if (server == nullptr) return {};
  std::vector<TeamServer::Session> own;
  for (const auto& [uid, session] : work.sessions)
    own.push_back(
        {uid, fmt::format("{} {} {}", session.next_seq, session.last_event, session.ingested_at), session.is_out});
  const TeamServer::Exchanges exchanges = [&](const std::string& uid, const auto& hashes, const auto* with_vectors) {
    return store_.ask(TeamExchangesQuery{uid, hashes, with_vectors, vectors_of});
  };
  const bool makes_vectors = host_.settings().config.embedding.makes_vectors();
  const std::string model = makes_vectors ? embedding::builtin_embedder().model().name : std::string();
  const Member& self = work.members.at(machine_);
  const TeamServer::Memories memories = [&](const auto& hashes) {
    return store_.ask(TeamMemoriesQuery{work.share.project, work.share.project_key, hashes});
  };
  MEMD_TRY(server->exchange_memories(work.share.project, self, memories));
  MEMD_TRY_ASSIGN(auto out, server->exchange_rows(work.share.project, self, own, model, exchanges));
  std::erase_if(out, [&](const std::string& uid) {
    const auto known = work.sessions.find(uid);
    return known != work.sessions.end() && known->second.is_out;
  });
  return honour(work, out);
}

// Takes in the segments that the store does not know. Own ones are among them after a kill, or when the store is an
// older one of a backup: their events come back.
Result<void> Sharing::receive(Work& work, const std::stop_token& stop) {
  struct Found {
    std::string name;
    std::size_t bytes = 0;
    SegmentHead head;  // the lines are read when it is taken in: there may be many
  };
  std::vector<Found> found;
  const auto waits = [&](const std::string& machine, const std::string& name, const Error& why) {
    if (work.done.waiting++ == 0)
      work.done.waiting_why = SharePlace::path_of_segment(machine, name) + ": " + why.message();
  };
  for (const auto& machine : work.place.machines()) {
    if (!work.share.invitation.empty() && !work.members.contains(machine)) continue;  // nobody vouches for it
    for (const auto& name : work.place.segments(machine)) {
      if (work.known.contains(name) || stop.stop_requested()) continue;
      const auto file = work.place.read_segment(machine, name);
      auto segment = file ? open_segment(work.share, work.place, machine, *file) : Result<Segment>(file.error());
      if (segment && (segment->head.machine != machine || segment->head.share != work.share.share_id))
        segment = Error(Errc::store_corrupt, "it belongs to another share or machine");
      if (segment && !is_of_one_session(*segment))
        segment = Error(Errc::store_corrupt, "it has lines of another session");
      if (segment)
        found.push_back({name, file->size(), std::move(segment->head)});
      else
        waits(machine, name, segment.error());
    }
  }
  std::vector<std::string> out;
  for (const Found& f : found)
    if (f.head.out) out.push_back(f.head.session_id);
  MEMD_TRY(honour(work, out));
  MEMD_TRY_ASSIGN(const auto withheld, Withheld::open(host_.settings().layout.withheld()));
  // Segments of a session come in the order in which they were written, whatever order their files arrive in.
  std::set<fs::path> files;
  std::map<std::string, SharedSessionRow> adopted;
  for (bool goes_on = true; std::exchange(goes_on, false);) {
    for (Found& f : found) {
      const SegmentHead& head = f.head;
      if (f.name.empty() || (!head.previous.empty() && !work.known.contains(head.previous))) continue;
      const auto session = work.sessions.find(head.session_id);
      const bool is_out = session != work.sessions.end() && session->second.is_out;
      if (!head.out && !is_out && !withheld->has_session(head.session_id)) {
        MEMD_TRY_ASSIGN(const std::string file, work.place.read_segment(head.machine, f.name));
        MEMD_TRY_ASSIGN(const Segment segment, open_segment(work.share, work.place, head.machine, file));
        MEMD_TRY(inbox_.append(head.session_id, segment.lines));
        files.insert(inbox_.file_of(head.session_id));
        ++work.done.taken_segments;
        work.done.taken_events += head.events;
        if (head.machine == machine_ && (session == work.sessions.end() || session->second.next_seq < head.next_seq))
          adopted[head.session_id] = {head.session_id, head.next_seq, parse_key(head.last_event).value_or(0), 0, false};
      }
      // It came back to the copy of a place: the word that the session is out is there already.
      if (head.machine == machine_ && is_out && !head.out) {
        MEMD_TRY(work.place.remove_segment(machine_, std::exchange(f.name, {})));
        continue;
      }
      if (head.machine == machine_) work.segments[head.session_id].push_back(f.name);
      work.known_at = std::max(work.known_at + 1, host_.clock().now());
      work.rows.push_back(row_of(f.name, head, f.bytes, work.known_at));
      work.known.insert(std::exchange(f.name, {}));
      goes_on = true;
    }
  }
  for (const Found& f : found) {
    if (f.name.empty()) continue;
    std::string before = SharePlace::path_of_segment(f.head.machine, f.head.previous);
    waits(f.head.machine, f.name,
          Error(Errc::not_found, "the segment before it is not there yet: " + harmless_line(before)));
    if (!work.place.read(before)) work.lacking.insert(std::move(before));
  }
  if (work.rows.empty() && files.empty()) return {};
  std::vector<SharedSessionRow> sessions;
  for (auto& [uid, row] : adopted)
    sessions.push_back(std::move(row));
  MEMD_TRY(save(work, sessions));
  return take(work, files, stop);
}

// Asks a database for segments that it passed over, whatever the reason.
Result<void> Sharing::receive_all(Work& work, const std::stop_token& stop) {
  TeamServer* const server = server_of(work.share);
  for (std::size_t came = 1; came > 0;) {
    work.lacking.clear();
    work.done.waiting = 0;
    work.done.waiting_why.clear();
    MEMD_TRY(receive(work, stop));
    if (server == nullptr || work.lacking.empty()) return {};
    MEMD_TRY_ASSIGN(came, server->bring(work.share.project, work.place, work.lacking));
  }
  return {};
}

// Has ingest read the files, waits for it, and notes who shared what came.
Result<void> Sharing::take(Work& work, const std::set<fs::path>& files, const std::stop_token& stop) {
  for (const auto& file : files)
    host_.ingest()->take({Platform::imported, file.string(), SourceFormat::jsonl});
  MEMD_TRY(read_all(stop));
  return transact(host_, [&](sqlite::Database& db) {
    for (const auto& [machine, member] : work.members)
      if (machine != machine_) shares::mark(db, machine, member.name());
    shares::join_projects(db, work.share);
  });
}

// A process that was killed may have left lines that ingest has not read.
Result<void> Sharing::settle(Work& work, const std::stop_token& stop) {
  const auto files = inbox_.files();
  MEMD_TRY(take(work, {files.begin(), files.end()}, stop));
  MEMD_TRY(transact(host_, [&](sqlite::Database& db) { shares::unmark_own(db); }));
  is_settled_ = true;
  return {};
}

// Forgets what others took out. A session that an agent of this machine has stays here, and leaves the share.
Result<void> Sharing::honour(Work& work, const std::vector<std::string>& out) {
  if (out.empty()) return {};
  const SharedByOthersQuery by_others{out};
  MEMD_TRY_ASSIGN(const auto gone, store_.ask(by_others));
  if (!gone.empty()) {
    const auto forgotten = host_.ingest()->perform([&](Writer& writer) -> Result<void> {
      MEMD_TRY(Forgetting(writer, judge_of_records).forget(gone));
      return {};
    });
    // The sessions are gone; the next start clears the traces.
    if (!forgotten && !forgotten.error().is(Errc::store_busy)) return forgotten;
  }
  std::vector<SharedSessionRow> sessions;
  for (const auto& uid : out) {
    std::error_code ignored;
    fs::remove(inbox_.file_of(uid), ignored);
    const auto session = work.sessions.find(uid);
    if (session != work.sessions.end() && session->second.is_out) continue;
    if (session != work.sessions.end() && !work.segments[uid].empty())
      MEMD_TRY(withdraw(work, uid));
    else
      sessions.push_back({uid, 0, 0, 0, true});
  }
  return save(work, sessions);
}

Result<std::vector<std::string>> Sharing::verify(const ShareRow& share) {
  MEMD_TRY_ASSIGN(const SharePlace place, place_of(share));
  MEMD_TRY(place.share());
  MEMD_TRY_ASSIGN(const auto segments, store_.ask(SharedSegmentsQuery{share.pk}));
  std::vector<std::string> out;
  if (TeamServer* const server = server_of(share)) {
    std::set<std::string> read;  // taken in, and forgotten here since
    for (const auto& segment : segments)
      if (segment.machine != machine_) read.insert(SharePlace::path_of_segment(segment.machine, segment.name));
    MEMD_TRY_ASSIGN(out, server->verify(share.project, place, machine_, read));
  }
  std::set<std::string> known;
  for (const auto& segment : segments) {
    known.insert(segment.name);
    const auto file = place.read_segment(segment.machine, segment.name);
    if (file) continue;
    const bool is_own = segment.machine == machine_;
    // Others remove segments of sessions that they take out.
    if (!is_own && file.error().is(Errc::not_found)) continue;
    out.push_back((is_own ? "own segment: " : "segment of " + segment.machine + ": ") + file.error().message());
  }
  for (const auto& machine : place.machines())
    for (const auto& name : place.segments(machine)) {
      if (known.contains(name)) continue;
      const auto file = place.read_segment(machine, name);
      const auto segment = file ? open_segment(share, place, machine, *file) : Result<Segment>(file.error());
      std::string why = segment ? segment->head.previous : segment.error().message();
      if (segment && !why.empty()) why = "it continues " + harmless_line(why);
      out.push_back("not read yet: " + name + " of " + machine + (why.empty() ? "" : "; " + why));
    }
  return out;
}

Result<std::int64_t> Sharing::copy(const ShareRow& share, const fs::path& directory) const {
  MEMD_TRY_ASSIGN(const SharePlace from, place_of(share));
  MEMD_TRY(from.share());
  std::error_code ec;
  if (!fs::is_directory(directory, ec)) return Error(Errc::not_found, directory.string() + " is no directory");
  MEMD_TRY_ASSIGN(const SharePlace to, SharePlace::of(directory, share.project));
  if (const auto there = to.share(); there && there->share != share.share_id)
    return Error(Errc::invalid_argument, to.directory().string() + " is another share already");
  const auto paths = from.paths();
  for (const std::string& path : paths) {
    MEMD_TRY_ASSIGN(const std::string file, from.read(path));
    MEMD_TRY(to.write(path, file));
  }
  return static_cast<std::int64_t>(paths.size());
}

}  // namespace memd::sharing
