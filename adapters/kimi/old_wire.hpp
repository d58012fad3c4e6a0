#pragma once

#include "adapters/adapter.hpp"
#include "adapters/json/content.hpp"
#include "adapters/json/record_builder.hpp"

#include <string>
#include <string_view>

namespace memd::kimi {

// Reads a record of kimi-cli, before it became Kimi Code (MoonshotAI/kimi-cli, src/kimi_cli/wire/types.py at 026ae98):
// {"timestamp": seconds, "message": {"type", "payload"}}. `c` has the record's key; its time is set here.
RecordOutcome read_old_record(json::RecordBuilder& c, json::od::object& root, std::string_view timestamp);

// Shared by the records of both programs: they add a call, whose arguments are under `input` as an object or
// as JSON in a string; and a result, whose output is a text or blocks. add_result() returns the id of the subagent that
// the call started, if its output names one.
void add_call(json::RecordBuilder& c, json::od::object& object, std::string_view id, std::string_view name,
              std::string_view input);
std::string add_result(json::RecordBuilder& c, json::od::object& result, std::string_view call,
                       std::string_view error_key);

}  // namespace memd::kimi
