#include "daemon/sharing/segment.hpp"

#include "protocol/mcp/described_json.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "store/raw/frame_codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace memd::sharing {

struct LineSession {
  std::string session_id;
};

}  // namespace memd::sharing

MEMD_DESCRIBE(memd::sharing::LineSession, field<&T::session_id>());

namespace memd::sharing {
namespace {

constexpr std::string_view kAnyFormat = "memd segment ";
constexpr std::string_view kFormat = "memd segment 1 ";
constexpr std::string_view kPlain = "-";
constexpr std::uint64_t kMostBytes = 1 << 30;

Error damaged(std::string_view what) {
  return Error(Errc::store_corrupt, "a segment is damaged: " + std::string(what));
}

}  // namespace

std::string encode(const Segment& segment, const seal::Cipher* cipher) {
  const std::string content = mcp::to_json(segment.head, mcp::Texts::as_they_are) + '\n' + segment.lines;
  raw::FrameCodec codec;
  const std::string packed = codec.pack(content);
  const std::string key = cipher != nullptr ? hexadecimal(cipher->key_id()) : std::string(kPlain);
  const std::string line = fmt::format("{}{} {}\n", kFormat, content.size(), key);
  return line + (cipher != nullptr ? cipher->seal(packed, line) : packed);
}

Result<Segment> decode(std::string_view file, const CipherOf& cipher_of) {
  const auto end = file.find('\n');
  if (file.starts_with(kAnyFormat) && !file.starts_with(kFormat))
    return Error(Errc::unsupported, "a segment is of a newer memd: update this one");
  if (!file.starts_with(kFormat) || end == std::string_view::npos) return damaged("its first line");
  const std::string_view line = file.substr(0, end + 1);
  std::uint64_t size = 0;
  const char* const digits = file.data() + kFormat.size();
  const auto [after, failed] = std::from_chars(digits, file.data() + end, size);
  if (failed != std::errc() || *after != ' ' || size > kMostBytes) return damaged("its first line");
  const std::string key(after + 1, file.data() + end);
  std::string opened;
  std::string_view packed = file.substr(end + 1);
  if (key != kPlain) {
    MEMD_TRY_ASSIGN(const seal::CipherPtr cipher, cipher_of(key));
    auto text = cipher->open(packed, line);
    if (!text) return damaged("it does not fit its key");
    opened = std::move(*text);
    packed = opened;
  }
  raw::FrameCodec codec;
  MEMD_TRY_ASSIGN(std::string content, codec.unpack(packed, size));
  const auto head_end = content.find('\n');
  if (head_end == std::string::npos) return damaged("its head");
  Segment out;
  MEMD_TRY_ASSIGN(out.head, mcp::from_json<SegmentHead>(std::string_view(content).substr(0, head_end)));
  out.lines = content.substr(head_end + 1);
  out.is_sealed = key != kPlain;
  return out;
}

bool is_of_one_session(const Segment& segment) {
  for (std::string_view rest = segment.lines; !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size());
    const auto line = mcp::from_json<LineSession>(rest.substr(0, end));
    if (!line || line->session_id != segment.head.session_id) return false;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return true;
}

std::string name_of(std::string_view file) { return sha256_hex(file) + std::string(kSegmentEnding); }

}  // namespace memd::sharing
