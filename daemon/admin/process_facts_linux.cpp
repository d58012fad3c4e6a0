#include "daemon/admin/process_facts.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <system_error>

namespace memd::admin {

std::uint64_t resident_bytes() {
  std::ifstream in("/proc/self/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  if (!(in >> total >> resident)) return 0;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

bool program_was_replaced() {
  std::error_code ec;
  return std::filesystem::read_symlink("/proc/self/exe", ec).native().ends_with(" (deleted)");
}

}  // namespace memd::admin
