#include "daemon/host/settings.hpp"

#include <pwd.h>
#include <unistd.h>
#include <cstdlib>
#include <system_error>

namespace memd {
namespace fs = std::filesystem;
namespace {

std::string variable(const char* name) {
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
  e.home = variable("HOME");
  if (e.home.empty()) {
    if (const passwd* user = ::getpwuid(::geteuid()); user != nullptr && user->pw_dir != nullptr) e.home = user->pw_dir;
  }
  e.xdg_data_home = variable("XDG_DATA_HOME");
  e.xdg_config_home = variable("XDG_CONFIG_HOME");
  e.xdg_runtime_dir = variable("XDG_RUNTIME_DIR");
  e.claude_config_dir = variable("CLAUDE_CONFIG_DIR");
  return e;
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

  Settings s{StoreLayout(data_dir), !options.data_dir,           absolute(home),
             std::move(config),     environment.xdg_runtime_dir, {}};
  // Claude Code itself moves to this directory; an explicit --home or configured path says otherwise.
  auto& claude = s.config.platforms[Platform::claude_code];
  if (!environment.claude_config_dir.empty() && !options.home && claude.paths.empty())
    claude.paths = {absolute(environment.claude_config_dir) / "projects", s.home / ".claude" / "projects",
                    s.home / ".config" / "claude" / "projects"};
  if (options.data_dir) s.forward.insert(s.forward.end(), {"--data-dir", data_dir.string()});
  if (options.home) s.forward.insert(s.forward.end(), {"--home", s.home.string()});
  if (options.config) s.forward.insert(s.forward.end(), {"--config", absolute(*options.config).string()});
  return s;
}

}  // namespace memd
