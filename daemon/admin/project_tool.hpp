#pragma once

#include "protocol/mcp/describe.hpp"
#include "schemas/base/result.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd {
class MemoryHost;
}

// `memd project`: which projects are joined, and joining and splitting them by a person's choice.
namespace memd::admin {

inline constexpr std::array<std::string_view, 3> kProjectActions{"list", "merge", "split"};

struct ProjectParams {
  std::string action = "list";
  std::string project;
  std::string into;
};

struct ProjectLine {
  std::string project;
  std::string path;
  std::int64_t sessions = 0;
  std::string joined_to;
  std::string by;
};

struct ProjectReport {
  std::vector<ProjectLine> projects;
  std::string change;
};

// Errc::not_found and Errc::invalid_argument when no project or several fit what is named.
Result<ProjectReport> project(MemoryHost& host, const ProjectParams& params);

}  // namespace memd::admin

MEMD_DESCRIBE(memd::admin::ProjectParams, field<&T::action>("What to do.", one_of(admin::kProjectActions)),
              field<&T::project>("The project to merge or split: its path, or a part of path or name."),
              field<&T::into>("The project that it is to belong to."));
MEMD_DESCRIBE(
    memd::admin::ProjectLine, field<&T::project>(), field<&T::path>("Its path, the same for all spellings."),
    field<&T::sessions>("Main sessions that began in it."),
    field<&T::joined_to>("Path of the project that it belongs to; empty: it stands by itself."),
    field<&T::by>("Why: worktree, remote, or merged by a person; apart: a person has split it; empty: not joined."));
MEMD_DESCRIBE(memd::admin::ProjectReport, field<&T::projects>("All projects with sessions, by path."),
              field<&T::change>("What was done; empty: nothing."));
