#include "daemon/models/api_key.hpp"

#include "protocol/transport/byte_stream.hpp"
#include "schemas/ascii.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace memd::provider {
namespace {

constexpr std::size_t kLongestKey = 4096;

Error wrong(const std::string& where, std::string_view what) {
  return Error(Errc::bad_config, where + ": " + std::string(what));
}

Result<std::string> checked(std::string_view text, const std::string& where) {
  text = ascii::trimmed(text);
  if (text.empty()) return wrong(where, "it holds no key");
  if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return c <= ' ' || c >= 0x7F; }))
    return wrong(where, "a key is one line of visible ASCII");
  return std::string(text);
}

Result<std::string> read_file(const std::filesystem::path& file, const std::string& section) {
  const std::string where = section + ".api_key_file " + file.string();
  const UniqueFd in(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!in) return wrong(where, std::strerror(errno));
  struct ::stat st {};  // of what was opened, not of what the name means by now
  if (::fstat(in.get(), &st) != 0 || !S_ISREG(st.st_mode)) return wrong(where, "not a file");
  if (st.st_uid != ::geteuid() && st.st_uid != 0) return wrong(where, "it belongs to another user");
  if ((st.st_mode & 077) != 0) return wrong(where, "others may read it: chmod 600 " + file.string());
  std::array<char, kLongestKey + 1> buffer{};
  const auto got = ::read(in.get(), buffer.data(), buffer.size());
  if (got < 0) return wrong(where, std::strerror(errno));
  if (static_cast<std::size_t>(got) > kLongestKey) return wrong(where, "too long for a key");
  return checked({buffer.data(), static_cast<std::size_t>(got)}, where);
}

}  // namespace

Result<std::string> read_api_key(const ApiKeySource& source) {
  if (!source.file.empty()) return read_file(source.file, source.section);
  if (source.variable.empty()) return std::string();
  const std::string where = source.section + ".api_key_env: the environment variable " + source.variable;
  const char* value = std::getenv(source.variable.c_str());
  if (value == nullptr) return wrong(where, "not set where memd was started");
  return checked(value, where);
}

}  // namespace memd::provider
