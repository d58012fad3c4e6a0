#pragma once

#include "schemas/event_batch.hpp"
#include "schemas/source.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::raw {

enum class FrameKind : std::uint8_t {
  log = 0,       // lines of a log
  document = 1,  // a whole document
  items = 2,     // items of one session of a source that is changed in place: one line each, the head first
  evicted = 3,   // no records: the state of a session and its sources when it was evicted
};

// One slice as it was ingested.
struct Part {
  std::uint64_t number = 0;  // position in the ingest order of all slices of the store
  TimeMs applied_at = 0;
  TimeMs committed_at = 0;
  bool ends_commit = false;
  bool restart = false;
  std::optional<DiagnosticType> restart_why;  // source_truncated, source_replaced
  std::uint64_t first = 0;                    // log: offset of its first byte in the source; items: the cursor after it
  std::uint64_t length = 0;                   // bytes of the frame's content that belong to this part
  bool passed_over_ends = false;              // the record of the `passed_over` bytes ends with them
  std::uint64_t passed_over = 0;              // log: bytes that follow and were too many to keep
  SourceIdentity identity;
  std::uint64_t size = 0;
  TimeMs mtime = 0;
  // kind items
  std::optional<SessionItems> items;
  std::vector<CoverageEntry> rest;
  bool size_is_estimate = false;  // as in SourceSlice
  std::string mark;
};

// Log: byte range of the source. Items: range of item numbers in the session.
struct FrameRange {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
};

// The header before the records of a frame. Stored in a skippable frame, which zstd's own tools ignore.
struct FrameHeader : SourceName {
  FrameKind kind = FrameKind::log;
  std::uint32_t generation = 0;
  std::string adapter_version;
  std::string eviction;  // kind evicted: see store/write/evicted_rows.hpp
  std::vector<Part> parts;

  // Returns whether parts of `other` may share a frame with the parts of this one.
  bool goes_with(const FrameHeader& other) const;
  std::uint64_t content_bytes() const;
  FrameRange range() const;
  std::string session() const;    // uid of the session it belongs to; empty: none
  std::string file_name() const;  // relative to the raw directory: one file per session, otherwise one per source
};

// A parsed frame header with the position and size of the content.
struct ParsedFrame {
  FrameHeader header;
  std::uint64_t length = 0;        // bytes in the file
  std::uint64_t content_at = 0;    // offset of the content's zstd frame in the plain frame
  std::uint64_t content_size = 0;  // compressed bytes
  std::string unsealed;            // the plain frame, if the frame in the file is sealed

  bool is_sealed() const { return !unsealed.empty(); }
  // Returns the plain frame; `bytes` is the input that was parsed.
  std::string_view plain(std::string_view bytes) const { return is_sealed() ? unsealed : bytes.substr(0, length); }
  std::string_view packed_content(std::string_view bytes) const {
    return plain(bytes).substr(content_at, content_size);
  }
};

inline constexpr std::uint32_t kFrameMagic = 0x184D2A5D;  // one of zstd's sixteen skippable magics
inline constexpr std::size_t kFixedHeader = 32;
inline constexpr std::uint8_t kPlainVersion = 1;
inline constexpr std::uint8_t kSealedVersion = 2;
// An empty skippable frame with a different magic. It only makes a file longer.
inline constexpr std::string_view kEmptyFrame{"\x50\x2A\x4D\x18\0\0\0\0", 8};

// The common start of plain and sealed frames.
struct FixedPart {
  std::uint8_t version = 0;
  std::uint64_t length = 0;  // of the skippable frame: a whole sealed frame, or the header of a plain one
};
std::string fixed_part(std::uint8_t version, std::uint64_t length);
std::optional<FixedPart> parse_fixed_part(std::string_view bytes);

// Encodes a plain frame. Frames read from or written to files go through FrameSeal (frame_seal.hpp).
std::string encode_plain_frame(const FrameHeader& header, std::string_view packed_content);
// Parses the plain frame at the start of `bytes`; nullopt if there is none, or an incomplete or damaged one.
std::optional<ParsedFrame> parse_plain_frame(std::string_view bytes);

// Creates the header of a slice. The caller sets numbers and times.
FrameHeader header_of(const SourceSlice& slice);

}  // namespace memd::raw
