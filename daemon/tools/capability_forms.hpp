#pragma once

#include "daemon/tools/capabilities.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace memd::tools {

// An answer of capabilities, written, and what its larger form costs.
struct CapabilitiesForm {
  std::string text;
  std::string json;
  std::size_t tokens = 0;
};

// The answer whole, then with less and less detail: first goes what tells of agents that have no history here, at last
// what tells them apart. Each names what it left out and the call that gives all of it.
std::vector<CapabilitiesForm> capability_forms(const CapabilitiesAnswer& whole);

}  // namespace memd::tools
