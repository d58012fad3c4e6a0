#include "adapters/registry.hpp"

#include <array>
#include <utility>

namespace memd {
namespace {

template <std::size_t... I>
std::array<const Adapter*, sizeof...(I)> adapters_of(std::index_sequence<I...>) {
  return {&adapter<kPlatforms[I].id>()...};
}

}  // namespace

std::span<const Adapter* const> all_adapters() {
  static const auto table = adapters_of(std::make_index_sequence<kPlatforms.size()>());
  return table;
}

const Adapter* find_adapter(Platform platform) {
  const PlatformInfo* info = find_platform(platform);
  return info == nullptr ? nullptr : all_adapters()[static_cast<std::size_t>(info - platforms().data())];
}

}  // namespace memd
