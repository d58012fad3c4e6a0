#pragma once

#include "daemon/host/settings.hpp"
#include "schemas/error.hpp"

// The daemon as the user's service, and its end and start from the command line. Each prints what it did and gives the
// exit code. One thread.
namespace memd::cli {

// Writes the units (of launchd on a Mac), has the service manager start them, and ends in one daemon. Without a service
// manager that answers the files are written all the same, and the exit code is 1.
Result<int> install_service(const Settings& settings, bool dry_run);
Result<int> remove_service(const Settings& settings, bool dry_run);

// Says on stderr when the daemon that runs is another version than this program.
void tell_of_other_version(const Settings& settings);

}  // namespace memd::cli
