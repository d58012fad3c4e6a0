#pragma once

#include "daemon/interchange/session_walk.hpp"
#include "schemas/ids.hpp"
#include "schemas/query.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// A session as people and programs read it: exchanges, in each what was said and done, calls with their results.
namespace memd::interchange {

enum class EntryKind : std::uint8_t { prompt, intervention, answer, thinking, call, result, mark };
std::string_view to_string(EntryKind k);

struct TranscriptEntry {
  EntryKind kind = EntryKind::mark;
  TimeMs time = 0;
  std::string text;     // whole; of a call its input, of a mark its detail
  std::string summary;  // one line, of calls and marks
  std::string tool;     // of calls, and of results whose call is not in the exchange
  std::string name;     // of marks: compaction, api_error, …
  bool is_error = false;
  bool partial = false;  // the record is gone: what the store kept
  // Of a call: what came back. Absent: nothing did.
  std::optional<std::string> result;
  bool result_partial = false;
};

struct TranscriptExchange {
  ExchangeId id = 0;  // 0: what stands before the first exchange
  std::int64_t number = 0;
  TimeMs started_at = 0;
  std::string model;
  std::string git_branch;
  TokenUsage tokens;
  std::int64_t tool_calls = 0;
  std::int64_t tool_errors = 0;
  std::vector<TranscriptEntry> entries;
};

// Is told transcripts, one session after the other, on one thread. What a call is given is valid during the call.
class TranscriptWriter {
 public:
  virtual ~TranscriptWriter() = default;
  virtual Result<void> begin(const SessionRow& session) = 0;
  virtual Result<void> exchange(const TranscriptExchange& exchange) = 0;
  virtual Result<void> end(const SessionRow& session, const ExportReport& report) = 0;
  virtual Result<void> finish() = 0;  // after the last session
};

using WriteLine = std::function<Result<void>(std::string_view line)>;  // a newline is written behind it
std::unique_ptr<TranscriptWriter> markdown_writer(WriteLine line);
std::unique_ptr<TranscriptWriter> html_writer(WriteLine line);
// schemas/json/transcript.v1.schema.json
std::unique_ptr<TranscriptWriter> json_writer(WriteLine line, AsOf as_of);

// Tells `writer` a session. Leaves out what memd concluded itself (edits, test runs, retries) except decisions. Secrets
// are masked.
Result<ExportReport> write_transcript(Reader& reader, RecordFinder& records, const SessionRow& session,
                                      TranscriptWriter& writer, const WalkProgress& progress);

// For writers of readable files: what the session was, as names and values; empty ones are left out.
std::vector<std::pair<std::string, std::string>> transcript_facts(const SessionRow& session);

// Says in a sentence where the file comes from and what it lacks.
std::string provenance(const ExportReport& report);

// "2026-02-09 06:01:53" (UTC); empty for 0.
std::string readable_time(TimeMs time);

}  // namespace memd::interchange
