#pragma once

#include "daemon/setup/registration.hpp"
#include "schemas/error.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace memd::setup {

// The daemon as a service of the user: units of systemd, or an agent of launchd.
struct ServiceSetup {
  ServerProgram program;
  std::filesystem::path home;
  std::filesystem::path config_home;
  std::filesystem::path data_dir;
  std::filesystem::path socket;
  bool default_data_dir = true;
  bool network = false;  // the configuration names servers of models
  bool mac = false;
  bool packaged_units = false;  // the package's units start this program, so none need to be written
};

using CommandLine = std::vector<std::string>;

// The files of the service and what they are to hold. Errc::invalid_argument: a path cannot be written there.
Result<std::vector<std::pair<std::filesystem::path, std::string>>> service_files(const ServiceSetup& setup);
// Returns every file that service_files() may have created, in this or another configuration.
std::vector<std::filesystem::path> all_service_files(const ServiceSetup& setup);

// The links that have systemd start the units with the session, as `systemctl enable` makes them: for where it does not
// answer. Link and target.
std::vector<std::pair<std::filesystem::path, std::filesystem::path>> service_links(const ServiceSetup& setup);

// What has the service manager take the files, and start; and what ends it, before they go.
std::vector<CommandLine> start_service_commands(const ServiceSetup& setup);
std::vector<CommandLine> end_service_commands(const ServiceSetup& setup);

}  // namespace memd::setup
