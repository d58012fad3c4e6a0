#pragma once

#include "daemon/config/config.hpp"
#include "schemas/base/result.hpp"
#include "store/db/store_layout.hpp"
#include "store/seal/cipher.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memd {

// The options common to all commands, as typed.
struct GlobalOptions {
  std::optional<std::string> data_dir;
  std::optional<std::string> home;
  std::optional<std::string> config;
  std::optional<std::string> project;
  bool json = false;
};

// The environment variables that memd reads. Empty: not set.
struct Environment {
  std::string home;  // $HOME, else the password database
  std::string xdg_data_home;
  std::string xdg_config_home;
  std::string xdg_runtime_dir;
  std::function<std::string(const char* name)> variable = nullptr;  // any other one; null: none is set

  static Environment current();
};

// The settings that are fixed before any file is opened.
struct Settings {
  StoreLayout layout;
  bool default_data_dir = true;  // true unless --data-dir was given
  std::filesystem::path home;    // where agents' storage is searched for
  Config config;
  std::string runtime_dir;                     // $XDG_RUNTIME_DIR, may be empty
  std::vector<std::string> forward;            // global options passed on to a daemon that this process starts
  std::filesystem::path project{};             // --project, absolute; empty: not given
  std::shared_ptr<seal::LazyCipher> cipher{};  // cipher of the configured key; null: no key is configured
  // HomeLayout::directory_of. With --home, only directories in that home.
  std::function<std::filesystem::path(const char* name)> agent_directory{};
  std::string command{};  // "memd forget": the command that runs; empty: memd serves
};

// Returns the cipher of the configured key, or null when no key is configured. The key is fetched on first use.
std::shared_ptr<seal::LazyCipher> make_cipher(const EncryptionConfig& config);

// Precedence: --data-dir, $XDG_DATA_HOME, ~/.local/share/memd; --config, $XDG_CONFIG_HOME/memd/config.yaml,
// ~/.config/memd/config.yaml (the latter two only if they exist). Errc::bad_config says what is wrong.
Result<Settings> resolve_settings(const GlobalOptions& options, const Environment& environment);

}  // namespace memd
