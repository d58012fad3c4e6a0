#include "adapters/adapter.hpp"
#include "adapters/claude_code/claude_code_adapter.hpp"
#include "adapters/cline/cline_adapter.hpp"
#include "adapters/grok/grok_adapter.hpp"

#include <array>

namespace memd {

std::span<const Adapter* const> all_adapters() {
  static const std::array<const Adapter*, 3> table{&claude_code::adapter(), &cline::adapter(), &grok::adapter()};
  return table;
}

const Adapter* find_adapter(Platform platform) {
  for (const Adapter* a : all_adapters())
    if (a->describe().platform == platform) return a;
  return nullptr;
}

}  // namespace memd
