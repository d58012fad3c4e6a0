#include "schemas/source.hpp"

#include "schemas/base/reflected_name.hpp"

namespace memd {

std::string_view to_string(SourceFormat f) { return reflect::enum_name(f, "unknown"); }

std::string_view to_string(SourceState s) { return reflect::enum_name(s, "unknown"); }

std::string_view to_string(IngestionStep step) { return reflect::enum_name(step, "unknown"); }

std::string_view to_string(RawMode mode) { return reflect::enum_name(mode, "off"); }

std::optional<RawMode> parse_raw_mode(std::string_view text) { return reflect::enum_of<RawMode>(text); }

}  // namespace memd
