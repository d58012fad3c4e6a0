#pragma once

#include "adapters/claude_code/record_context.hpp"
#include "adapters/json/json_access.hpp"

#include <string_view>

// One function a kind of record. `root` is the record's object (or, for the two messages, what stands in its place in
// agent_progress), to be walked from its first field; scalars of it are in context.envelope().
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

// Words typed while the agent worked, from whichever record tells of them. False, and nothing emitted, when they are
// not a person's.
bool emit_queued(RecordContext& context, std::string_view text, std::string_view lifecycle);

}  // namespace memd::claude_code
