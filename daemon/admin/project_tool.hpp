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

namespace memd::mcp {

template <>
struct Describe<admin::ProjectParams> {
  using T = admin::ProjectParams;
  static constexpr auto fields =
      fields_of(field("action", &T::action, "What to do.", one_of(admin::kProjectActions)),
                field("project", &T::project, "The project to merge or split: its path, or a part of path or name."),
                field("into", &T::into, "The project that it is to belong to."));
};
template <>
struct Describe<admin::ProjectLine> {
  using T = admin::ProjectLine;
  static constexpr auto fields = fields_of(
      field("project", &T::project, "Its name."), field("path", &T::path, "Its path, the same for all spellings."),
      field("sessions", &T::sessions, "Main sessions that began in it."),
      field("joined_to", &T::joined_to, "Path of the project that it belongs to; empty: it stands by itself."),
      field("by", &T::by,
            "Why: worktree, remote, or merged by a person; apart: a person has split it; empty: not joined."));
};
template <>
struct Describe<admin::ProjectReport> {
  using T = admin::ProjectReport;
  static constexpr auto fields = fields_of(field("projects", &T::projects, "All projects with sessions, by path."),
                                           field("change", &T::change, "What was done; empty: nothing."));
};

}  // namespace memd::mcp
