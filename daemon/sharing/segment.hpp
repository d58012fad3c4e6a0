#pragma once

#include "protocol/mcp/describe.hpp"
#include "schemas/base/result.hpp"
#include "store/seal/cipher.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

// The unit of sharing: a file of masked events.v1 lines of one session, or the word that a session is out.
namespace memd::sharing {

struct SegmentHead {
  std::int64_t v = 1;
  std::string share;
  std::string machine;  // who wrote it, the member's id
  std::string person;
  std::string host;
  std::string session_id;
  std::string agent;
  std::string commit;    // the newest one that was made in the session; empty: none is known
  std::string previous;  // the segment of the session that this one continues; empty: it begins the session
  bool out = false;      // the session was forgotten, excluded or taken out: nobody keeps it
  std::int64_t events = 0;
  std::int64_t next_seq = 0;  // of the writer's store: where the next segment begins
  std::string last_event;     // id of the last event
  std::string written;        // RFC 3339
};

struct Segment {
  SegmentHead head;
  std::string lines;       // events.v1, each with its newline
  bool is_sealed = false;  // set by decode()
};

// Returns the file: "memd segment 1 BYTES KEY" and a newline, then the zstd frame of head and lines. It is sealed with
// the cipher, if there is one; KEY is its id, else "-". Errors as for ciphers.
std::string encode(const Segment& segment, const seal::Cipher* cipher);

// Reads a file. `cipher_of` returns the cipher of a key id. Errc::store_corrupt: damaged; Errc::unsupported: of a newer
// memd.
using CipherOf = std::function<Result<seal::CipherPtr>(const std::string& key_id)>;
Result<Segment> decode(std::string_view file, const CipherOf& cipher_of);

// Whether each line is of the session that the head names: ingest goes by the lines.
bool is_of_one_session(const Segment& segment);

// Returns the name of a file with this content.
std::string name_of(std::string_view file);
inline constexpr std::string_view kSegmentEnding = ".segment";

}  // namespace memd::sharing

MEMD_DESCRIBE(memd::sharing::SegmentHead, plain<&T::v, &T::share, &T::machine, &T::person, &T::host>(),
              plain<&T::session_id, &T::agent, &T::commit, &T::previous, &T::out, &T::events, &T::next_seq>(),
              plain<&T::last_event, &T::written>());
