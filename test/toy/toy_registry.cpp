#include "adapters/registry.hpp"

namespace memd {

// A registry with only the Toy of docs/adding-a-platform.md, so that the test links without the other adapters.
std::span<const Adapter* const> all_adapters() {
  static const Adapter* const table[]{&adapter<Platform::toy>()};
  return table;
}

}  // namespace memd
