#include "store/files/own_executable.hpp"

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace memd::files {

namespace fs = std::filesystem;

fs::path own_executable() {
  std::error_code ec;
#ifdef __APPLE__
  std::array<char, 4096> buffer{};
  auto size = static_cast<std::uint32_t>(buffer.size());
  if (::_NSGetExecutablePath(buffer.data(), &size) == 0) return fs::canonical(buffer.data(), ec);
#endif
  const fs::path path = fs::read_symlink("/proc/self/exe", ec);
  if (ec) return fs::absolute("memd", ec);
  // The executable was replaced while running: the new one.
  constexpr std::string_view deleted = " (deleted)";
  const std::string text = path.native();
  if (text.ends_with(deleted)) {
    const fs::path replaced = text.substr(0, text.size() - deleted.size());
    if (fs::exists(replaced, ec)) return replaced;
    return "/proc/self/exe";
  }
  return path;
}

}  // namespace memd::files
