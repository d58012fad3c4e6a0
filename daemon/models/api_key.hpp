#pragma once

#include "schemas/base/result.hpp"

#include <filesystem>
#include <string>

namespace memd::provider {

// The location of a provider's key. The key is read for each request, so that a changed key takes effect at once. No
// message contains it.
struct ApiKeySource {
  std::string variable;  // environment variable
  std::filesystem::path file;
  std::string section = "embedding";  // section of the configuration, for messages

  bool empty() const { return variable.empty() && file.empty(); }
};

// Reads the key; empty when the source is empty. Errc::bad_config: the variable is not set, the file cannot be read or
// is readable by others, or its content is not a key (one line of visible ASCII).
Result<std::string> read_api_key(const ApiKeySource& source);

}  // namespace memd::provider
