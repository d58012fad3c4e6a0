#include "daemon/ingest/silent_places.hpp"

#include "store/files/path_name.hpp"

#include <sys/stat.h>
#ifdef __linux__
#include <sys/vfs.h>
#endif

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace memd {
namespace fs = std::filesystem;
namespace {

constexpr const char* kByExperience = "changes without events";

#ifdef __linux__
struct SilentType {
  std::uint32_t magic;
  std::string_view name;
};
// From linux/magic.h and stat(1). Another host, a lower layer or the host of a virtual machine writes to these.
// Virtiofs and most file systems of programs report fuse.
constexpr std::array<SilentType, 22> kSilentTypes{
    {{0x6969, "nfs"},        {0x517B, "smb"},         {0xFF534D42, "cifs"},   {0xFE534D42, "smb2"},
     {0x65735546, "fuse"},   {0x794C7630, "overlay"}, {0x61756673, "aufs"},   {0x01021997, "9p"},
     {0x786F4256, "vboxsf"}, {0xBACBACBC, "vmhgfs"},  {0x7C7C6673, "prl_fs"}, {0x00C36400, "ceph"},
     {0x5346414F, "afs"},    {0x6B414653, "kafs"},    {0x73757245, "coda"},   {0x0BD00BD0, "lustre"},
     {0x47504653, "gpfs"},   {0x19830326, "beegfs"},  {0x01161970, "gfs2"},   {0x7461636F, "ocfs2"},
     {0xAAD7AAEA, "panfs"},  {0x20030528, "orangefs"}}};
#endif

}  // namespace

FileSystem file_system_of(const fs::path& path) {
  FileSystem out;
  struct ::stat st {};
  if (::stat(path.c_str(), &st) != 0) return out;
  out.device = st.st_dev;
#ifdef __linux__
  struct ::statfs about {};
  if (::statfs(path.c_str(), &about) != 0) return out;
  const auto magic = static_cast<std::uint32_t>(about.f_type);
  const auto type = std::find_if(kSilentTypes.begin(), kSilentTypes.end(),
                                 [&](const SilentType& silent) { return silent.magic == magic; });
  if (type != kSilentTypes.end()) out.silent = type->name;
#endif
  return out;
}

const fs::path* SilentPlaces::root_of(const fs::path& path) const {
  const auto root =
      std::find_if(roots_.begin(), roots_.end(), [&](const fs::path& r) { return files::is_inside(path, r); });
  return root == roots_.end() ? nullptr : &*root;
}

SilentPlaces::Place* SilentPlaces::place_of(const fs::path& path) {
  const auto place =
      std::find_if(places_.begin(), places_.end(), [&](const auto& p) { return files::is_inside(path, p.first); });
  return place == places_.end() ? nullptr : &place->second;
}

void SilentPlaces::add(const fs::path& place, std::string why, bool by_experience, Time now) {
  std::erase_if(places_, [&](const auto& inner) { return files::is_inside(inner.first, place); });
  places_[place.native()] = {std::move(why), by_experience, pauses_.first, now + pauses_.first, 0};
}

void SilentPlaces::look_at_roots(Time now) {
  devices_.clear();  // a number may belong to another file system now
  for (const fs::path& root : roots_) {
    FileSystem on = file_system_(root);
    if (on.device == 0) continue;
    devices_[on.device] = on.silent;
    const auto known = places_.find(root.native());
    if (on.silent.empty()) {
      if (known != places_.end() && !known->second.by_experience) places_.erase(known);
    } else if (place_of(root) == nullptr) {
      add(root, std::move(on.silent), false, now);
    }
  }
}

void SilentPlaces::saw(const std::string& source, std::uint64_t device, Time now) {
  if (device == 0) return;
  auto known = devices_.find(device);
  if (known == devices_.end()) known = devices_.emplace(device, file_system_(source).silent).first;
  if (known->second.empty() || place_of(source) != nullptr) return;
  const fs::path* root = root_of(source);
  if (root == nullptr) return;
  // The topmost directory on this device.
  fs::path place = fs::path(source).parent_path();
  while (place != *root && files::is_inside(place.parent_path(), *root) &&
         file_system_(place.parent_path()).device == device)
    place = place.parent_path();
  add(files::is_inside(place, *root) ? place : *root, known->second, false, now);
}

void SilentPlaces::found_untold(const std::string& source, Time now) {
  if (place_of(source) != nullptr) return found(source, now);
  if (const fs::path* root = root_of(source)) add(*root, kByExperience, true, now);
}

void SilentPlaces::found(const std::string& source, Time now) {
  Place* place = place_of(source);
  if (place == nullptr) return;
  place->quiet_looks = 0;
  place->pause = pauses_.first;
  place->due = std::min(place->due, now + place->pause);
}

std::vector<std::string> SilentPlaces::take_due(Time now) {
  std::vector<std::string> out;
  for (auto& [path, place] : places_) {
    if (place.due > now) continue;
    out.push_back(path);
    place.due = Time::max();  // until looked_at()
  }
  return out;
}

void SilentPlaces::looked_at(const std::string& path, Time now, std::chrono::nanoseconds took) {
  const auto it = places_.find(path);
  if (it == places_.end()) return;
  Place& place = it->second;
  if (place.by_experience && ++place.quiet_looks > pauses_.quiet_looks) {
    places_.erase(it);
    return;
  }
  const auto least = std::chrono::ceil<Duration>(took * pauses_.times);
  place.due = now + std::max(place.pause, least);
  place.pause = std::min(place.pause * 2, pauses_.longest);
}

std::optional<SilentPlaces::Time> SilentPlaces::next() const {
  std::optional<Time> out;
  for (const auto& [path, place] : places_)
    if (place.due != Time::max() && (!out || place.due < *out)) out = place.due;
  return out;
}

std::vector<SilentPlaces::Description> SilentPlaces::describe() const {
  std::vector<Description> out;
  for (const auto& [path, place] : places_)
    out.push_back({path, place.why, std::chrono::duration_cast<std::chrono::seconds>(place.pause)});
  return out;
}

}  // namespace memd
