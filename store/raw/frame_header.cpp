// What a header says, and how a slice becomes one; the bytes are in raw_frame.cpp.
#include "schemas/ascii.hpp"
#include "schemas/hash.hpp"
#include "schemas/ids.hpp"
#include "store/raw/raw_frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace memd::raw {
namespace {

constexpr std::size_t kLongestName = 180;

bool is_plain(char c) { return ascii::is_word(c) || c == '-' || c == '.'; }

// Every id has a name of its own: what is not plain is written %XX, and so is a first byte that would make the name a
// hidden file or that of a source.
std::string safe_name(std::string_view id) {
  std::string out;
  const bool odd_start = id.starts_with('.') || id.starts_with("source-");
  for (std::size_t i = 0; i < id.size(); ++i)
    if (is_plain(id[i]) && !(odd_start && i == 0))
      out += id[i];
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(id[i]));
  if (out.size() > kLongestName) out = out.substr(0, kLongestName - 20) + fmt::format("~{:016x}", hash64(id));
  return out;
}

}  // namespace

std::string FrameHeader::session() const {
  if (kind == FrameKind::items && !parts.empty() && parts.front().items) return parts.front().items->session_uid;
  return session_uid;
}

std::string FrameHeader::file_name() const {
  const std::string uid = session();
  if (const auto parts_of_uid = split_session_uid(uid))
    return fmt::format("platform={}/{}.jsonl.zst", to_string(parts_of_uid->platform),
                       safe_name(parts_of_uid->native_id));
  return fmt::format("platform={}/source-{:016x}.jsonl.zst", to_string(platform), hash64(path));
}

FrameRange FrameHeader::range() const {
  FrameRange out{std::numeric_limits<std::uint64_t>::max(), 0};
  for (const auto& p : parts) {
    std::uint64_t first = p.first;
    std::uint64_t end = p.first + p.length;
    if (kind == FrameKind::items) {
      if (!p.items) continue;
      first = p.items->keep + 1;
      end = first + p.items->added.size();
    }
    out = {std::min(out.first, first), std::max(out.end, end)};
  }
  return out.end == 0 ? FrameRange{} : out;
}

bool FrameHeader::goes_with(const FrameHeader& o) const {
  return kind == o.kind && kind != FrameKind::evicted && platform == o.platform && path == o.path &&
         format == o.format && generation == o.generation && session_uid == o.session_uid &&
         adapter_version == o.adapter_version;
}

std::uint64_t FrameHeader::content_bytes() const {
  std::uint64_t n = 0;
  for (const auto& p : parts)
    n += p.length;
  return n;
}

FrameHeader header_of(const SourceSlice& slice) {
  FrameHeader h;
  const Source& s = slice.source;
  h.kind = slice.items || !slice.rest.empty() || !s.mark.empty() ? FrameKind::items
           : s.format == SourceFormat::json                      ? FrameKind::document
                                                                 : FrameKind::log;
  h.platform = s.platform;
  h.path = s.path;
  h.format = s.format;
  h.generation = s.generation;
  h.session_uid = s.session_uid;
  h.adapter_version = slice.adapter_version;
  Part p;
  p.restart = slice.restart;
  for (const auto& d : slice.batch.diagnostics)
    if (d.type == DiagnosticType::source_truncated || d.type == DiagnosticType::source_replaced) p.restart_why = d.type;
  p.length = slice.raw_length;
  p.first = h.kind == FrameKind::items ? s.cursor : slice.raw_first;
  p.passed_over = slice.raw_passed_over;
  p.passed_over_ends = slice.raw_passed_over_ends;
  p.identity = s.identity;
  p.size = s.size;
  p.mtime = s.mtime;
  p.items = slice.items;
  p.rest = slice.rest;
  p.mark = s.mark;
  h.parts.push_back(std::move(p));
  return h;
}

}  // namespace memd::raw
