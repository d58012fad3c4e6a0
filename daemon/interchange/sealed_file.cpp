#include "daemon/interchange/sealed_file.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <optional>

namespace memd::interchange {
namespace {

constexpr std::string_view kFormat = "memd sealed ";
constexpr std::string_view kVersion = "1";
constexpr std::size_t kPiece = 64 << 10;
constexpr std::size_t kFileNumber = 16;
constexpr std::size_t kLongestHead = 256;

std::string little_endian(std::uint64_t v, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i)
    out += static_cast<char>(v >> (8 * i));
  return out;
}

std::string about(std::string_view head, std::uint64_t number, bool last) {
  return std::string(head) + little_endian(number, 8) + (last ? '\1' : '\0');
}

// The first line: "memd sealed 1 KEY FILE
// ".
struct Head {
  std::string line;
  std::string version;
  std::string key_id;
};

std::optional<Head> read_head(std::istream& in) {
  std::array<char, kLongestHead> buffer{};
  if (!in.getline(buffer.data(), buffer.size())) return std::nullopt;
  Head head{buffer.data(), {}, {}};
  std::string_view rest = head.line;
  if (!rest.starts_with(kFormat)) return std::nullopt;
  rest.remove_prefix(kFormat.size());
  const auto blank = rest.find(' ');
  head.version = rest.substr(0, blank);
  if (blank != std::string_view::npos) head.key_id = rest.substr(blank + 1, 2 * seal::kKeyIdBytes);
  head.line += '\n';
  return head;
}

Error damaged(const std::filesystem::path& file, std::uint64_t offset, const char* what) {
  return Error(Errc::io, fmt::format("{} at byte {}: {}", file.string(), offset, what));
}

}  // namespace

Result<void> SealedLines::line(std::string_view text) {
  piece_ += text;
  piece_ += '\n';
  std::string_view rest = piece_;
  for (; rest.size() > kPiece; rest.remove_prefix(kPiece))
    MEMD_TRY(write_piece(rest.substr(0, kPiece), false));
  piece_.erase(0, piece_.size() - rest.size());
  return {};
}

Result<void> SealedLines::finish() { return write_piece(piece_, true); }

Result<void> SealedLines::write_piece(std::string_view piece, bool last) {
  if (head_.empty()) {
    MEMD_TRY_ASSIGN(const std::string file, seal::random_bytes(kFileNumber));
    const std::string text =
        fmt::format("{}{} {} {}", kFormat, kVersion, hexadecimal(cipher_->key_id()), hexadecimal(file));
    MEMD_TRY(out_.line(text));
    head_ = text + '\n';
  }
  const std::string sealed = cipher_->seal(piece, about(head_, number_++, last));
  return out_.bytes(little_endian(sealed.size(), 4) + sealed);
}

bool is_sealed_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return read_head(in).has_value();
}

Result<void> open_sealed_file(const std::filesystem::path& file, seal::LazyCipher* cipher,
                              const std::function<Result<void>(std::string_view bytes)>& write) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return Error::from_errno(errno, "open", file.string());
  const auto head = read_head(in);
  if (!head) return damaged(file, 0, "it is not sealed");
  if (head->version != kVersion)
    return Error(Errc::unsupported, file.string() + ": sealed in version " + head->version +
                                        " of the format; this memd knows version " + std::string(kVersion));
  if (cipher == nullptr)
    return Error(Errc::bad_config, file.string() + ": sealed with the key " + head->key_id +
                                       ", and the configuration names no key (encryption)");
  MEMD_TRY(cipher->get());
  const seal::Cipher& own = **cipher->get();
  if (const auto id = hexadecimal(own.key_id()); id != head->key_id)
    return Error(Errc::bad_config,
                 file.string() + ": sealed with the key " + head->key_id + ", and the configured key is " + id);
  std::uint64_t offset = head->line.size();
  std::string piece;
  for (std::uint64_t number = 0;; ++number) {
    std::array<unsigned char, 4> prefix{};
    if (!in.read(reinterpret_cast<char*>(prefix.data()), prefix.size()))
      return damaged(file, offset, "it ends too early");
    const std::size_t size = prefix[0] | prefix[1] << 8 | prefix[2] << 16 | static_cast<std::size_t>(prefix[3]) << 24;
    if (size > kPiece + seal::kOverhead) return damaged(file, offset, "a damaged piece");
    piece.resize(size);
    if (!in.read(piece.data(), static_cast<std::streamsize>(size))) return damaged(file, offset, "it ends too early");
    auto opened = own.open(piece, about(head->line, number, false));
    const bool last = !opened;
    if (last) opened = own.open(piece, about(head->line, number, true));
    if (!opened) return damaged(file, offset, "a damaged piece");
    MEMD_TRY(write(*opened));
    offset += prefix.size() + size;
    if (!last) continue;
    if (in.peek() != std::ifstream::traits_type::eof()) return damaged(file, offset, "more than what was sealed");
    return {};
  }
}

}  // namespace memd::interchange
