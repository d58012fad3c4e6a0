#include "schemas/pull_request.hpp"

#include "schemas/base/ascii.hpp"

#include <algorithm>
#include <array>

namespace memd {
namespace {

constexpr std::size_t kAddressBytes = 300;
constexpr std::string_view kScheme = "https://";
constexpr std::array<std::string_view, 4> kKinds{"/pull/", "/pulls/", "/-/merge_requests/", "/pull-requests/"};

}  // namespace

bool is_of_address(char c) {
  return ascii::is_alnum(c) || std::string_view("-._~:/").find(c) != std::string_view::npos;
}

bool is_pull_request(std::string_view address) {
  if (address.size() > kAddressBytes || !address.starts_with(kScheme)) return false;
  if (!std::all_of(address.begin(), address.end(), is_of_address)) return false;
  const auto number = address.find_last_not_of("0123456789") + 1;
  if (number == address.size()) return false;
  const std::string_view before = address.substr(0, number);
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(), [&](std::string_view k) { return before.ends_with(k); });
  if (kind == kKinds.end()) return false;
  // A host, an owner and a name.
  const std::string_view where = before.substr(kScheme.size(), before.size() - kScheme.size() - kind->size());
  return !where.starts_with('/') && !where.ends_with('/') && std::count(where.begin(), where.end(), '/') >= 2;
}

}  // namespace memd
