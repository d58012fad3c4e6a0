#include "daemon/config/secret.hpp"

#include "daemon/child_process.hpp"
#include "protocol/transport/byte_stream.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace memd::config {
namespace {

constexpr std::size_t kLongestSecret = 4096;

Error wrong(const std::string& where, std::string_view what) {
  return Error(Errc::bad_config, where + ": " + std::string(what));
}

}  // namespace

Result<std::string> checked_secret(std::string_view text, const std::string& where) {
  text = ascii::trimmed(text);
  if (text.empty()) return wrong(where, "it holds no key");
  if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return c <= ' ' || c >= 0x7F; }))
    return wrong(where, "a key is one line of visible ASCII");
  return std::string(text);
}

Result<std::string> read_secret_file(const std::filesystem::path& file, const std::string& where) {
  const UniqueFd in(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!in) return wrong(where, std::strerror(errno));
  struct ::stat st {};  // of the opened file, because the name may refer to another one by now
  if (::fstat(in.get(), &st) != 0 || !S_ISREG(st.st_mode)) return wrong(where, "not a file");
  if (st.st_uid != ::geteuid() && st.st_uid != 0) return wrong(where, "it belongs to another user");
  if ((st.st_mode & 077) != 0) return wrong(where, "others may read it: chmod 600 " + file.string());
  std::array<char, kLongestSecret + 1> buffer{};
  const auto got = ::read(in.get(), buffer.data(), buffer.size());
  if (got < 0) return wrong(where, std::strerror(errno));
  if (static_cast<std::size_t>(got) > kLongestSecret) return wrong(where, "too long for a key");
  return checked_secret({buffer.data(), static_cast<std::size_t>(got)}, where);
}

Result<std::string> run_secret_command(const std::vector<std::string>& command, const std::string& where,
                                       std::chrono::milliseconds patience) {
  ChildCommand child;
  child.arguments = command;
  child.patience = patience;
  child.most_output = kLongestSecret;
  const auto output = run_child(child);
  if (!output && output.error().is(Errc::unsupported)) return wrong(where, command.front() + " prints more than a key");
  if (!output) return wrong(where, output.error().context);
  if (output->exit_code != 0)
    return wrong(where, command.front() + " failed with " + std::to_string(output->exit_code));
  return checked_secret(output->text, where);
}

}  // namespace memd::config
