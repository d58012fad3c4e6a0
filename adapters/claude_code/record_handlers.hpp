#pragma once

#include "adapters/adapter.hpp"
#include "adapters/claude_code/record_context.hpp"
#include "adapters/json/json_access.hpp"

#include <cstdint>
#include <string>
#include <string_view>

// One function for each kind of record. `root` is the record's object, to be walked from its first field; its scalars
// are in context.envelope(). For messages inside agent_progress records, `root` is the message.
namespace memd::claude_code {

Fate read_user(RecordContext& context, od::object& root);
Fate read_assistant(RecordContext& context, od::object& root);
Fate read_system(RecordContext& context, od::object& root);
Fate read_progress(RecordContext& context, od::object& root);
Fate read_attachment(RecordContext& context, od::object& root);
Fate read_queue_operation(RecordContext& context);

// Records that are not part of the chain: titles, links, modes, the journal of a workflow, and what is skipped by name.
Fate read_side_record(RecordContext& context, std::string_view type);

// agent-<id>.meta.json
Fate read_agent_meta(RecordContext& context);

// Emits words typed while the agent worked, from any record that tells of them. False when they are not a person's;
// nothing is emitted then.
bool emit_queued(RecordContext& context, std::string_view text, std::string_view lifecycle);

// Whose words the text of a "user" record is. Claude Code writes many things under that name; the marks were read off
// transcripts of 1.0 … 2.1.

enum class Voice : std::uint8_t {
  human,           // a prompt
  command,         // a slash command, as the record words it
  shell,           // a "!" command
  shell_output,    // what the "!" command printed
  command_output,  // what the slash command printed
  interrupt,       // "[Request interrupted by user…"
  injected,        // put there by the client
  nothing,         // blank once the wrappers are off
};

struct Spoken {
  Voice voice = Voice::nothing;
  std::string_view text;  // trimmed, IDE wrappers in front taken off; a view into the argument
};

Spoken who_speaks(std::string_view text);

inline bool is_human(Voice voice) { return voice == Voice::human || voice == Voice::command || voice == Voice::shell; }

// The words with which a person rejected a tool call, inside the text of its result; empty when there are none.
std::string_view rejection_words(std::string_view result_text);

// Text and markers of a content value: a string, or blocks of text, images, documents.
struct ContentText {
  std::string text;    // text blocks joined with newlines
  std::string marker;  // "[image: image/png]" for what is not text; never data
};

// Reads at most about `limit` bytes of text. False only for broken JSON.
bool read_content(RecordContext& context, od::value& content, std::size_t limit, ContentText& out);

// Appends "[image: image/png]" for an image or document block. `block` is walked from its start.
bool append_marker(RecordContext& context, od::object& block, std::string_view type, std::string& marker);

// Emits the tool_result event of one block, and the words of a person who rejected the call, if they stand in it.
// Works for server tool results too. False only for broken JSON.
bool read_tool_result(RecordContext& context, od::object& block, std::size_t index);

// Adds what the structured form of a result (`toolUseResult`) tells: lines changed, the agent that ran, what a person
// chose when asked (a decision event). Most of its bytes repeat file contents and are skipped. `result` is the index of
// the tool_result event in the batch.
bool read_structured_result(RecordContext& context, od::value& structured, std::size_t result);

}  // namespace memd::claude_code
