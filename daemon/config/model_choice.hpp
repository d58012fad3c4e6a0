#pragma once

#include <string>

namespace memd {

// A model and who serves it.
template <class Provider>
struct ModelChoice {
  Provider provider = Provider();  // the first of the enumeration is what holds unless said otherwise
  std::string model;               // empty: the provider's only one
  bool operator==(const ModelChoice&) const = default;
};

}  // namespace memd
