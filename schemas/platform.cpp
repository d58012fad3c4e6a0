#include "schemas/platform.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/reflected_name.hpp"

#include <algorithm>
#include <map>
#include <mutex>

namespace memd {
namespace {

// Empty: only the built-in platforms.
std::vector<PlatformInfo>& all_platforms() {
  static std::vector<PlatformInfo> all;
  return all;
}

// Keys of platforms that are stored and not known any more.
class FormerKeys {
 public:
  void add(Platform id, std::string_view key) {
    const std::lock_guard lock(mutex_);
    keys_.try_emplace(id, key);
  }
  std::string_view find(Platform id) {
    const std::lock_guard lock(mutex_);
    const auto it = keys_.find(id);
    return it == keys_.end() ? "unknown" : std::string_view(it->second);
  }

 private:
  std::mutex mutex_;
  std::map<Platform, std::string> keys_;
};

FormerKeys& former_keys() {
  static FormerKeys keys;
  return keys;
}

}  // namespace

std::span<const PlatformInfo> platforms() {
  const auto& all = all_platforms();
  return all.empty() ? std::span<const PlatformInfo>(kPlatforms) : all;
}

void set_own_platforms(std::vector<PlatformInfo> own) {
  auto& all = all_platforms();
  all.clear();
  if (own.empty()) return;
  all.assign(kPlatforms.begin(), kPlatforms.end());
  std::ranges::sort(own, {}, &PlatformInfo::id);
  all.insert(all.end(), own.begin(), own.end());
}

Platform own_platform(std::string_view key) {
  return static_cast<Platform>(kOwnPlatform | (hash64(key) & (kOwnPlatform - 1u)));
}

const PlatformInfo* find_platform(Platform id) {
  const auto all = platforms();
  const auto at = std::ranges::lower_bound(all, id, {}, &PlatformInfo::id);
  return at != all.end() && at->id == id ? &*at : nullptr;
}

std::string_view to_string(Platform p) {
  const PlatformInfo* info = find_platform(p);
  return info == nullptr ? former_keys().find(p) : info->key;
}

std::string_view name_of(Platform id) {
  const PlatformInfo* info = find_platform(id);
  return info == nullptr ? former_keys().find(id) : info->name;
}

namespace {

// Returns "claude_code" for "Claude Code" and "claude-code".
std::string as_key(std::string_view name) {
  std::string out = ascii::lowered(name);
  std::ranges::replace_if(
      out, [](char c) { return c == ' ' || c == '-'; }, '_');
  return out;
}

}  // namespace

std::optional<Platform> parse_platform(std::string_view key) {
  const std::string typed = as_key(key);
  if (typed == "claude") return Platform::claude_code;
  for (const PlatformInfo& platform : platforms())
    if (platform.key == key || as_key(platform.key) == typed || as_key(platform.name) == typed) return platform.id;
  return std::nullopt;
}

Platform stored_platform(std::string_view key) {
  if (const auto known = parse_platform(key)) return *known;
  const Platform id = own_platform(key);
  former_keys().add(id, key);
  return id;
}

std::vector<Capability> all_capabilities_but(std::initializer_list<Capability> missing) {
  std::vector<Capability> out;
  for (const Capability c : kAllCapabilities)
    if (std::find(missing.begin(), missing.end(), c) == missing.end()) out.push_back(c);
  return out;
}

std::string_view to_string(Capability c) { return reflect::enum_name(c, "unknown"); }

std::string_view to_string(DataCompleteness c) { return reflect::enum_name(c, "unknown"); }

std::optional<DataCompleteness> parse_data_completeness(std::string_view text) {
  return reflect::enum_of<DataCompleteness>(text);
}

std::string_view to_string(AdapterStatus s) { return reflect::enum_name(s, "unknown"); }

bool supports_contract(std::string_view version) {
  const auto major = [](std::string_view v) { return v.substr(0, v.find('.')); };
  return version.find('.') != std::string_view::npos && major(version) == major(kContractVersion);
}

}  // namespace memd
