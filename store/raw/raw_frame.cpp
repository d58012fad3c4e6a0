#include "store/raw/raw_frame.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/ids.hpp"
#include "store/raw/frame_codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace memd::raw {
namespace {

// Format: magic:4 payload:4 | "MEMD":4 version:1 flags:1 zero:2 content_size:4 header_size:4 checksum:8 | header
constexpr std::string_view kTag = "MEMD";
constexpr std::uint8_t kPackedHeader = 1;
constexpr std::size_t kWorthPacking = 400;
constexpr std::size_t kLongestHeader = 64 << 20;

enum PartFlag : std::uint64_t {
  kRestart = 1,
  kTruncated = 2,
  kReplaced = 4,
  kEndsCommit = 8,
  kHasItems = 16,
  kSameIdentity = 32,
  kHasRest = 64,
  kHasHead = 128,
  kPassedOverEnds = 256,
  kSizeIsEstimate = 512,
};

void put32(std::string& out, std::uint32_t v) {
  for (int i = 0; i < 4; ++i)
    out += static_cast<char>(v >> (8 * i));
}

std::uint32_t get32(std::string_view in, std::size_t at) {
  std::uint32_t v = 0;
  for (std::size_t i = 0; i < 4; ++i)
    v |= static_cast<std::uint32_t>(static_cast<unsigned char>(in[at + i])) << (8 * i);
  return v;
}

void put(ByteWriter& w, const CoverageEntry& e) {
  w.text(e.record_type);
  w.number(static_cast<std::uint64_t>(e.disposition));
  w.text(e.reason);
  w.number(e.records);
  w.number(e.bytes);
}

CoverageEntry get_coverage(ByteReader& r) {
  CoverageEntry e;
  e.record_type = r.text();
  e.disposition = static_cast<Disposition>(std::min<std::uint64_t>(r.number(), 2));
  e.reason = r.text();
  e.records = r.number();
  e.bytes = r.number();
  return e;
}

void put(ByteWriter& w, const SourceItem& item) {
  w.text(item.key);
  w.fixed64(item.version);
  w.number((item.starts_exchange ? 1u : 0u) | (item.gone ? 2u : 0u));
  put(w, item.ledger);
}

SourceItem get_item(ByteReader& r) {
  SourceItem item;
  item.key = r.text();
  item.version = r.fixed64();
  const auto flags = r.number();
  item.starts_exchange = (flags & 1) != 0;
  item.gone = (flags & 2) != 0;
  item.ledger = get_coverage(r);
  return item;
}

void put(ByteWriter& w, const Part& p, const Part& before) {
  std::uint64_t flags = 0;
  if (p.restart) flags |= kRestart;
  if (p.restart_why == DiagnosticType::source_truncated) flags |= kTruncated;
  if (p.restart_why == DiagnosticType::source_replaced) flags |= kReplaced;
  if (p.ends_commit) flags |= kEndsCommit;
  if (p.items) flags |= kHasItems;
  if (p.identity == before.identity) flags |= kSameIdentity;
  if (!p.rest.empty()) flags |= kHasRest;
  if (p.items && p.items->has_head) flags |= kHasHead;
  if (p.passed_over_ends) flags |= kPassedOverEnds;
  if (p.size_is_estimate) flags |= kSizeIsEstimate;
  w.number(flags);
  w.number(p.number - before.number);
  w.difference(p.applied_at - before.applied_at);
  w.difference(p.committed_at - p.applied_at);
  w.difference(static_cast<std::int64_t>(p.first - (before.first + before.length)));
  w.number(p.length);
  w.number(p.passed_over);
  w.difference(static_cast<std::int64_t>(p.size - (p.first + p.length)));
  w.difference(p.mtime - p.applied_at);
  if ((flags & kSameIdentity) == 0) {
    w.number(p.identity.device);
    w.number(p.identity.inode);
    w.fixed64(p.identity.head_hash);
    w.number(p.identity.head_length);
  }
  if (p.items) {
    w.text(p.items->session_uid);
    w.number(p.items->keep);
    w.number(p.items->added.size());
    for (const auto& item : p.items->added)
      put(w, item);
    w.number(p.items->gone.size());
    for (const auto n : p.items->gone)
      w.number(n);
    if (p.items->has_head) put(w, p.items->head);
  }
  if ((flags & kHasRest) != 0) {
    w.number(p.rest.size());
    for (const auto& e : p.rest)
      put(w, e);
  }
  w.text(p.mark);
}

Part get_part(ByteReader& r, const Part& before) {
  Part p;
  const auto flags = r.number();
  p.restart = (flags & kRestart) != 0;
  if ((flags & kTruncated) != 0) p.restart_why = DiagnosticType::source_truncated;
  if ((flags & kReplaced) != 0) p.restart_why = DiagnosticType::source_replaced;
  p.ends_commit = (flags & kEndsCommit) != 0;
  p.number = before.number + r.number();
  p.applied_at = before.applied_at + r.difference();
  p.committed_at = p.applied_at + r.difference();
  p.first = before.first + before.length + static_cast<std::uint64_t>(r.difference());
  p.length = r.number();
  p.passed_over = r.number();
  p.passed_over_ends = (flags & kPassedOverEnds) != 0;
  p.size_is_estimate = (flags & kSizeIsEstimate) != 0;
  p.size = p.first + p.length + static_cast<std::uint64_t>(r.difference());
  p.mtime = p.applied_at + r.difference();
  p.identity = before.identity;
  if ((flags & kSameIdentity) == 0) {
    p.identity.device = r.number();
    p.identity.inode = r.number();
    p.identity.head_hash = r.fixed64();
    p.identity.head_length = static_cast<std::uint32_t>(r.number());
  }
  if ((flags & kHasItems) != 0) {
    auto& items = p.items.emplace();
    items.session_uid = r.text();
    items.keep = static_cast<std::uint32_t>(r.number());
    for (auto n = r.number(); n > 0 && r.ok(); --n)
      items.added.push_back(get_item(r));
    for (auto n = r.number(); n > 0 && r.ok(); --n)
      items.gone.push_back(static_cast<std::uint32_t>(r.number()));
    items.has_head = (flags & kHasHead) != 0;
    if (items.has_head) items.head = get_item(r);
  }
  if ((flags & kHasRest) != 0)
    for (auto n = r.number(); n > 0 && r.ok(); --n)
      p.rest.push_back(get_coverage(r));
  p.mark = r.text();
  return p;
}

std::string header_text(const FrameHeader& h) {
  ByteWriter w;
  w.number(static_cast<std::uint64_t>(h.kind));
  w.text(to_string(h.platform));
  w.text(h.path);
  w.number(static_cast<std::uint64_t>(h.format));
  w.number(h.generation);
  w.text(h.session_uid);
  w.text(h.adapter_version);
  w.text(h.eviction);
  w.number(h.parts.size());
  Part before;
  for (const auto& p : h.parts) {
    put(w, p, before);
    before = Part();
    before.number = p.number;
    before.applied_at = p.applied_at;
    before.first = p.first;
    before.length = p.length;
    before.identity = p.identity;
  }
  return w.take();
}

std::optional<FrameHeader> parse_header(std::string_view text) {
  ByteReader r(text);
  FrameHeader h;
  const auto kind = r.number();
  const std::string platform = r.text();
  if (kind > 3 || platform.empty()) return std::nullopt;
  h.kind = static_cast<FrameKind>(kind);
  h.platform = stored_platform(platform);
  h.path = r.text();
  h.format = static_cast<SourceFormat>(std::min<std::uint64_t>(r.number(), 2));
  h.generation = static_cast<std::uint32_t>(r.number());
  h.session_uid = r.text();
  h.adapter_version = r.text();
  h.eviction = r.text();
  Part before;
  for (auto n = r.number(); n > 0 && r.ok(); --n) {
    h.parts.push_back(get_part(r, before));
    before = h.parts.back();
  }
  if (!r.ok()) return std::nullopt;
  return h;
}

constexpr std::size_t kLongestName = 180;

bool is_plain(char c) { return ascii::is_word(c) || c == '-' || c == '.'; }

// Returns a unique file name for an id. Characters that are not plain are escaped as %XX, and so is a first character
// that would make the name that of a hidden file or of a source.
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
  static_cast<SourceName&>(h) = s;
  h.kind = slice.items || !slice.rest.empty() || !s.mark.empty() ? FrameKind::items
           : s.format == SourceFormat::json                      ? FrameKind::document
                                                                 : FrameKind::log;
  h.generation = s.generation;
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
  p.size_is_estimate = slice.size_is_estimate;
  p.mark = s.mark;
  h.parts.push_back(std::move(p));
  return h;
}

std::string fixed_part(std::uint8_t version, std::uint64_t length) {
  std::string out;
  put32(out, kFrameMagic);
  put32(out, static_cast<std::uint32_t>(length - 8));
  out += kTag;
  out += static_cast<char>(version);
  return out;
}

std::optional<FixedPart> parse_fixed_part(std::string_view bytes) {
  if (bytes.size() < kFixedHeader || get32(bytes, 0) != kFrameMagic || bytes.substr(8, 4) != kTag) return std::nullopt;
  return FixedPart{static_cast<std::uint8_t>(bytes[12]), std::uint64_t{get32(bytes, 4)} + 8};
}

std::string encode_plain_frame(const FrameHeader& header, std::string_view packed_content) {
  std::string text = header_text(header);
  const std::size_t plain_size = text.size();
  const bool packed = plain_size > kWorthPacking;
  if (packed) text = FrameCodec().pack(text);
  std::string out = fixed_part(kPlainVersion, kFixedHeader + text.size());
  out.reserve(kFixedHeader + text.size() + packed_content.size());
  out += static_cast<char>(packed ? kPackedHeader : 0);
  out.append(2, '\0');
  put32(out, static_cast<std::uint32_t>(packed_content.size()));
  put32(out, static_cast<std::uint32_t>(plain_size));
  ByteWriter checksum;
  checksum.fixed64(hash64(text, packed_content.size()));
  out += checksum.take();
  out += text;
  out += packed_content;
  return out;
}

std::optional<ParsedFrame> parse_plain_frame(std::string_view bytes) {
  const auto fixed = parse_fixed_part(bytes);
  if (!fixed || fixed->version != kPlainVersion || fixed->length < kFixedHeader || fixed->length > bytes.size())
    return std::nullopt;
  ParsedFrame out;
  out.content_at = fixed->length;
  out.content_size = get32(bytes, 16);
  const std::uint64_t plain_size = get32(bytes, 20);
  ByteReader checksum(bytes.substr(24, 8));
  std::string_view text = bytes.substr(kFixedHeader, fixed->length - kFixedHeader);
  if (checksum.fixed64() != hash64(text, out.content_size) || plain_size > kLongestHeader) return std::nullopt;
  out.length = out.content_at + out.content_size;
  if (out.length > bytes.size()) return std::nullopt;
  std::string plain;
  if ((bytes[13] & kPackedHeader) != 0) {
    auto unpacked = FrameCodec().unpack(text, plain_size);
    if (!unpacked) return std::nullopt;
    plain = std::move(*unpacked);
    text = plain;
  }
  auto header = parse_header(text);
  if (!header) return std::nullopt;
  out.header = std::move(*header);
  return out;
}

}  // namespace memd::raw
