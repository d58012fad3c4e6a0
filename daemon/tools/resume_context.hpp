#pragma once

#include "daemon/tools/answer.hpp"
#include "daemon/tools/found_memories.hpp"
#include "daemon/tools/scope_params.hpp"
#include "schemas/session_row.hpp"
#include "store/insight/continuity/working_state.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace memd::tools {

struct ResumeParams : ScopeParams {
  std::optional<std::string> session_id;
  std::string before = "auto";
  std::string complement = "auto";
};

struct ResumeBoundaryOut {
  std::string kind;
  std::string time;
  std::int64_t compaction = 0;
  std::int64_t compactions = 0;
  std::optional<std::string> detail;
};

struct ResumeCommandsOut {
  std::string exchange_id;
  std::vector<std::string> lines;
};

struct ResumeAnswer : Answer, SessionRefOut {
  std::optional<std::string> cwd;
  std::optional<std::string> git_branch;
  ResumeBoundaryOut boundary;
  std::string platform_summary;
  std::int64_t said_already = 0;
  std::int64_t left_out = 0;
  std::optional<std::vector<std::string>> goal;
  std::optional<std::vector<std::string>> constraints;
  std::optional<std::vector<std::string>> decisions;
  std::optional<std::vector<std::string>> said;
  std::optional<std::vector<std::string>> problems;
  std::optional<std::string> last_error;
  std::optional<std::vector<std::string>> tests;
  std::optional<std::vector<std::string>> next_steps;
  std::optional<std::string> last_words;
  std::optional<std::vector<std::string>> running;
  std::optional<std::vector<std::string>> files;
  std::optional<std::vector<ResumeCommandsOut>> commands;
  std::optional<std::vector<std::string>> memories;
};
AnswerText render_text(const ResumeAnswer& answer);

void add_resume_context(mcp::ToolRegistry& registry, const ToolServices& services);

// The data of an answer of resume_context, read once.
struct ResumeMaterial {
  SessionRow session;
  continuity::SessionPast past;  // with the full texts that could be read
  continuity::WorkingState state;
  std::string summary;      // the platform's own; empty: none
  bool complement = false;  // the answer leaves out what `summary` says
  bool told = true;         // false: the platform is excluded; the frame says why
  Answer frame;
  ResumeAnswer head;                         // without the packed sections
  std::vector<catalog::MemoryHit> memories;  // see load_memories_in_mind()
};
Result<ResumeMaterial> load_resume_material(const ToolServices& services, Reader& reader, const ResumeParams& params);

// Packs the answer into at most `max_tokens`. Deterministic; does not query the store.
Result<ResumeAnswer> pack_resume_answer(const ResumeMaterial& material, std::size_t max_tokens);

}  // namespace memd::tools

MEMD_DESCRIBE(memd::tools::ResumeParams,
              field<&T::session_id>("Default: the newest session of cwd or project.", length(0, 200)),
              mcp::field_at<2>(tools::kPlatformFields), field<&T::cwd>("Your working directory.", length(0, 1000)),
              field<&T::before>("compaction (the last), its number, now (under way), end, or auto.", length(1, 20)),
              field<&T::complement>("Leave out what the agent's own summary says.", one_of("auto", "always", "never")),
              mcp::field_at<0>(tools::kPageFields));
MEMD_DESCRIBE(memd::tools::ResumeBoundaryOut,
              field<&T::kind>("compaction, microcompaction or end: nothing later is shown."),
              field<&T::time>("RFC 3339."), field<&T::compaction>("Its number in the session, from 1; 0 for the end."),
              field<&T::compactions>("Compactions of the session."), field<&T::detail>("What the agent noted of it."));
MEMD_DESCRIBE(memd::tools::ResumeCommandsOut, field<&T::exchange_id>("Where they ran last."),
              field<&T::lines>("As they ran; (failed): they did the last time; …: cut."));
MEMD_DESCRIBE_ANSWER(
    memd::tools::ResumeAnswer, plain<&T::session_id, &T::session_name, &T::platform>(),
    field<&T::cwd>("Working directory at the boundary."), field<&T::git_branch>("Branch at the boundary."),
    field<&T::boundary>("The point it describes."),
    field<&T::platform_summary>(
        "none; left_out: the agent's own summary, what it says is not repeated; not_used: there is one."),
    field<&T::said_already>("Items that are not repeated."),
    field<&T::left_out>("Items for which max_tokens was too small."),
    field<&T::goal>("As the user last put it, then the first request. [x42]: where, for get_exchange."),
    field<&T::constraints>("Constraints set by the user."), field<&T::decisions>("What the user decided."),
    field<&T::said>("What the agent chose and measured, and values that the user gave."), field<&T::problems>(),
    field<&T::last_error>("The last failure that was not fixed: what was run and what it said."),
    field<&T::tests>("Those that failed, and the newest that passed."),
    field<&T::next_steps>("Tasks as the list last was, promises, and steps as last stated."),
    field<&T::last_words>("Of the agent."), field<&T::running>("Started in the background."),
    field<&T::files>("A directory a line; e edited, r read, how many times; {names that live there:line}."),
    field<&T::commands>("Most likely needed again first."),
    field<&T::memories>(
        "[slug] Files that people own: pinned ones, the project's core, and those about the files in play."));
