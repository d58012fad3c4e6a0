#include "daemon/host/settings.hpp"

#include "adapters/registry.hpp"
#include "daemon/config/secret.hpp"
#include "schemas/base/error.hpp"
#include "store/files/path_name.hpp"

#include <pwd.h>
#include <unistd.h>
#include <cstdlib>
#include <system_error>

namespace memd {
namespace fs = std::filesystem;
namespace {

std::string value_of(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

fs::path absolute(const std::string& path) { return fs::absolute(path).lexically_normal(); }

Result<Config> find_config(const GlobalOptions& options, const Environment& environment) {
  if (options.config) return load_config(*options.config);
  const fs::path dir = environment.xdg_config_home.starts_with('/') ? fs::path(environment.xdg_config_home)
                                                                    : fs::path(environment.home) / ".config";
  const fs::path file = dir / "memd" / "config.yaml";
  std::error_code ec;
  if (!fs::exists(file, ec)) return Config{};
  return load_config(file);
}

}  // namespace

Environment Environment::current() {
  Environment e;
  e.home = value_of("HOME");
  if (e.home.empty()) {
    if (const passwd* user = ::getpwuid(::geteuid()); user != nullptr && user->pw_dir != nullptr) e.home = user->pw_dir;
  }
  e.xdg_data_home = value_of("XDG_DATA_HOME");
  e.xdg_config_home = value_of("XDG_CONFIG_HOME");
  e.xdg_runtime_dir = value_of("XDG_RUNTIME_DIR");
  e.variable = value_of;
  return e;
}

std::shared_ptr<seal::LazyCipher> make_cipher(const EncryptionConfig& config) {
  if (!config.is_set()) return nullptr;
  return std::make_shared<seal::LazyCipher>([config]() -> Result<seal::CipherPtr> {
    const std::string where =
        config.key_command.empty() ? "encryption.key_file " + config.key_file.string() : "encryption.key_command";
    MEMD_TRY_ASSIGN(const std::string key, config.key_command.empty()
                                               ? config::read_secret_file(config.key_file, where)
                                               : config::run_secret_command(config.key_command, where));
    auto cipher = seal::Cipher::from_key(key);
    if (!cipher) return Error(cipher.error().code, where + ": " + cipher.error().context);
    return cipher;
  });
}

Result<Settings> resolve_settings(const GlobalOptions& options, const Environment& environment) {
  fs::path data_dir;
  if (options.data_dir) {
    data_dir = absolute(*options.data_dir);
  } else {
    MEMD_TRY_ASSIGN(data_dir, default_data_dir({environment.xdg_data_home, environment.home}));
  }
  const std::string home = options.home.value_or(environment.home);
  if (home.empty()) return Error(Errc::bad_config, "$HOME is not set: say where to look with --home DIR");
  MEMD_TRY_ASSIGN(Config config, find_config(options, environment));
  MEMD_TRY(use_own_agents(config.own_agents));

  Settings s{StoreLayout(data_dir), !options.data_dir,           absolute(home),
             std::move(config),     environment.xdg_runtime_dir, {}};
  // Agents use these directories themselves. Another home has nothing to do with this process's variables, unless they
  // name places in it.
  s.agent_directory = [variable = environment.variable, home = s.home,
                       is_own = !options.home.has_value()](const char* name) -> fs::path {
    const std::string value = variable ? variable(name) : std::string();
    if (!value.starts_with('/')) return {};
    fs::path directory = absolute(value);
    if (!directory.has_filename()) directory = directory.parent_path();
    return is_own || files::is_inside(directory, home) ? directory : fs::path();
  };
  if (options.data_dir) s.forward.insert(s.forward.end(), {"--data-dir", data_dir.string()});
  if (options.home) s.forward.insert(s.forward.end(), {"--home", s.home.string()});
  if (options.project) s.project = absolute(*options.project);
  s.cipher = make_cipher(s.config.encryption);
  if (options.config) s.forward.insert(s.forward.end(), {"--config", absolute(*options.config).string()});
  return s;
}

}  // namespace memd
