#pragma once

#include "daemon/tools/answer.hpp"
#include "daemon/tools/observed.hpp"
#include "daemon/tools/scope_params.hpp"

#include <string>
#include <vector>

namespace memd::tools {

struct GetExchangeParams : ScopeParams {
  std::vector<std::string> ids;
  std::optional<std::string> session_id;
  std::optional<std::int64_t> exchange_number;
  std::int64_t around = 0;
  bool include_tools = false;
  bool include_raw = false;
  bool in_order = false;
};

struct EventOut {
  std::int64_t seq = 0;
  std::string time;
  std::string kind;
  std::optional<std::string> tool;
  std::string summary;
  bool is_error = false;
  std::optional<bool> is_sidechain;
  std::optional<std::int64_t> parent_seq;
  std::optional<std::string> text;
  std::optional<std::int64_t> raw_offset;
  std::optional<std::int64_t> raw_length;
};

// An exchange. A page that continues one has only its identity and the texts that the pages before did not have.
struct ExchangeOut : TurnRefOut {
  std::string session_id;
  std::string platform;
  std::string data_completeness;
  std::int64_t exchange_number = 0;
  std::optional<bool> gone_from_source;
  std::optional<std::string> session_name;
  std::optional<std::string> user_message;
  std::optional<std::vector<std::string>> attachments;
  std::optional<std::string> interventions;
  std::optional<std::string> assistant_response;
  bool complete = true;
  std::int64_t full_tokens = 0;
  std::optional<std::string> origin;
  std::optional<std::string> git_branch;
  std::optional<std::string> working_directory;
  std::optional<std::vector<std::string>> files_referenced;
  std::optional<std::vector<std::string>> topics;
  std::optional<std::vector<DecisionOut>> decisions_made;
  std::optional<std::int64_t> decisions_left_out;
  std::optional<std::vector<std::string>> code_snippets;
  std::optional<std::int64_t> tokens_input;
  std::optional<std::int64_t> tokens_output;
  std::optional<std::string> model_used;
  std::optional<std::int64_t> tool_calls;
  std::optional<std::int64_t> tool_errors;
  std::optional<std::int64_t> lines_added;
  std::optional<std::int64_t> lines_removed;
  std::optional<std::string> raw_format_version;
  std::optional<std::string> adapter_version;
  std::optional<std::string> ingestion_timestamp;
  std::optional<std::string> source_path;
  std::optional<std::vector<EventOut>> events;
};

struct GetExchangeAnswer : Answer {
  std::vector<ExchangeOut> exchanges;
  std::optional<std::vector<std::string>> missing;
};
AnswerText render_text(const GetExchangeAnswer& answer);

void add_get_exchange(mcp::ToolRegistry& registry, const ToolServices& services);

}  // namespace memd::tools

MEMD_DESCRIBE(memd::tools::GetExchangeParams, field<&T::ids>(max_items(20), length(1, 300)),
              field<&T::session_id>("Instead of ids: a session, with exchange_number.", length(0, 200)),
              field<&T::exchange_number>(at_least(0), limits_unlisted),
              field<&T::around>("Also this many before and after.", clamped(0, 5)),
              field<&T::include_tools>("Also what the agent ran, shortened."),
              field<&T::include_raw>("Also full tool texts and thinking."),
              field<&T::in_order>("With tools: also the agent's words, where they stand.", unlisted),
              tools::kPageFields);
MEMD_DESCRIBE(memd::tools::EventOut, field<&T::seq>("Position in the session."), field<&T::time>("RFC 3339."),
              field<&T::kind>("tool_call, tool_result, edit, test_run, error, …"), field<&T::tool>(),
              field<&T::summary>("One line."), field<&T::is_error>(), field<&T::is_sidechain>("true: of a subagent."),
              field<&T::parent_seq>("The event it follows; of a result, its call. With include_raw."),
              field<&T::text>("Input or result; cut where it ends in …"), field<&T::raw_offset>("Byte in source_path."),
              field<&T::raw_length>("Bytes there."));
MEMD_DESCRIBE(memd::tools::ExchangeOut, plain<&T::exchange_id, &T::session_id, &T::platform>(),
              field<&T::timestamp>("When it began, RFC 3339."),
              field<&T::data_completeness>("full, partial, metadata_only or unknown."),
              field<&T::exchange_number>("Position in the session, from 0."),
              field<&T::abandoned_for>(tools::kAbandonedFor),
              field<&T::gone_from_source>("true: the agent has removed it from its own history."),
              field<&T::session_name>(), field<&T::user_message>("What the person wrote."),
              field<&T::attachments>("Images and files with it."),
              field<&T::interventions>("What the person wrote while the agent worked."),
              field<&T::assistant_response>("What the agent wrote, the final answer last."),
              field<&T::complete>("false: `next` goes on inside it."),
              field<&T::full_tokens>("Tokens of all its texts."), field<&T::origin>("typed, command, plan, …"),
              plain<&T::git_branch, &T::working_directory>(),
              field<&T::files_referenced>("Files read or changed, at most 40."),
              field<&T::topics>("What it is about, the most telling first."),
              field<&T::decisions_made>("What was settled in it, by the user or by the agent."),
              field<&T::decisions_left_out>("Decisions for which there was no room."),
              field<&T::code_snippets>("Code blocks of the answer, where there is room to repeat them."),
              field<&T::tokens_input>("Without what came from the cache."),
              plain<&T::tokens_output, &T::model_used, &T::tool_calls>(), field<&T::tool_errors>("Of those, failed."),
              field<&T::lines_added>("By edits."), field<&T::lines_removed>("By edits."),
              field<&T::raw_format_version>("Version of the agent that wrote it."),
              field<&T::adapter_version>("Version of the adapter that read it."),
              field<&T::ingestion_timestamp>("When it was ingested."), field<&T::source_path>("The agent's file."),
              field<&T::events>("Tool calls, results and other events, in order."));
MEMD_DESCRIBE_ANSWER(memd::tools::GetExchangeAnswer,
                     field<&T::exchanges>("In the order of ids, neighbours beside theirs."),
                     field<&T::missing>("Ids that do not exist."));
