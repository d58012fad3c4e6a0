#pragma once

#include "daemon/config/config.hpp"
#include "schemas/error.hpp"
#include "store/db/store_layout.hpp"
#include "store/seal/cipher.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memd {

// Options every command takes, as given.
struct GlobalOptions {
  std::optional<std::string> data_dir;
  std::optional<std::string> home;
  std::optional<std::string> config;
  std::optional<std::string> project;
  bool json = false;
};

// The environment variables that matter. Empty: not set.
struct Environment {
  std::string home;  // $HOME, else the password database
  std::string xdg_data_home;
  std::string xdg_config_home;
  std::string xdg_runtime_dir;
  std::string claude_config_dir;

  static Environment current();
};

// Everything decided before anything is opened.
struct Settings {
  StoreLayout layout;
  bool default_data_dir = true;  // not chosen with --data-dir
  std::filesystem::path home;    // where agents' storage is looked for
  Config config;
  std::string runtime_dir;                     // $XDG_RUNTIME_DIR, may be empty
  std::vector<std::string> forward;            // global options that a daemon started from here needs too
  std::filesystem::path project{};             // --project, absolute; empty: not given
  std::shared_ptr<seal::LazyCipher> cipher{};  // of the configured key; null: none is configured
};

// The cipher of the configured key, which is fetched when it is first needed; null when none is configured.
std::shared_ptr<seal::LazyCipher> make_cipher(const EncryptionConfig& config);

// --data-dir over $XDG_DATA_HOME over ~/.local/share/memd; --config over $XDG_CONFIG_HOME/memd/config.yaml over
// ~/.config/memd/config.yaml (the latter two only if they exist). Errc::bad_config names what is wrong.
Result<Settings> resolve_settings(const GlobalOptions& options, const Environment& environment);

}  // namespace memd
