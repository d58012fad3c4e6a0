#include "daemon/interchange/import_file.hpp"

#include "daemon/interchange/output_file.hpp"
#include "daemon/interchange/sealed_file.hpp"
#include "schemas/hash.hpp"

#include <fmt/format.h>

#include <string_view>
#include <system_error>
#include <utility>

namespace memd::interchange {
namespace fs = std::filesystem;

Result<ImportFile> ImportFile::open(const std::string& given, const fs::path& copies, seal::LazyCipher* cipher) {
  const auto path = fs::absolute(given).lexically_normal();
  if (!is_sealed_file(path)) return ImportFile(given, {});
  std::error_code ec;
  fs::create_directory(copies, ec);
  if (!ec) fs::permissions(copies, fs::perms::owner_all, ec);
  if (ec) return Error(ec, "make " + copies.string());
  auto copy = copies / fmt::format("{}-{:016x}.jsonl", path.stem().string(), hash64(path.string()));
  MEMD_TRY_ASSIGN(auto out, OutputFile::open(copy));
  MEMD_TRY(open_sealed_file(path, cipher, [&](std::string_view bytes) { return out.bytes(bytes); }));
  MEMD_TRY(out.finish());
  return ImportFile(given, std::move(copy));
}

ImportFile::~ImportFile() {
  std::error_code ignored;
  if (!copy_.empty()) fs::remove(copy_, ignored);
}

ImportFile::ImportFile(ImportFile&& other) noexcept
    : given_(std::move(other.given_)), copy_(std::exchange(other.copy_, fs::path())) {}

}  // namespace memd::interchange
