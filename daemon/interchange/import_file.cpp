#include "daemon/interchange/import_file.hpp"

#include "adapters/events_v1/foreign_export.hpp"
#include "daemon/interchange/output_file.hpp"
#include "daemon/interchange/sealed_file.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "store/files/whole_file.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace memd::interchange {
namespace fs = std::filesystem;
namespace {

// Opens and locks a directory; none if it is not there, or is locked otherwise.
UniqueFd lock_directory(const fs::path& directory, int how) {
  UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (fd && ::flock(fd.get(), how) != 0) fd.reset();
  return fd;
}

// Returns the first bytes of a file; empty if it cannot be read.
std::string head_of(const fs::path& file) {
  std::array<char, 8192> head{};
  std::ifstream in(file, std::ios::binary);
  in.read(head.data(), head.size());
  return {head.data(), static_cast<std::size_t>(in.gcount())};
}

}  // namespace

Result<ImportFile> ImportFile::open(const std::string& given, const fs::path& copies, seal::LazyCipher* cipher) {
  const auto path = fs::absolute(given).lexically_normal();
  const bool sealed = is_sealed_file(path);
  const std::string head = head_of(path);
  if (head.starts_with("PK\x03\x04"))
    return Error(Errc::unsupported, path.string() +
                                        ": unpack this archive, and import its conversations.json "
                                        "(claude.ai, ChatGPT) or MyActivity.json (Google Takeout)");
  const auto format = sealed ? events_v1::ExportFormat::none : events_v1::export_format(head);
  if (!sealed && format == events_v1::ExportFormat::none) return ImportFile(given, {}, {});
  std::error_code ec;
  fs::create_directory(copies, ec);
  if (!ec) fs::permissions(copies, fs::perms::owner_all, ec);
  if (ec) return Error(ec, "make " + copies.string());
  remove_left_copies(copies);
  auto locked = lock_directory(copies, LOCK_SH);
  if (!locked) return Error::from_errno(errno, "lock", copies.string());
  auto copy = copies / fmt::format("{}-{:016x}.jsonl", path.stem().string(), hash64(path.string()));
  MEMD_TRY_ASSIGN(auto out, OutputFile::open(copy));
  events_v1::ConvertedExport converted;
  if (sealed) {
    MEMD_TRY(open_sealed_file(path, cipher, [&](std::string_view bytes) { return out.bytes(bytes); }));
  } else {
    MEMD_TRY_ASSIGN(std::string text, files::read_whole(path));
    Result<void> written;
    converted = events_v1::convert_export(format, std::move(text), path.stem().string(), [&](std::string_view line) {
      if (written) written = out.line(line);
    });
    MEMD_TRY(written);
  }
  MEMD_TRY(out.finish());
  ImportFile file(given, std::move(copy), std::move(locked));
  file.format_ = format;
  file.converted_ = converted;
  return file;
}

ImportFile::~ImportFile() {
  std::error_code ignored;
  if (!copy_.empty()) fs::remove(copy_, ignored);
}

ImportFile::ImportFile(ImportFile&& other) noexcept
    : given_(std::move(other.given_)),
      copy_(std::exchange(other.copy_, fs::path())),
      format_(other.format_),
      converted_(other.converted_),
      copies_(std::move(other.copies_)) {}

void remove_left_copies(const fs::path& copies) {
  const auto locked = lock_directory(copies, LOCK_EX | LOCK_NB);
  if (!locked) return;
  std::error_code ec;
  for (fs::directory_iterator it(copies, ec), end; !ec && it != end; it.increment(ec)) {
    std::error_code ignored;
    fs::remove(it->path(), ignored);
  }
}

}  // namespace memd::interchange
