#include "daemon/ingest/known_sources.hpp"

#include <system_error>
#include <utility>

namespace memd {
namespace {

constexpr int kMostWitnesses = 16;

}  // namespace

void KnownSources::reload(std::vector<Source> sources) {
  sources_.clear();
  dirty_.clear();
  progress_.reset_sources();
  for (auto& source : sources) {
    progress_.saw(source, 0);
    progress_.committed(source);
    KnownSource& known = sources_[source.path];
    known.adapter = discovery_.adapter(source.platform);
    known.source = std::move(source);
  }
}

std::error_code KnownSources::find_all() {
  std::error_code unlisted;
  for (const auto& candidate : discovery_.find_all(&unlisted))
    add(candidate);
  for (const auto& [path, known] : sources_)
    if (known.source.state == SourceState::active && !dirty_.contains(path) && discovery_.classify(path))
      dirty_.add(path);
  return unlisted;
}

bool KnownSources::hint_known(const std::string& path) {
  const auto it = sources_.find(path);
  if (it == sources_.end()) return false;
  it->second.is_hinted = true;
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
  for (auto& [path, known] : sources_) {
    if (known.source.platform != whole.platform || !path.ends_with("/" + whole.name)) continue;
    known.is_hinted = true;
    dirty_.add(path);
  }
}

// What is not found there any more has to be looked at too.
void KnownSources::add_below(const std::string& directory) {
  const std::string prefix = directory + "/";
  for (auto it = sources_.lower_bound(prefix); it != sources_.end() && it->first.starts_with(prefix); ++it)
    if (it->second.source.state == SourceState::active) dirty_.add(it->first);
}

void KnownSources::add(const SourceCandidate& candidate) {
  auto [it, is_new] = sources_.try_emplace(candidate.path);
  if (is_new) {
    it->second.source.platform = candidate.platform;
    it->second.source.path = candidate.path;
    it->second.source.format = candidate.format;
  }
  it->second.adapter = discovery_.adapter(candidate.platform);
  dirty_.add(candidate.path);
  // How much there is to do is known before any of it is done.
  Source seen = it->second.source;
  seen.size = candidate.size;
  progress_.saw(seen, clock_.now());
}

KnownSource* KnownSources::find(const std::string& path) {
  const auto it = sources_.find(path);
  return it == sources_.end() ? nullptr : &it->second;
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
    const SourceIdentity& was = it->second.source.identity;
    if (was.inode == 0 || it->second.source.state != SourceState::active) continue;
    const PathLook now = look(it->first);
    if (now.error == 0 && now.inode == was.inode) return true;
    if (++tries == kMostWitnesses) break;
  }
  return false;
}

}  // namespace memd
