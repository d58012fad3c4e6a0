#pragma once

#include "schemas/error.hpp"

#include <filesystem>
#include <string>

namespace memd::provider {

// Where a provider's key is; read when it is needed, so that a changed key is used at once. No message holds it.
struct ApiKeySource {
  std::string variable;  // of the environment
  std::filesystem::path file;
  std::string section = "embedding";  // of the configuration, for messages

  bool empty() const { return variable.empty() && file.empty(); }
};

// Empty when the source is. Errc::bad_config: the variable is not set, the file cannot be read, others may read it, or
// what it holds is no key (one line of visible ASCII).
Result<std::string> read_api_key(const ApiKeySource& source);

}  // namespace memd::provider
