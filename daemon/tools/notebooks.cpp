#include "daemon/tools/notebooks.hpp"

#include "daemon/tools/scope.hpp"
#include "daemon/tools/tool_services.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/time.hpp"

#include <filesystem>
#include <utility>

namespace memd::tools {
namespace {

// Returns an absolute path; empty for any other text.
std::filesystem::path directory_named(const std::string& text) {
  const std::filesystem::path out(text);
  return out.is_absolute() ? out.lexically_normal() : std::filesystem::path();
}

}  // namespace

memories::Notebook notebook_for(const ToolServices& services, const MemoryParams& params,
                                const mcp::ToolContext& context) {
  const auto directory = directory_named(caller_directory(params, context));
  const auto project = directory.empty() ? directory : memories::project_of(directory, services.home);
  return memories::Notebook({services.home, project, services.memory.enterprise_path, services.memory.policy},
                            services.memory, services.clock);
}

Result<std::optional<MemoryScope>> scope_asked(const MemoryParams& params) {
  if (params.scope.value_or("").empty()) return std::optional<MemoryScope>();
  const auto scope = parse_memory_scope(*params.scope);
  if (!scope)
    return Error(Errc::invalid_argument,
                 "scope: \"" + echo_of(*params.scope) + "\" is not a scope: send global, project, local or enterprise");
  return scope;
}

Result<std::optional<MemoryType>> type_asked(const std::optional<std::string>& type) {
  if (type.value_or("").empty()) return std::optional<MemoryType>();
  const auto parsed = parse_memory_type(*type);
  if (!parsed || dialect_of(*parsed) == MemoryDialect::agent)
    return Error(Errc::invalid_argument, "type: \"" + echo_of(*type) + "\" is none: send " +
                                             memory_type_names(MemoryDialect::plugin) + "; or " +
                                             memory_type_names(MemoryDialect::repository));
  return parsed;
}

Result<memories::MemoryName> memory_named(const MemoryParams& params, const std::string& name) {
  MEMD_TRY_ASSIGN(const auto scope, scope_asked(params));
  return memories::MemoryName{name, scope};
}

Answer answer_of_files(const memories::Notebook& notebook) {
  Answer out;
  out.searched = AnswerText("the memories of ");
  const auto& project = notebook.places().project;
  if (project.empty())
    out.searched->add("this person; your directory is not known, or in no repository");
  else
    out.searched->add(AnswerText::Name{project.native()}, " and of this person");
  if (std::string zone = time_zone_label(); zone != "UTC") out.time_zone = std::move(zone);
  return out;
}

std::string version_of(const Memory& memory) { return memory.file_hash.substr(0, kVersionDigits); }

}  // namespace memd::tools
