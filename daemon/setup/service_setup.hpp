#pragma once

#include "daemon/setup/registration.hpp"
#include "schemas/base/result.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace memd::setup {

// The parameters of the daemon as a user service: systemd units or a launchd agent.
struct ServiceSetup {
  ServerProgram program;
  std::filesystem::path home;
  std::filesystem::path config_home;
  std::filesystem::path data_dir;
  std::filesystem::path socket;
  bool default_data_dir = true;
  bool network = false;               // the configuration names model servers
  std::vector<std::string> shared{};  // places of shares
  bool mac = false;
  bool packaged_units = false;  // the package's units start this program, so that none are written
};

using CommandLine = std::vector<std::string>;

using ServiceText = std::pair<std::filesystem::path, std::string>;  // a file and its contents

// Return the service files but for the next one, and the drop-in of the unit that opens the places of shares; its
// contents are empty if it is not needed. Errc::invalid_argument: a path cannot be written in such a file.
Result<std::vector<ServiceText>> service_files(const ServiceSetup& setup);
Result<ServiceText> share_drop_in(const ServiceSetup& setup);
// Returns every file that was ever one of these, in this or another configuration.
std::vector<std::filesystem::path> all_service_files(const ServiceSetup& setup);
// Returns whether the service is installed, for this store.
bool is_installed(const ServiceSetup& setup);
// Returns the topmost directory that only such files are in; it is removed with the last of them.
std::filesystem::path topmost_service_directory(const ServiceSetup& setup);

// Returns the links (link, target) by which systemd starts the units with the session, as `systemctl enable` makes
// them. For use when systemd does not answer.
std::vector<std::pair<std::filesystem::path, std::filesystem::path>> service_links(const ServiceSetup& setup);

// Return the commands by which the service manager loads and starts the service, by which systemd takes over a changed
// drop-in, and by which the manager stops the service before the files are removed.
std::vector<CommandLine> start_service_commands(const ServiceSetup& setup);
std::vector<CommandLine> reload_service_commands();
std::vector<CommandLine> end_service_commands(const ServiceSetup& setup);

}  // namespace memd::setup
