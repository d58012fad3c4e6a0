#include "daemon/resources/memory_resources.hpp"

#include "daemon/tools/answer.hpp"
#include "daemon/tools/memory_read.hpp"
#include "daemon/tools/notebooks.hpp"
#include "daemon/tools/tool_services.hpp"
#include "daemon/tools/toolset.hpp"
#include "protocol/mcp/described_json.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/harmless.hpp"
#include "schemas/base/time.hpp"
#include "store/text/redaction/redactor.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace memd::resources {

struct MemoryVariables {
  std::string scope;
  std::string slug;
};
struct ProjectMemoryVariables : MemoryVariables {
  std::string project;
};

}  // namespace memd::resources

MEMD_DESCRIBE(memd::resources::MemoryVariables, field<&T::scope>("Whose it is.", required, length(1, 20)),
              field<&T::slug>("Its name.", required, length(1, 300)));
MEMD_DESCRIBE(memd::resources::ProjectMemoryVariables, kFieldsOf<memd::resources::MemoryVariables>,
              field<&T::project>("Its directory.", required, length(1, 1000)));

namespace memd::resources {
namespace {

constexpr std::size_t kListed = 100;  // memories
constexpr std::size_t kNameTokens = 30;
constexpr std::int64_t kReadTokens = 4000;

bool is_of_project(MemoryScope scope) { return scope == MemoryScope::project || scope == MemoryScope::local; }

memories::Notebook notebook_at(const tools::ToolServices& services, const std::string& project) {
  tools::MemoryParams params;
  params.cwd = project.empty() ? std::optional<std::string>("/") : project;
  return tools::notebook_for(services, params, mcp::ToolContext());
}

Error no_resource(const MemoryVariables& v) {
  return Error(Errc::not_found, "there is no memory \"" + v.slug + "\" of scope \"" + v.scope + "\"");
}

// Errc::not_found also for an unknown scope.
Result<Memory> memory_at(const tools::ToolServices& services, const MemoryVariables& v, const std::string& project) {
  const auto scope = parse_memory_scope(v.scope);
  if (!scope || is_of_project(*scope) == project.empty()) return no_resource(v);
  const auto found = notebook_at(services, project).find({v.slug, scope});
  if (!found) return no_resource(v);
  return found->read.memory;
}

// Even and not 0, so that the value differs from those that the protocol reserves for "gone" and "unknown".
mcp::ResourceRegistry::Version version_at(const tools::ToolServices& services, const MemoryVariables& v,
                                          const std::string& project) {
  MEMD_TRY_ASSIGN(const Memory m, memory_at(services, v, project));
  std::uint64_t out = 0;
  std::from_chars(m.file_hash.data(), m.file_hash.data() + std::min<std::size_t>(m.file_hash.size(), 16), out, 16);
  return std::max<std::uint64_t>(out & ~1ULL, 2);
}

Result<std::string> read_at(const tools::ToolServices& services, const mcp::ToolRegistry& tools,
                            const MemoryVariables& v, const std::string& project, mcp::ToolContext& context) {
  MEMD_TRY(memory_at(services, v, project));
  tools::MemoryReadParams asked;
  asked.slug = v.slug;
  asked.scope = v.scope;
  asked.cwd = project;
  asked.max_tokens = kReadTokens;
  return tools::tool_text(tools, "memory_read", mcp::to_arguments(asked), context);
}

mcp::Completer scope_values(std::vector<std::string> scopes) {
  return [scopes = std::move(scopes)](std::string_view typed, mcp::ToolContext&) -> Result<mcp::ArgumentValues> {
    mcp::ArgumentValues out;
    for (const auto& scope : scopes)
      if (scope.starts_with(typed)) out.values.push_back(scope);
    return out;
  };
}

// Completes slugs: by prefix of the slug, or by a part of the title.
mcp::Completer slug_values(const tools::ToolServices& services, bool of_project) {
  return [services, of_project](std::string_view typed, mcp::ToolContext& context) -> Result<mcp::ArgumentValues> {
    const std::string wanted = ascii::lowered(typed);
    mcp::ArgumentValues out;
    for (const auto& read : tools::notebook_for(services, {}, context).all()) {
      const Memory& m = read.memory;
      if (is_of_project(m.scope) != of_project ||
          !(m.slug.starts_with(typed) || ascii::lowered(m.title).find(wanted) != std::string::npos))
        continue;
      if (out.values.size() < mcp::kMaxArgumentValues)
        out.values.push_back(m.slug);
      else
        out.more = true;
    }
    return out;
  };
}

// Completes the client's project, if it has only one.
mcp::Completer directory_values(const tools::ToolServices& services) {
  return [services](std::string_view typed, mcp::ToolContext& context) -> Result<mcp::ArgumentValues> {
    mcp::ArgumentValues out;
    const std::string project = tools::notebook_for(services, {}, context).places().project.native();
    if (!project.empty() && project.starts_with(typed)) out.values.push_back(project);
    return out;
  };
}

}  // namespace

std::string memory_uri(const Memory& memory, const std::filesystem::path& project) {
  std::string out = "memory://" + std::string(to_string(memory.scope)) + "/" + mcp::percent_encoded(memory.slug);
  if (is_of_project(memory.scope)) out += "/of/" + mcp::percent_encoded(project.native());
  return out;
}

std::vector<mcp::ResourceEntry> memory_entries(const tools::ToolServices& services, const mcp::ToolContext& context) {
  std::vector<mcp::ResourceEntry> out;
  if (services.home.empty()) return out;
  const auto notebook = tools::notebook_for(services, {}, context);
  std::vector<Memory> all;
  for (auto& read : notebook.all())
    if (read.is_valid()) all.push_back(std::move(read.memory));
  std::stable_sort(all.begin(), all.end(), [](const Memory& a, const Memory& b) { return a.updated > b.updated; });
  if (all.size() > kListed) all.resize(kListed);
  for (const Memory& m : all) {
    mcp::ResourceEntry entry;
    entry.uri = memory_uri(m, notebook.places().project);
    std::string title = m.title.empty() ? m.slug : m.title;
    redact(title);
    append_recorded(entry.name, tools::short_line(title, kNameTokens), Lines::joined);
    entry.description = tools::AnswerText().add("A memory: ", m.type, ", ", m.scope).str();
    if (m.updated > 0) entry.last_modified = format_rfc3339(m.updated);
    out.push_back(std::move(entry));
  }
  return out;
}

void add_memory_resources(mcp::ResourceRegistry& registry, const tools::ToolServices& services,
                          const mcp::ToolRegistry& tools) {
  if (services.home.empty()) return;
  using mcp::ToolContext;
  mcp::ResourceInfo of_project;
  of_project.uri_template = "memory://{scope}/{slug}/of/{project}";
  of_project.name = "project-memory";
  of_project.title = "Memory of a project";
  of_project.description = "A memory of a project, whole, with its links. The project is its directory.";
  of_project.completers["scope"] = scope_values({"project", "local"});
  of_project.completers["slug"] = slug_values(services, true);
  of_project.completers["project"] = directory_values(services);
  registry.add<ProjectMemoryVariables>(
      std::move(of_project),
      [services, &tools](const ProjectMemoryVariables& v, ToolContext& context) {
        return read_at(services, tools, v, v.project, context);
      },
      [services](const ProjectMemoryVariables& v, ToolContext&) { return version_at(services, v, v.project); });

  mcp::ResourceInfo own;
  own.uri_template = "memory://{scope}/{slug}";
  own.name = "memory";
  own.title = "Memory";
  own.description = "A memory of this person (global) or of the organisation (enterprise), whole, with its links.";
  own.completers["scope"] = scope_values({"global", "enterprise"});
  own.completers["slug"] = slug_values(services, false);
  registry.add<MemoryVariables>(
      std::move(own),
      [services, &tools](const MemoryVariables& v, ToolContext& context) {
        return read_at(services, tools, v, {}, context);
      },
      [services](const MemoryVariables& v, ToolContext&) { return version_at(services, v, {}); });
}

}  // namespace memd::resources
