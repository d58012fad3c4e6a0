#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/event.hpp"
#include "schemas/ids.hpp"
#include "schemas/platform.hpp"
#include "schemas/session_head.hpp"
#include "schemas/usage.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// An exchange, its files and its events, as a query returns them.
namespace memd {

// Identification of an exchange.
struct ExchangeHead : SessionHead {
  ExchangeId id = 0;
  std::int64_t number = 0;  // in its session
  TimeMs started_at = 0;
  // The exchange with which the session continued after the person rewound it to before this one. 0: not rewound.
  ExchangeId abandoned_for = 0;
};

// Access of an exchange to one file.
struct ExchangeFile {
  std::int64_t exchange_number = 0;
  std::int64_t path_pk = 0;
  std::string path;
  FileAccess access{};
  std::int64_t touches = 0;
  std::int64_t lines_added = 0;
  std::int64_t lines_removed = 0;
};

// The columns of an event but for its path.
struct EventColumns : EventHead {
  std::int64_t seq = 0;
  TimeMs time = 0;
  std::optional<std::int64_t> parent_seq;  // the event it follows; of a derived event, the one it was derived from
  std::optional<std::int64_t> pair_seq;    // call and result
  std::uint64_t call_key = 0;              // hash of the call id; 0: none
  std::uint64_t input_hash = 0;            // of the tool input, or of a message's text; 0: none
  std::uint32_t flags = 0;                 // kFlag…
  std::string summary;
  std::int64_t tokens = 0;
  SourceId source = 0;  // 0: it has no position in a source
  bool has(std::uint32_t flag) const { return (flags & flag) != 0; }
  bool is_error() const { return has(kFlagError); }
};

struct EventRow : EventColumns {
  std::string path;  // first file; empty: none
};

// The columns of an exchange but for its texts. Its agent_version is `raw_format_version`.
struct ExchangeColumns : WorkContext {
  std::int64_t first_seq = 0;
  std::int64_t last_seq = 0;
  TimeMs ended_at = 0;
  Origin origin{};
  std::string adapter_version;
  std::int64_t tool_calls = 0;
  std::int64_t tool_errors = 0;
  std::int64_t lines_added = 0;
  std::int64_t lines_removed = 0;
};

struct ExchangeRow : ExchangeHead, ExchangeColumns {
  DataCompleteness completeness = DataCompleteness::full;
  std::string user_message;
  std::string interventions;
  std::string assistant_response;
  std::int64_t answer_offset = 0;  // the final answer starts here in assistant_response
  std::string tool_text;
  TokenUsage tokens;
  TimeMs ingested_at = 0;

  // Only its first lines are left.
  bool is_evicted() const { return completeness == DataCompleteness::metadata_only; }
  // Offset of the final answer in assistant_response, clamped: a damaged store may contain any value.
  std::size_t answer_begin() const {
    return std::min(static_cast<std::size_t>(std::max<std::int64_t>(answer_offset, 0)), assistant_response.size());
  }
  std::string_view final_answer() const { return std::string_view(assistant_response).substr(answer_begin()); }
};

// An exchange in the enrichment queue, as of the time it was read. Set are id, session_pk, times, the stored title and
// the texts.
struct PendingExchange : ExchangeRow {
  std::int64_t revision = 0;
  unsigned missing = 0;
};

}  // namespace memd
