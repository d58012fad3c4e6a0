#include "adapters/adapter.hpp"
#include "adapters/claude_code/claude_code_adapter.hpp"
#include "adapters/imported/imported_adapter.hpp"
#include "adapters/thunderus/thunderus_adapter.hpp"

#include <array>

namespace memd {

std::span<const Adapter* const> all_adapters() {
  static const std::array<const Adapter*, 3> table{&claude_code::adapter(), &thunderus::adapter(),
                                                   &imported::adapter()};
  return table;
}

const Adapter* find_adapter(Platform platform) {
  for (const Adapter* a : all_adapters())
    if (a->describe().platform == platform) return a;
  return nullptr;
}

}  // namespace memd
