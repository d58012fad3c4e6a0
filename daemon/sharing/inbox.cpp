#include "daemon/sharing/inbox.hpp"

#include "adapters/adapter.hpp"
#include "adapters/events_v1/line_ids.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/unique_fd.hpp"
#include "schemas/ids.hpp"
#include "store/files/system_calls.hpp"
#include "store/files/whole_file.hpp"
#include "store/text/redaction/redactor.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <system_error>

namespace memd::sharing {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kNameDigits = 32;

// Returns the lines whose events are not forgotten.
std::string without_forgotten(std::string lines, const Withheld& withheld) {
  const std::size_t size = lines.size();
  lines.append(kRecordPadding, '\0');
  std::string out;
  for (std::string_view rest = std::string_view(lines).substr(0, size); !rest.empty();) {
    const std::string_view line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
    const auto ids = events_v1::line_ids(line);
    const bool is_event = ids && ids->event.starts_with(events_v1::kEventIdPrefix);
    const auto event = is_event ? parse_key(ids->event.substr(events_v1::kEventIdPrefix.size())) : std::nullopt;
    if (!event || !withheld.has_event(*event)) out += line;
    rest.remove_prefix(line.size());
  }
  return out;
}

}  // namespace

Result<files::FileLock> Inbox::lock(std::chrono::milliseconds patience) const {
  return files::FileLock::take(directory_.parent_path() / "lock", patience);
}

fs::path Inbox::file_of(std::string_view session_uid) const {
  return directory_ / (sha256_hex(session_uid).substr(0, kNameDigits) + ".jsonl");
}

bool Inbox::has(std::string_view session_uid) const {
  std::error_code ec;
  return fs::exists(file_of(session_uid), ec);
}

std::vector<fs::path> Inbox::files() const {
  std::vector<fs::path> out;
  std::error_code ec;
  for (fs::directory_iterator it(directory_, ec), end; !ec && it != end; it.increment(ec))
    out.push_back(it->path());
  return out;
}

Result<void> Inbox::append(std::string_view session_uid, std::string_view lines) const {
  const fs::path file = file_of(session_uid);
  const UniqueFd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return Error::from_errno(errno, "open", file.string());
  struct stat s {};
  char last = '\n';
  if (::fstat(fd.get(), &s) == 0 && s.st_size > 0 && ::pread(fd.get(), &last, 1, s.st_size - 1) != 1)
    return Error::from_errno(errno, "read", file.string());
  const std::string text = (last == '\n' ? "" : "\n") + std::string(lines);
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t n = ::write(fd.get(), rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error::from_errno(errno, "write", file.string());
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
  if (files::sync_to_disk(fd.get()) != 0) return Error::from_errno(errno, "fsync", file.string());
  return {};
}

Result<void> Inbox::forget(const Withheld& withheld, std::string_view session_uid) const {
  const fs::path file = file_of(session_uid);
  if (withheld.has_session(session_uid)) {
    std::error_code ec;
    fs::remove(file, ec);
    return ec ? Result<void>(Error(ec, file.string())) : Result<void>();
  }
  if (!withheld.has_exchange_of(session_uid)) return {};
  const auto lines = files::read_whole(file);
  if (!lines) return lines.error().is(Errc::not_found) ? Result<void>() : lines.error();
  const std::string kept = without_forgotten(*lines, withheld);
  return kept == *lines ? Result<void>() : files::write_whole(file, kept, files::OnDisk::now);
}

Result<void> Inbox::mask(const redaction::ForgottenTexts& texts) const {
  for (const fs::path& file : files()) {
    MEMD_TRY_ASSIGN(std::string lines, files::read_whole(file));
    if (mask_forgotten(std::span<char>(lines), texts) > 0)
      MEMD_TRY(files::write_whole(file, lines, files::OnDisk::now));
  }
  return {};
}

}  // namespace memd::sharing
