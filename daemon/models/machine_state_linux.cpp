#include "daemon/models/machine_state.hpp"

#include <fstream>
#include <string>
#include <system_error>

namespace memd::machine {
namespace {

std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

}  // namespace

bool is_on_battery(const std::filesystem::path& supplies) {
  bool is_discharging = false;
  std::error_code ec;
  for (std::filesystem::directory_iterator it(supplies, ec), end; !ec && it != end; it.increment(ec)) {
    const std::string type = first_line(it->path() / "type");
    if (type == "Mains" && first_line(it->path() / "online") == "1") return false;
    // "Device": the battery of a mouse or a keyboard.
    const bool is_of_machine = type == "Battery" && first_line(it->path() / "scope") != "Device";
    if (is_of_machine && first_line(it->path() / "status") == "Discharging") is_discharging = true;
  }
  return is_discharging;
}

}  // namespace memd::machine
