#pragma once

#include "daemon/cli/command_reports.hpp"
#include "daemon/host/settings.hpp"
#include "schemas/base/result.hpp"

#include <string>
#include <vector>

// The daemon as a service of the user, and the registration of memd with clients. Each function reports what it did.
// One thread.
namespace memd::cli {

// Writes the service files (launchd on macOS, else systemd) and has the service manager start them; afterwards one
// daemon runs. If the service manager does not answer, the files are written nevertheless.
Result<ServiceReport> install_service(const Settings& settings, bool dry_run);
Result<ServiceReport> remove_service(const Settings& settings, bool dry_run);

// Lets the service, if it is installed, reach the places of the shares, and `place`, but none that was shared before.
// Restarts it if that changes something, and says so on stderr.
Result<void> open_places(const Settings& settings, const std::string& place = {});

// Removes memd from the configuration of every client found here.
Result<std::vector<ClientChange>> unregister_everywhere(const Settings& settings, bool dry_run);

// Prints a warning to stderr if the running daemon has another version than this program.
void tell_of_other_version(const Settings& settings);

}  // namespace memd::cli
