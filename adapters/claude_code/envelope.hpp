#pragma once

#include "adapters/claude_code/json_text.hpp"
#include "schemas/time.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace memd::claude_code {

// The top-level keys this adapter knows. Key order in the records is not fixed.
enum class Key : std::uint8_t {
  type,
  uuid,
  timestamp,
  session_id,
  cwd,
  version,
  git_branch,
  is_sidechain,
  agent_id,
  request_id,
  is_meta,
  is_compact_summary,
  is_transcript_only,
  is_api_error,
  prompt_source,
  plan_content,
  subtype,
  content,
  operation,
  summary,
  leaf_uuid,
  ai_title,
  custom_title,
  pr_number,
  pr_url,
  pr_repository,
  permission_mode,
  mode,
  message_id,
  parent_tool_use_id,
  duration_ms,
  prevented_continuation,
  stop_reason,
  retry_attempt,
  max_retries,
  agent_name,
  message,
  data,
  attachment,
  tool_use_result,
  compact_metadata,
  microcompact_metadata,
  result,
  key,
  agent_type,
  description,
  tool_use_id,
  name,
};
inline constexpr std::array<std::string_view, 48> kKeyNames{
    "type",
    "uuid",
    "timestamp",
    "sessionId",
    "cwd",
    "version",
    "gitBranch",
    "isSidechain",
    "agentId",
    "requestId",
    "isMeta",
    "isCompactSummary",
    "isVisibleInTranscriptOnly",
    "isApiErrorMessage",
    "promptSource",
    "planContent",
    "subtype",
    "content",
    "operation",
    "summary",
    "leafUuid",
    "aiTitle",
    "customTitle",
    "prNumber",
    "prUrl",
    "prRepository",
    "permissionMode",
    "mode",
    "messageId",
    "parentToolUseID",
    "durationMs",
    "preventedContinuation",
    "stopReason",
    "retryAttempt",
    "maxRetries",
    "agentName",
    "message",
    "data",
    "attachment",
    "toolUseResult",
    "compactMetadata",
    "microcompactMetadata",
    "result",
    "key",
    "agentType",
    "description",
    "toolUseId",
    "name",
};
static_assert(static_cast<std::size_t>(Key::name) + 1 == kKeyNames.size());

// The outer level of one record as raw tokens (json_text.hpp). Views into the record's bytes.
struct Envelope {
  std::array<std::string_view, kKeyNames.size()> tokens;

  std::string_view operator[](Key key) const { return tokens[static_cast<std::size_t>(key)]; }
  std::string_view& operator[](Key key) { return tokens[static_cast<std::size_t>(key)]; }
  bool has(Key key) const { return !(*this)[key].empty() && (*this)[key] != "null"; }
  bool is(Key key) const { return is_true((*this)[key]); }
  std::string_view body(Key key) const { return string_body((*this)[key]); }
  TimeMs time() const { return parse_rfc3339(body(Key::timestamp)).value_or(0); }
};

}  // namespace memd::claude_code
