#include "daemon/tools/reading.hpp"

#include "daemon/tools/tool_services.hpp"
#include "schemas/base/error.hpp"
#include "schemas/query.hpp"
#include "store/read/projects.hpp"
#include "store/read/sessions.hpp"

#include <chrono>

namespace memd::tools {

Result<ReaderPool::Lease> lease_reader(const ToolServices& services, std::stop_token stop) {
  auto lease = services.readers.acquire(std::chrono::seconds(5));
  if (lease) (*lease)->watch(std::move(stop));
  if (!lease)
    if (std::string trouble = services.freshness.trouble(); !trouble.empty())
      return Error(lease.error().code, std::move(trouble));
  return lease;
}

Result<SessionRow> find_session(const ToolServices& services, Reader& reader, std::string_view reference,
                                std::string_view project) {
  auto session = reader.ask(SessionQuery{reference, project});
  if (session || !session.error().is(Errc::not_found)) return session;
  std::int64_t behind = 0;
  for (const auto& row : services.freshness.freshness())
    behind += row.sources_behind;
  if (behind == 0) return session;
  return Error(Errc::not_found, session.error().message() + "; history is still being read (" + std::to_string(behind) +
                                    (behind == 1 ? " source" : " sources") + " to go): ask again in a moment");
}

Result<SessionRow> session_asked_for(const ToolServices& services, Reader& reader, const ProjectsAsked& projects,
                                     const std::optional<std::string>& session_id) {
  const std::string reference = session_id.value_or("");
  if (!reference.empty()) return find_session(services, reader, reference);
  if (projects.filter.empty() || projects.narrowed) return find_session(services, reader, "latest", projects.filter);
  const auto project = reader.ask(FindProjectQuery{projects.filter});
  if (!project && !project.error().is(Errc::not_found)) return project.error();
  return find_session(services, reader, "latest", project ? project_tree(project->key) : projects.filter);
}

}  // namespace memd::tools
