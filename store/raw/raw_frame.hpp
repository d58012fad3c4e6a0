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
  document = 1,  // a document as a whole
  items = 2,     // items of one session of a source that is changed in place: a line each, the head first
  evicted = 3,   // no records: what a session and its sources were when it was evicted
};

// One slice as it was taken in.
struct Part {
  std::uint64_t number = 0;  // its place in the order of all slices of the store
  TimeMs applied_at = 0;
  TimeMs committed_at = 0;
  bool ends_commit = false;
  bool restart = false;
  std::optional<DiagnosticType> restart_why;  // source_truncated, source_replaced
  std::uint64_t first = 0;                    // log: its first byte in the source; items: the cursor after it
  std::uint64_t length = 0;                   // bytes of the frame's content that are its
  bool passed_over_ends = false;              // and the record they belong to ends with them
  std::uint64_t passed_over = 0;              // log: bytes behind those that were too many to keep
  SourceIdentity identity;
  std::uint64_t size = 0;
  TimeMs mtime = 0;
  // kind items
  std::optional<SessionItems> items;
  std::vector<CoverageEntry> rest;
  bool sized_by_ledger = false;  // as of SourceSlice
  std::string mark;
};

// Of a log: bytes of the source. Of items: their numbers in the session.
struct FrameRange {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
};

// What stands before the records of a frame, in a skippable frame that zstd's own tools pass over.
struct FrameHeader {
  FrameKind kind = FrameKind::log;
  Platform platform{};
  std::string path;
  SourceFormat format = SourceFormat::jsonl;
  std::uint32_t generation = 0;
  std::string session_uid;  // of the source
  std::string adapter_version;
  std::string eviction;  // kind evicted: see store/write/evicted_rows.hpp
  std::vector<Part> parts;

  // Whether parts of `other` may stand in one frame with ours.
  bool goes_with(const FrameHeader& other) const;
  std::uint64_t content_bytes() const;
  FrameRange range() const;
  std::string session() const;    // uid of the session it belongs to; empty: none
  std::string file_name() const;  // below the raw directory: one file a session, else one a source
};

// A frame's header and what it says about the bytes behind it.
struct ParsedFrame {
  FrameHeader header;
  std::uint64_t length = 0;        // in the file
  std::uint64_t content_at = 0;    // of the content's zstd frame, from the start of the plain frame
  std::uint64_t content_size = 0;  // packed
  std::string unsealed;            // the plain frame, if the one in the file is sealed

  bool is_sealed() const { return !unsealed.empty(); }
  // The plain frame; `bytes` is what was parsed.
  std::string_view plain(std::string_view bytes) const { return is_sealed() ? unsealed : bytes.substr(0, length); }
  std::string_view packed_content(std::string_view bytes) const {
    return plain(bytes).substr(content_at, content_size);
  }
};

inline constexpr std::uint32_t kFrameMagic = 0x184D2A5D;  // one of zstd's sixteen skippable ones
inline constexpr std::size_t kFixedHeader = 32;
inline constexpr std::uint8_t kPlainVersion = 1;
inline constexpr std::uint8_t kSealedVersion = 2;
// A frame of another of zstd's magics, with nothing in it: it lengthens a file.
inline constexpr std::string_view kEmptyFrame{"\x50\x2A\x4D\x18\0\0\0\0", 8};

// How both kinds of frames begin.
struct FixedPart {
  std::uint8_t version = 0;
  std::uint64_t length = 0;  // of the skippable frame: all of a sealed one, the header of a plain one
};
std::string fixed_part(std::uint8_t version, std::uint64_t length);
std::optional<FixedPart> parse_fixed_part(std::string_view bytes);

// Plain frames. What goes to files and comes from them passes FrameSeal (frame_seal.hpp).
std::string encode_plain_frame(const FrameHeader& header, std::string_view packed_content);
// Parses the frame that `bytes` begins with; nullopt if that is none, or an incomplete or a damaged one.
std::optional<ParsedFrame> parse_plain_frame(std::string_view bytes);

// Makes the header of a slice. The caller sets numbers and times.
FrameHeader header_of(const SourceSlice& slice);

}  // namespace memd::raw
