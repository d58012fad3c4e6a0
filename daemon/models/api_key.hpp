#pragma once

#include "schemas/error.hpp"

#include <filesystem>
#include <string>

namespace memd::provider {

// Where a provider's key is. It is read for each request, so that a changed key is used at once. No message contains
// it.
struct ApiKeySource {
  std::string variable;  // of the environment
  std::filesystem::path file;
  std::string section = "embedding";  // of the configuration, for messages

  bool empty() const { return variable.empty() && file.empty(); }
};

// Reads the key; empty when the source is empty. Errc::bad_config: the variable is not set, the file cannot be read or
// others may read it, or its content is no key (one line of visible ASCII).
Result<std::string> read_api_key(const ApiKeySource& source);

}  // namespace memd::provider
