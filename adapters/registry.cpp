#include "adapters/registry.hpp"

#include <array>
#include <utility>

namespace memd {
namespace {

template <std::size_t... I>
std::array<const Adapter*, sizeof...(I)> adapters_of(std::index_sequence<I...>) {
  return {&adapter<kAllPlatforms[I]>()...};
}

}  // namespace

std::span<const Adapter* const> all_adapters() {
  static const auto table = adapters_of(std::make_index_sequence<kAllPlatforms.size()>());
  return table;
}

const Adapter* find_adapter(Platform platform) {
  const auto at = static_cast<std::size_t>(platform);
  return at < all_adapters().size() ? all_adapters()[at] : nullptr;
}

}  // namespace memd
