#include "daemon/ingest/known_sources.hpp"

#include "schemas/ids.hpp"
#include "store/raw/frame_codec.hpp"

#include <system_error>
#include <utility>

namespace memd {
namespace {

constexpr int kMostWitnesses = 16;

// Of the byte behind state and platform.
constexpr std::uint64_t kHinted = 1;
constexpr std::uint64_t kNamedSession = 2;  // the session is what the file is named after
constexpr std::uint64_t kReadToEnd = 4;

std::string session_of_name(Platform platform, const std::string& path) {
  return make_session_uid(platform, std::filesystem::path(path).stem().native());
}

std::string packed(const KnownSource& known) {
  const Source& s = known.source;
  const bool is_named = s.session_uid == session_of_name(s.platform, s.path);
  const bool is_read = s.cursor == s.size;
  raw::ByteWriter w;
  w.number(static_cast<std::uint64_t>(s.state));
  w.number(static_cast<std::uint64_t>(s.platform));
  w.number((known.is_hinted ? kHinted : 0) | (is_named ? kNamedSession : 0) | (is_read ? kReadToEnd : 0));
  w.number(static_cast<std::uint64_t>(s.format));
  w.difference(s.id);
  w.text(s.state_reason);
  w.number(s.identity.device);
  w.number(s.identity.inode);
  w.fixed64(s.identity.head_hash);
  w.number(s.identity.head_length);
  w.number(s.size);
  w.difference(s.mtime);
  if (!is_read) w.number(s.cursor);
  w.number(s.generation);
  w.text(s.open_tail);
  if (!is_named) w.text(s.session_uid);
  w.text(s.mark);
  w.number(s.failures);
  w.difference(s.retry_at);
  std::string out = w.take();
  out.shrink_to_fit();
  return out;
}

bool unpack(std::string_view bytes, const std::string& path, Source& s) {
  raw::ByteReader r(bytes);
  s.path = path;
  s.state = static_cast<SourceState>(r.number());
  s.platform = static_cast<Platform>(r.number());
  const auto flags = r.number();
  s.format = static_cast<SourceFormat>(r.number());
  s.id = r.difference();
  s.state_reason = r.text();
  s.identity.device = r.number();
  s.identity.inode = r.number();
  s.identity.head_hash = r.fixed64();
  s.identity.head_length = static_cast<std::uint32_t>(r.number());
  s.size = r.number();
  s.mtime = r.difference();
  s.cursor = (flags & kReadToEnd) != 0 ? s.size : r.number();
  s.generation = static_cast<std::uint32_t>(r.number());
  s.open_tail = r.text();
  s.session_uid = (flags & kNamedSession) != 0 ? session_of_name(s.platform, path) : std::string(r.text());
  s.mark = r.text();
  s.failures = static_cast<std::uint32_t>(r.number());
  s.retry_at = r.difference();
  return (flags & kHinted) != 0;
}

}  // namespace

SourceState KnownSources::Place::state() const {
  return awake ? awake->source.state : static_cast<SourceState>(packed.front());
}

Platform KnownSources::Place::platform() const {
  return awake ? awake->source.platform : static_cast<Platform>(packed[1]);
}

Source KnownSources::look_into(const std::string& path, const Place& place) const {
  if (place.awake) return place.awake->source;
  Source source;
  unpack(place.packed, path, source);
  return source;
}

KnownSource& KnownSources::wake(const std::string& path, Place& place) {
  if (place.awake) return *place.awake;
  place.awake = std::make_unique<KnownSource>();
  if (!place.packed.empty()) place.awake->is_hinted = unpack(place.packed, path, place.awake->source);
  std::string().swap(place.packed);
  place.awake->adapter = discovery_.adapter(place.awake->source.platform);
  return *place.awake;
}

void KnownSources::rest(const std::string& path) {
  const auto it = sources_.find(path);
  if (it == sources_.end() || !it->second.awake || dirty_.contains(path)) return;
  const KnownSource& known = *it->second.awake;
  // Of a source that is changed in place there is more to be known.
  const bool in_place = known.pass || known.needs_check || known.last_sent != 0;
  if (in_place || known.is_tailed || known.became_dirty || known.let_others_pass) return;
  it->second.packed = packed(known);
  it->second.awake.reset();
}

void KnownSources::reload(std::vector<Source> sources) {
  sources_.clear();
  dirty_.clear();
  progress_.reset_sources();
  for (auto& source : sources) {
    progress_.saw(source, 0);
    progress_.committed(source);
    KnownSource known;
    known.source = std::move(source);
    sources_[known.source.path].packed = packed(known);
  }
}

std::error_code KnownSources::find_all() {
  std::error_code unlisted;
  for (const auto& candidate : discovery_.find_all(&unlisted))
    add(candidate);
  for (const auto& [path, place] : sources_)
    if (place.state() == SourceState::active && !dirty_.contains(path) && discovery_.classify(path)) dirty_.add(path);
  return unlisted;
}

bool KnownSources::hint_known(const std::string& path) {
  const auto it = sources_.find(path);
  if (it == sources_.end()) return false;
  wake(path, it->second).is_hinted = true;
  dirty_.add(path);
  return true;
}

std::error_code KnownSources::hint(const std::string& path) {
  if (hint_known(path)) return {};
  std::error_code unlisted;
  const auto source = discovery_.classify(path);
  if (source && !std::filesystem::is_directory(path, unlisted)) {
    hint(*source, path);
    return {};
  }
  if (const auto whole = discovery_.part_of(path)) {
    add_named(*whole);
    return {};
  }
  unlisted.clear();
  for (const auto& candidate : discovery_.find(path, &unlisted))
    add(candidate);
  add_below(path);
  return unlisted;
}

void KnownSources::hint(const SourceCandidate& source, const std::string& file) {
  if (hint_known(source.path)) return;
  std::error_code ec;
  if (!std::filesystem::is_regular_file(file, ec)) return;
  SourceCandidate found = source;
  const auto size = std::filesystem::file_size(source.path, ec);
  found.size = ec ? 0 : size;
  add(found);
}

void KnownSources::take(SourceCandidate file) {
  if (hint_known(file.path)) return;
  if (auto own = discovery_.classify(file.path)) {
    own->size = file.size;
    file = std::move(*own);
  }
  add(file);
}

void KnownSources::add_named(const Discovery::NamedSource& whole) {
  for (auto& [path, place] : sources_) {
    if (place.platform() != whole.platform || !path.ends_with("/" + whole.name)) continue;
    wake(path, place).is_hinted = true;
    dirty_.add(path);
  }
}

// What is not found there any more has to be looked at too.
void KnownSources::add_below(const std::string& directory) {
  const std::string prefix = directory + "/";
  for (auto it = sources_.lower_bound(prefix); it != sources_.end() && it->first.starts_with(prefix); ++it)
    if (it->second.state() == SourceState::active) dirty_.add(it->first);
}

void KnownSources::add(const SourceCandidate& candidate) {
  auto [it, is_new] = sources_.try_emplace(candidate.path);
  if (is_new) {
    KnownSource known;
    known.source.platform = candidate.platform;
    known.source.path = candidate.path;
    known.source.format = candidate.format;
    it->second.packed = packed(known);
  }
  dirty_.add(candidate.path);
  // How much there is to do is known before any of it is done.
  Source seen = look_into(candidate.path, it->second);
  seen.size = candidate.size;
  progress_.saw(seen, clock_.now());
}

void KnownSources::written(const SourceSlice& slice) {
  KnownSource* const known = slice.sized_by_ledger ? find(slice.source.path) : nullptr;
  if (known == nullptr) return;
  known->source.size = slice.source.size;
  known->source.cursor = slice.source.cursor;
  progress_.saw(known->source, clock_.now());
}

KnownSource* KnownSources::find(const std::string& path) {
  const auto it = sources_.find(path);
  return it == sources_.end() ? nullptr : &wake(path, it->second);
}

void KnownSources::forget(const std::string& path) {
  progress_.forget(path);
  sources_.erase(path);
}

bool KnownSources::has_witness(const std::filesystem::path& directory, const LookAtPath& look) const {
  int tries = 0;
  for (auto it = sources_.lower_bound(directory.string()); it != sources_.end(); ++it) {
    if (!is_inside(it->first, directory)) {
      if (!it->first.starts_with(directory.native())) break;
      continue;
    }
    const SourceIdentity was = look_into(it->first, it->second).identity;
    if (was.inode == 0 || it->second.state() != SourceState::active) continue;
    const PathLook now = look(it->first);
    if (now.error == 0 && now.inode == was.inode) return true;
    if (++tries == kMostWitnesses) break;
  }
  return false;
}

}  // namespace memd
