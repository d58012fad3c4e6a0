#include "schemas/memory_path_policy.hpp"

#include "schemas/base/error.hpp"
#include "schemas/base/reflected_name.hpp"

namespace memd {

std::string_view to_string(MemoryPathMode m) { return reflect::enum_name(m, "legacy_first"); }
std::optional<MemoryPathMode> parse_memory_path_mode(std::string_view text) {
  return reflect::enum_of<MemoryPathMode>(text);
}

MemoryDialect MemoryPathPolicy::default_dialect() const {
  return mode == MemoryPathMode::platform_opt_in && opt_in_enabled ? MemoryDialect::repository : MemoryDialect::plugin;
}

Result<void> MemoryPathPolicy::check_write(MemoryScope scope, MemoryDialect dialect) const {
  if (dialect == MemoryDialect::agent)
    return Error(Errc::permission, "files of agents are read only: change them with an editor");
  const bool in_project = scope == MemoryScope::project || scope == MemoryScope::local;
  if (!in_project || opt_in_enabled) return {};
  return Error(Errc::permission,
               "memd writes into a project only when the configuration says so "
               "(memory: {opt_in: true}); scope global needs nothing");
}

}  // namespace memd
