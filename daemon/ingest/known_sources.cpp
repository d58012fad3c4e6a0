#include "daemon/ingest/known_sources.hpp"

#include "schemas/ids.hpp"
#include "store/raw/frame_codec.hpp"

#include <system_error>
#include <utility>

namespace memd {
namespace {

constexpr int kMostWitnesses = 16;

// Flags in the byte after state and platform.
constexpr std::uint64_t kHinted = 1;
constexpr std::uint64_t kNamedSession = 2;  // the session id follows from the file's name
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
  w.text(s.proof);
  if (!is_named) w.text(s.session_uid);
  w.text(s.mark);
  w.number(s.failures);
  w.difference(s.retry_at);
  return w.take();
}

std::string below(std::string_view directory) { return std::string(directory) + (directory.ends_with('/') ? "" : "/"); }

Platform platform_of(std::string_view packed) {
  raw::ByteReader r(packed);
  r.number();  // the state
  return static_cast<Platform>(r.number());
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
  s.proof = r.text();
  s.session_uid = (flags & kNamedSession) != 0 ? session_of_name(s.platform, path) : std::string(r.text());
  s.mark = r.text();
  s.failures = static_cast<std::uint32_t>(r.number());
  s.retry_at = r.difference();
  return (flags & kHinted) != 0;
}

}  // namespace

KnownSources::KnownSources(const Discovery& discovery, const Clock& clock, IngestProgress& progress)
    : discovery_(discovery), clock_(clock), progress_(progress) {}

void KnownSources::each_packed(std::string_view prefix, const Visitor& visit) const {
  for (auto it = packed_.lower_bound(prefix); it != packed_.end() && it->starts_with(prefix); ++it) {
    const auto end = it->find('\0');
    if (!visit(it->substr(0, end), std::string_view(*it).substr(end + 1))) return;
  }
}

std::optional<std::string_view> KnownSources::find_packed(const std::string& path) const {
  std::optional<std::string_view> found;
  each_packed(path + '\0', [&found](const std::string&, std::string_view packed) { return !(found = packed); });
  return found;
}

void KnownSources::erase_packed(const std::string& path) {
  if (const auto it = packed_.lower_bound(path + '\0'); it != packed_.end() && it->starts_with(path + '\0'))
    packed_.erase(it);
}

void KnownSources::put_packed(const KnownSource& known) {
  erase_packed(known.source.path);
  packed_.insert(known.source.path + '\0' + packed(known));
}

SourceState KnownSources::state_of(const std::string& path, std::string_view packed) const {
  const auto it = unpacked_.find(path);
  return it != unpacked_.end() ? it->second->source.state : static_cast<SourceState>(packed.front());
}

Source KnownSources::look_into(const std::string& path, std::string_view packed) const {
  if (const auto it = unpacked_.find(path); it != unpacked_.end()) return it->second->source;
  Source source;
  unpack(packed, path, source);
  return source;
}

KnownSource* KnownSources::find(const std::string& path) {
  if (const auto it = unpacked_.find(path); it != unpacked_.end()) return it->second.get();
  const auto packed = find_packed(path);
  if (!packed) return nullptr;
  auto known = std::make_unique<KnownSource>();
  known->is_hinted = unpack(*packed, path, known->source);
  known->adapter = discovery_.adapter(known->source.platform);
  return (unpacked_[path] = std::move(known)).get();
}

void KnownSources::pack(const std::string& path) {
  const auto it = unpacked_.find(path);
  if (it == unpacked_.end() || dirty_.contains(path)) return;
  const KnownSource& known = *it->second;
  // A source that is changed in place has more state than the packed form holds.
  const bool in_place = known.pass || known.needs_check || known.last_sent != 0;
  if (in_place || known.is_tailed || known.became_dirty || known.is_continued || known.let_others_pass) return;
  put_packed(known);
  unpacked_.erase(it);
}

void KnownSources::reload(std::vector<Source> sources) {
  unpacked_.clear();
  packed_.clear();
  dirty_.clear();
  progress_.reset_sources();
  for (auto& source : sources) {
    progress_.saw(source, 0);
    progress_.committed(source);
    KnownSource known;
    known.source = std::move(source);
    put_packed(known);
  }
}

std::error_code KnownSources::find_all() {
  std::error_code unlisted;
  for (const auto& candidate : discovery_.find_all(&unlisted))
    add(candidate);
  each_packed({}, [this](const std::string& path, std::string_view packed) {
    if (state_of(path, packed) == SourceState::active && !dirty_.contains(path) && discovery_.classify(path))
      dirty_.add(path);
    return true;
  });
  return unlisted;
}

bool KnownSources::hint_known(const std::string& path) {
  KnownSource* const known = find(path);
  if (known == nullptr) return false;
  known->is_hinted = true;
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
  if (!std::filesystem::is_regular_file(file, ec) || discovery_.is_second_name(file)) return;
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
  each_packed({}, [&](const std::string& path, std::string_view packed) {
    if (platform_of(packed) == whole.platform && path.ends_with("/" + whole.name)) hint_known(path);
    return true;
  });
}

// Known sources that were not found need a look too.
void KnownSources::add_below(const std::string& directory) {
  each_packed(below(directory), [this](const std::string& path, std::string_view packed) {
    if (state_of(path, packed) == SourceState::active) dirty_.add(path);
    return true;
  });
}

void KnownSources::add(const SourceCandidate& candidate) {
  if (!find_packed(candidate.path)) {
    KnownSource known;
    known.source.platform = candidate.platform;
    known.source.path = candidate.path;
    known.source.format = candidate.format;
    put_packed(known);
  }
  dirty_.add(candidate.path);
  // Adds the size before any reading, so that progress starts with the full total.
  Source seen = look_into(candidate.path, *find_packed(candidate.path));
  seen.size = candidate.size;
  progress_.saw(seen, clock_.now());
}

void KnownSources::written(const SourceSlice& slice) {
  KnownSource* const known = slice.size_is_estimate ? find(slice.source.path) : nullptr;
  if (known == nullptr) return;
  known->source.size = slice.source.size;
  known->source.cursor = slice.source.cursor;
  progress_.saw(known->source, clock_.now());
}

void KnownSources::forget(const std::string& path) {
  progress_.forget(path);
  unpacked_.erase(path);
  erase_packed(path);
}

bool KnownSources::has_witness(const std::filesystem::path& directory, const StatPath& look) const {
  int tries = 0;
  bool found = false;
  each_packed(below(directory.native()), [&](const std::string& path, std::string_view packed) {
    const SourceIdentity was = look_into(path, packed).identity;
    if (was.inode == 0 || state_of(path, packed) != SourceState::active) return true;
    const PathStat now = look(path);
    found = now.error == 0 && now.inode == was.inode;
    return !found && ++tries < kMostWitnesses;
  });
  return found;
}

}  // namespace memd
