#include "schemas/outcome.hpp"

#include "schemas/base/reflected_name.hpp"

namespace memd {

std::string_view to_string(Outcome o) { return reflect::enum_name(o, "unknown"); }

std::string_view to_string(OutcomeSign sign) { return reflect::enum_name(sign); }

}  // namespace memd
