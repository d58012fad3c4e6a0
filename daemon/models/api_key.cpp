#include "daemon/models/api_key.hpp"

#include "daemon/config/secret.hpp"
#include "schemas/base/error.hpp"

#include <cstdlib>

namespace memd::provider {

Result<std::string> read_api_key(const ApiKeySource& source) {
  if (!source.file.empty())
    return config::read_secret_file(source.file, source.section + ".api_key_file " + source.file.string());
  if (source.variable.empty()) return std::string();
  const std::string where = source.section + ".api_key_env: the environment variable " + source.variable;
  const char* value = std::getenv(source.variable.c_str());
  if (value == nullptr) return Error(Errc::bad_config, where + ": not set where memd was started");
  return config::checked_secret(value, where);
}

}  // namespace memd::provider
