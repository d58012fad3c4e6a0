#pragma once

#include "daemon/cli/command_reports.hpp"
#include "daemon/host/settings.hpp"
#include "schemas/error.hpp"

#include <vector>

// The daemon as the user's service, and memd in the files of clients. Each tells what it did. One thread.
namespace memd::cli {

// Writes the units (of launchd on a Mac), has the service manager start them, and ends in one daemon. Without a service
// manager that answers the files are written all the same.
Result<ServiceReport> install_service(const Settings& settings, bool dry_run);
Result<ServiceReport> remove_service(const Settings& settings, bool dry_run);

// Removes memd from the configuration of every client found here.
Result<std::vector<ClientChange>> unregister_everywhere(const Settings& settings, bool dry_run);

// Says on stderr when the daemon that runs is another version than this program.
void tell_of_other_version(const Settings& settings);

}  // namespace memd::cli
