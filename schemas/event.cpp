#include "schemas/event.hpp"

#include "schemas/base/hash.hpp"
#include "schemas/base/reflected_name.hpp"

namespace memd {

static_assert(reflect::kEnumNames<EventKind>.size() == kEventKindCount);

std::string_view to_string(EventKind k) { return reflect::kEnumNames<EventKind>.at(static_cast<std::size_t>(k)); }
std::optional<EventKind> parse_event_kind(std::string_view text) { return reflect::enum_of<EventKind>(text); }

std::string_view to_string(Role r) {
  switch (r) {
    case Role::none: return "";
    case Role::user: return "user";
    case Role::assistant: return "assistant";
    case Role::system: return "system";
    case Role::tool: return "tool";
  }
  return "";
}

std::string_view to_string(Origin o) { return reflect::enum_name(o, "none"); }

std::string_view to_string(FileAccess a) { return reflect::enum_name(a, "referenced"); }

std::uint64_t record_key(Platform platform, std::string_view native_record_id) {
  return hash64(native_record_id, static_cast<std::uint64_t>(platform) + 1);
}

std::uint64_t event_key(std::uint64_t record, std::uint32_t index) {
  return index == 0 ? record : hash_combine(record, index);
}

}  // namespace memd
