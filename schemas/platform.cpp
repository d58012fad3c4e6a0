#include "schemas/platform.hpp"

#include "schemas/base/reflected_name.hpp"

#include <algorithm>

namespace memd {

std::span<const PlatformInfo> platforms() { return kPlatforms; }

const PlatformInfo* find_platform(Platform id) {
  const auto all = platforms();
  const auto at = std::ranges::lower_bound(all, id, {}, &PlatformInfo::id);
  return at != all.end() && at->id == id ? &*at : nullptr;
}

std::string_view to_string(Platform p) {
  const PlatformInfo* info = find_platform(p);
  return info == nullptr ? "unknown" : info->key;
}

std::string_view name_of(Platform id) {
  const PlatformInfo* info = find_platform(id);
  return info == nullptr ? "unknown" : info->name;
}

std::optional<Platform> parse_platform(std::string_view key) {
  if (key == "claude") return Platform::claude_code;
  for (const PlatformInfo& platform : platforms())
    if (platform.key == key) return platform.id;
  return std::nullopt;
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
