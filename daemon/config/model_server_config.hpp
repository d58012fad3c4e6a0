#pragma once

#include <filesystem>
#include <string>

namespace memd {

// How a model that somebody serves is reached. Belongs to the preferred model's provider: no key goes to another one.
struct ModelServerConfig {
  std::string endpoint;     // empty: the provider's usual address
  std::string api_key_env;  // name of an environment variable
  std::filesystem::path api_key_file;
  int timeout_ms = 60'000;        // a request
  int connect_timeout_ms = 3000;  // of it, until the connection stands
};

}  // namespace memd
