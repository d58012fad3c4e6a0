#pragma once

#include <filesystem>

// What the machine offers to work that can wait. Thread-safe.
namespace memd::machine {

// Where Linux lists power supplies.
inline constexpr const char* kPowerSupplies = "/sys/class/power_supply";

// Returns whether a battery of the machine is being discharged while no mains supply is online; false where it is not
// known. macOS tells it without `supplies`.
bool is_on_battery(const std::filesystem::path& supplies);

// Returns whether more threads want to run, in the average of the last minute, than there are cores. False where it is
// not known.
bool is_busy();

}  // namespace memd::machine
