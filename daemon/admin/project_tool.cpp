#include "daemon/admin/project_tool.hpp"

#include "daemon/host/memory_host.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/harmless.hpp"
#include "store/read/projects.hpp"
#include "store/reader_pool.hpp"
#include "store/write/project_rows.hpp"

#include <chrono>

namespace memd::admin {
namespace {

using namespace std::chrono_literals;

Result<KnownProjectRow> project_named(Reader& reader, std::string_view what, const std::string& text) {
  if (text.empty()) return Error(Errc::invalid_argument, std::string(what) + ": say which project; memd project list");
  return reader.ask(FindProjectQuery{text});
}

Result<std::string> merge(MemoryHost& host, Reader& reader, const ProjectParams& params) {
  MEMD_TRY_ASSIGN(const KnownProjectRow project, project_named(reader, "project", params.project));
  MEMD_TRY_ASSIGN(const KnownProjectRow into, project_named(reader, "into", params.into));
  if (project.key == into.key)
    return Error(Errc::invalid_argument, recorded(into.key) + " is the same project: nothing to merge");
  const auto join = [&](Writer& writer) -> Result<void> {
    Result<void> merged;
    MEMD_TRY(writer.transact([&](sqlite::Database& db) { merged = projects::merge(db, project.key, into.key); }));
    return merged;
  };
  MEMD_TRY(host.ingest()->perform(join));
  return project.key + " belongs to " + into.key + " now; `memd project split` takes it back";
}

Result<std::string> split(MemoryHost& host, Reader& reader, const ProjectParams& params) {
  MEMD_TRY_ASSIGN(const KnownProjectRow project, project_named(reader, "project", params.project));
  bool done = false;
  MEMD_TRY(host.ingest()->perform([&](Writer& writer) {
    return writer.transact([&](sqlite::Database& db) { done = projects::split(db, project.key); });
  }));
  if (!done) return Error(Errc::invalid_argument, recorded(project.key) + " belongs to no other project");
  return project.key + " no longer belongs to " + project.joined_to +
         (project.join == ProjectJoin::person ? " by your choice" : "; `memd project merge` takes it back");
}

}  // namespace

Result<ProjectReport> project(MemoryHost& host, const ProjectParams& params) {
  ProjectReport report;
  MEMD_TRY_ASSIGN(auto reader, host.readers().acquire(5s));
  if (params.action != "list") {
    if (host.ingest() == nullptr) return host.does_not_write();
    MEMD_TRY_ASSIGN(report.change,
                    params.action == "merge" ? merge(host, *reader, params) : split(host, *reader, params));
  }
  MEMD_TRY_ASSIGN(const auto projects, reader->ask(ProjectListQuery{}));
  for (const KnownProjectRow& p : projects)
    report.projects.push_back({p.name, p.key, p.sessions, p.joined_to, std::string(to_string(p.join))});
  return report;
}

}  // namespace memd::admin
