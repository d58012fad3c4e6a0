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
  bool network = false;  // the configuration names model servers
  bool mac = false;
  bool packaged_units = false;  // the package's units start this program, so that none are written
};

using CommandLine = std::vector<std::string>;

// Returns the service files and their contents. Errc::invalid_argument: a path cannot be written in such a file.
Result<std::vector<std::pair<std::filesystem::path, std::string>>> service_files(const ServiceSetup& setup);
// Returns every file that service_files() may have created, in this or another configuration.
std::vector<std::filesystem::path> all_service_files(const ServiceSetup& setup);
// Returns the topmost directory that only such files are in; it is removed with the last of them.
std::filesystem::path topmost_service_directory(const ServiceSetup& setup);

// Returns the links (link, target) by which systemd starts the units with the session, as `systemctl enable` makes
// them. For use when systemd does not answer.
std::vector<std::pair<std::filesystem::path, std::filesystem::path>> service_links(const ServiceSetup& setup);

// Return the commands by which the service manager loads and starts the service, and by which it stops it before the
// files are removed.
std::vector<CommandLine> start_service_commands(const ServiceSetup& setup);
std::vector<CommandLine> end_service_commands(const ServiceSetup& setup);

}  // namespace memd::setup
