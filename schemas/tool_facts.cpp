#include "schemas/tool_facts.hpp"

#include "schemas/base/reflected_name.hpp"

namespace memd {

std::string_view to_string(CommandPurpose p) { return reflect::enum_name(p, "other"); }

std::string_view to_string(RunOutcome o) { return reflect::enum_name(o, "unknown"); }

std::string_view to_string(TodoState s) { return reflect::enum_name(s, "unstated"); }

}  // namespace memd
