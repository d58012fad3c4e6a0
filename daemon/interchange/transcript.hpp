#pragma once

#include "daemon/interchange/session_walk.hpp"
#include "schemas/exchange_row.hpp"
#include "schemas/session_row.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// A session in readable form: exchanges with their messages, tool calls and results.
namespace memd::interchange {

enum class EntryKind : std::uint8_t { prompt, intervention, answer, thinking, call, result, mark };
std::string_view to_string(EntryKind k);

struct TranscriptEntry {
  EntryKind kind = EntryKind::mark;
  TimeMs time = 0;
  std::string text;     // whole; the input of a call, the detail of a mark
  std::string summary;  // one line, for calls and marks
  std::string tool;     // set for calls, and for results whose call is not in the exchange
  std::string name;     // set for marks: compaction, api_error, …
  bool is_error = false;
  bool partial = false;  // record no longer available: only the stored parts
  // The result of a call. Absent: none came.
  std::optional<std::string> result;
  bool result_partial = false;
};

// Returns whether the entry has content for a reader. Versions, models and token counts are in the heads of the session
// and of its exchanges; encrypted reasoning has no text.
bool tells_something(const TranscriptEntry& entry);

// The entries of an exchange. id 0: those before the first one.
struct TranscriptExchange : ExchangeRow {
  std::vector<TranscriptEntry> entries;
};

// Receives transcripts, one session after the other, on one thread. Arguments are valid during the call.
class TranscriptWriter {
 public:
  virtual ~TranscriptWriter() = default;
  virtual Result<void> begin(const SessionRow& session) = 0;
  virtual Result<void> exchange(const TranscriptExchange& exchange) = 0;
  virtual Result<void> end(const SessionRow& session, const ExportReport& report) = 0;
  virtual Result<void> finish() = 0;  // after the last session
};

using WriteLine = std::function<Result<void>(std::string_view line)>;  // the receiver appends a newline
std::unique_ptr<TranscriptWriter> markdown_writer(WriteLine line);
std::unique_ptr<TranscriptWriter> html_writer(WriteLine line);
// Follows schemas/json/transcript.v1.schema.json.
std::unique_ptr<TranscriptWriter> json_writer(WriteLine line, AsOf as_of);

// Writes a session to `writer`. Leaves out events derived by memd (edits, test runs, retries, decisions). Masks
// secrets.
Result<ExportReport> write_transcript(Reader& reader, RecordFinder& records, const SessionRow& session,
                                      TranscriptWriter& writer, const WalkProgress& progress);

// Returns facts about the session as names and values, for readable formats. Empty ones are left out.
std::vector<std::pair<std::string, std::string>> transcript_facts(const SessionRow& session);

// Returns a sentence that states the origin of the file and what it lacks.
std::string provenance(const ExportReport& report);

// Returns "2026-02-09 06:01:53", local; empty for 0.
std::string readable_time(TimeMs time);

}  // namespace memd::interchange
