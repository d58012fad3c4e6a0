#include "daemon/tools/resume_context.hpp"

#include "daemon/tools/reading.hpp"
#include "daemon/tools/scope.hpp"
#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/time.hpp"
#include "schemas/base/utf8.hpp"
#include "schemas/ids.hpp"
#include "store/files/git_place.hpp"
#include "store/insight/continuity/pack.hpp"
#include "store/insight/continuity/text_content.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/name_spread.hpp"
#include "store/read/projects.hpp"
#include "store/read/session_past.hpp"
#include "store/read/sessions.hpp"
#include "store/text/redaction/redactor.hpp"
#include "store/text/text_units.hpp"
#include "store/text/token_budget.hpp"

#include <algorithm>
#include <charconv>

namespace memd::tools {
namespace {

constexpr std::size_t kLongestText = 32 * 1024;  // bytes read of an event; the platform's summary: 1 MiB

// Reads the text of an event, cut to `limit` bytes, secrets masked. Empty if the record cannot be read.
std::string read_text(const RawText& texts, const EventSource& where, EventKind kind, std::size_t limit) {
  auto text = texts.event_text(where, kind);
  if (!text) return {};
  text->resize(utf8_prefix(*text, limit).size());
  redact(*text);
  return std::move(*text);
}

// Loads the full texts of continuity::texts_to_fetch() into past.full_texts, secrets masked. Returns how many could not
// be read; for those the rows' single lines are used.
Result<std::size_t> fetch_past_texts(const RawText& texts, Reader& reader, std::int64_t session_pk,
                                     continuity::SessionPast& past) {
  const std::vector<std::int64_t> wanted = continuity::texts_to_fetch(past);
  MEMD_TRY_ASSIGN(const auto places, reader.ask(EventSourcesQuery{session_pk, wanted}));
  std::size_t missing = wanted.size() - places.size();
  for (const auto& [seq, where] : places) {
    std::string text = read_text(texts, where, past.event(seq)->kind, kLongestText);
    if (text.empty())
      ++missing;
    else
      past.full_texts.emplace(seq, std::move(text));
  }
  return missing;
}

// Sorts the names by their use and, for the first kWeighed, by their spread over sessions and projects.
Result<void> weigh_names(Reader& reader, std::vector<continuity::WorkingName>& names) {
  constexpr std::size_t kWeighed = 240;
  NameSpreadQuery query;
  for (std::size_t i = 0; i < std::min(kWeighed, names.size()); ++i)
    query.names.push_back(names[i].text);
  MEMD_TRY_ASSIGN(const auto spreads, reader.ask(query));
  continuity::weigh_names(names, spreads);
  return {};
}

// Returns the platform's own summary at the boundary; empty if there is none or it cannot be read.
std::string platform_summary(const RawText& texts, Reader& reader, std::int64_t session_pk,
                             const continuity::Boundary& boundary) {
  if (!boundary.summary_seq) return {};
  const auto where = reader.ask(EventSourceQuery{session_pk, *boundary.summary_seq});
  return where ? read_text(texts, *where, EventKind::lifecycle, std::size_t{1} << 20) : std::string();
}

using continuity::BoundaryChoice;

constexpr double kMemoryShareOfPack = 0.12;

// Returns files that were changed or read before the boundary, latest use first.
std::vector<std::string> working_files(const continuity::SessionPast& past) {
  constexpr std::size_t kMost = 40;
  std::vector<std::string> out;
  for (auto event = past.events.rbegin(); event != past.events.rend() && out.size() < kMost; ++event)
    if (!event->path.empty() && std::find(out.begin(), out.end(), event->path) == out.end()) out.push_back(event->path);
  return out;
}

// Returns whether there is something to resume. A session that has just begun is the caller's own.
bool has_past(const SessionRow& s) { return s.compactions > 0 || s.exchanges > 1; }

// Returns the project's newest session with a past, else its newest session; nullopt if it has none.
Result<std::optional<SessionRow>> newest_of_project(Reader& reader, const std::string& key) {
  std::optional<SessionRow> newest;
  if (key.empty()) return newest;
  SessionListQuery query;
  query.filter.project = key;
  query.filter.include_subagents = false;
  query.limit = 8;
  for (query.offset = 0;; query.offset += query.limit) {
    MEMD_TRY_ASSIGN(SessionList list, reader.ask(query));
    for (SessionRow& s : list.sessions) {
      if (s.project_key != key) continue;  // of a project in a directory below
      if (has_past(s)) return std::optional(std::move(s));
      if (!newest) newest = std::move(s);
    }
    if (list.sessions.size() < static_cast<std::size_t>(query.limit)) return newest;
  }
}

// Returns an error that names recent projects, because the state of another project would mislead. `cwd` may be empty.
Error nothing_known_of(Reader& reader, const std::string& cwd) {
  const auto recent = reader.ask(RecentProjectsQuery());
  if (!recent) return recent.error();
  std::string message = "your directory is not known: send cwd";
  if (!cwd.empty()) message = "nothing is known of work in " + recorded(echo_of(cwd)) + " or a directory above it";
  if (!recent->empty()) message += "; recent projects: " + recorded(joined(*recent));
  return Error(Errc::not_found, message + ". Send project, or session_id=\"latest\" for the newest session of all");
}

// The project of a session that a call did not name.
struct Whose {
  AnswerText project;  // "project /home/u/app"; empty: the call named the session or its project
  AnswerText notice;   // what the caller has to know of that; may be empty
};

// Chooses the session to resume in `cwd`: the newest of the directory's project, else of the nearest project in a
// directory above, which `notice` then says. Errc::not_found if there is none.
Result<SessionRow> choose_by_directory(const ToolServices& services, Reader& reader, const std::string& cwd,
                                       Whose& whose) {
  const std::string directory = files::repository_of(cwd);
  MEMD_TRY_ASSIGN(const auto project, reader.ask(NearestProjectQuery{directory}));
  if (project) {
    MEMD_TRY_ASSIGN(auto found, newest_of_project(reader, project->key));
    if (found && project->directory != directory)
      whose.notice.add("No session of ", AnswerText::Echo{echo_of(cwd)}, ": this is one of ",
                       AnswerText::Name{echo_of(project->directory)}, ".");  // a directory above the caller's
    whose.project.add("project ", AnswerText::Name{echo_of(project->directory)});
    if (found) return std::move(*found);
  }
  MEMD_TRY(find_session(services, reader, "latest"));  // fails if there are no sessions at all
  return nothing_known_of(reader, cwd);
}

Result<SessionRow> choose_session(const ToolServices& services, Reader& reader, const ResumeParams& params,
                                  Whose& whose) {
  const std::string reference = params.session_id.value_or("");
  const bool of_directory = reference.empty() && params.project.value_or("").empty();
  if (of_directory && !params.cwd.value_or("").empty())
    return choose_by_directory(services, reader, *params.cwd, whose);
  const ProjectsAsked projects{params.project.value_or(""), {}, false};
  MEMD_TRY_ASSIGN(SessionRow latest, session_asked_for(services, reader, projects, params.session_id));
  if (of_directory) {
    MEMD_TRY_ASSIGN(const auto projects_known, reader.ask(ProjectListQuery{}));
    if (projects_known.size() > 1) return nothing_known_of(reader, {});
    whose.project = "the only project that is known, as your directory is not (send cwd)";
  }
  if ((!reference.empty() && reference != "latest") || has_past(latest)) return latest;
  MEMD_TRY_ASSIGN(auto found, newest_of_project(reader, latest.project_key));
  return found ? std::move(*found) : std::move(latest);
}

Result<BoundaryChoice> read_choice(const std::string& before) {
  if (before == "auto" || before == "compaction" || before == "now") return BoundaryChoice{};
  if (before == "end") return BoundaryChoice{BoundaryChoice::At::end, 0};
  std::int64_t number = 0;
  const auto [end, ec] = std::from_chars(before.data(), before.data() + before.size(), number);
  if (ec == std::errc() && end == before.data() + before.size() && number > 0)
    return BoundaryChoice{BoundaryChoice::At::number, number};
  return Error(Errc::invalid_argument,
               "before: \"" + before +
                   "\" is no moment of a session, send auto, compaction, end, now or the number of "
                   "a compaction (1, 2, …)");
}

// Loads the session and its past. Sets `goes_on` if the session's agent has the summary of the compaction in its
// context.
Result<void> load_past(const ToolServices& services, Reader& reader, const ResumeParams& params, ResumeMaterial& out,
                       Whose& whose, bool& goes_on) {
  MEMD_TRY_ASSIGN(const BoundaryChoice choice, read_choice(params.before));
  MEMD_TRY_ASSIGN(out.session, choose_session(services, reader, params, whose));
  MEMD_TRY_ASSIGN(out.past, reader.ask(SessionPastQuery{out.session.pk, choice}));
  const continuity::Boundary& b = out.past.boundary;
  const bool compacted = b.kind != continuity::BoundaryKind::end;
  goes_on =
      compacted && b.number == b.count &&
      (!out.past.worked_on || out.session.life.ended_at(services.clock.now(), services.defaults.stopped_after) == 0);
  // A compaction that is under way is not in the store yet. The last one is this one only if no work followed it.
  const bool is_past = params.before == "now" ? out.past.worked_on : params.before == "auto" && !goes_on;
  if (!compacted || !is_past) return {};
  MEMD_TRY_ASSIGN(out.past, reader.ask(SessionPastQuery{out.session.pk, {BoundaryChoice::At::end, 0}}));
  return {};
}

void put(continuity::Pack pack, ResumeAnswer& out) {
  out.goal = unless_empty(std::move(pack.goal));
  out.constraints = unless_empty(std::move(pack.constraints));
  out.decisions = unless_empty(std::move(pack.decisions));
  out.said = unless_empty(std::move(pack.said));
  out.problems = unless_empty(std::move(pack.problems));
  out.last_error = std::move(pack.last_error);
  out.tests = unless_empty(std::move(pack.tests));
  out.next_steps = unless_empty(std::move(pack.next_steps));
  out.last_words = std::move(pack.last_words);
  out.running = unless_empty(std::move(pack.running));
  out.files = unless_empty(std::move(pack.files));
  std::vector<ResumeCommandsOut> commands;
  for (continuity::CommandGroup& g : pack.commands)
    commands.push_back({format_exchange_id(g.exchange), std::move(g.lines)});
  out.commands = unless_empty(std::move(commands));
  out.left_out = pack.left_out;
}

ResumeAnswer head_of(const ResumeMaterial& past, const Answer& frame) {
  ResumeAnswer out;
  static_cast<Answer&>(out) = frame;
  static_cast<SessionRefOut&>(out) = session_ref(past.session.uid, past.session.title, past.session.platform, 14);
  out.cwd = unless_empty(past.past.cwd);
  out.git_branch = unless_empty(past.past.branch);
  const continuity::Boundary& b = past.past.boundary;
  out.boundary = {std::string(to_string(b.kind)), format_rfc3339(b.time), b.number, b.count, unless_empty(b.detail)};
  return out;
}

// Returns the largest answer within `limit`. The tokens of a pack are counted part by part, which overestimates the
// whole, so its budget is stretched until the answer uses the limit.
Result<ResumeAnswer> fit_pack(std::size_t limit, const Answer& frame, ResumeAnswer head,
                              const continuity::WorkingState& state, const continuity::Shares& shares) {
  constexpr double kMostStretch = 1.6;
  constexpr double kCloseEnough = 0.97;
  constexpr std::size_t kLeastBody = 60;
  const std::size_t frame_tokens = estimate_tokens(mcp::to_json(frame));
  const auto head_tokens = [&] { return estimate_tokens(mcp::to_json(head)); };
  constexpr std::size_t kRoomForDetail = 1500;
  if (limit < kRoomForDetail) head.boundary.detail = std::nullopt;
  // In an answer of a few lines the goal has priority over directory, memories, branch and title.
  if (head_tokens() + kLeastBody > limit) head.cwd = head.boundary.detail = std::nullopt;
  if (head_tokens() + kLeastBody > limit) head.memories = std::nullopt;
  if (head_tokens() + kLeastBody > limit) head.git_branch = std::nullopt, head.session_name.clear();
  const std::size_t taken = head_tokens();
  const std::size_t body = limit - std::min(limit, taken);
  double stretch = 1;
  const auto build = [&](std::size_t tokens) {
    ResumeAnswer out = head;
    const std::size_t left = (tokens + frame_tokens) - std::min(tokens + frame_tokens, taken);
    put(continuity::make_pack(state, static_cast<std::size_t>(static_cast<double>(left) * stretch), shares), out);
    return out;
  };
  for (int attempt = 0; attempt < 2; ++attempt) {
    const ResumeAnswer out = build(limit - std::min(limit, frame_tokens));
    const double used = static_cast<double>(estimate_tokens(mcp::to_json(out))) - static_cast<double>(taken);
    if (out.left_out == 0 || used < 1 || used > kCloseEnough * static_cast<double>(body)) break;
    stretch = std::min(kMostStretch, stretch * static_cast<double>(body) * 0.99 / used);
  }
  return fit_answer<ResumeAnswer>(limit, frame, build);
}

Result<ResumeAnswer> run(const ToolServices& services, ResumeParams params, mcp::ToolContext& context) {
  params.cwd = caller_directory(params, context);
  MEMD_TRY_ASSIGN(const auto reader, lease_reader(services, context.stop));
  MEMD_TRY_ASSIGN(const ResumeMaterial material, load_resume_material(services, *reader, params));
  return pack_resume_answer(material, token_limit(services, params));
}

template <std::size_t size>
void add_section(HistoryText& body, const char (&title)[size], const std::optional<std::vector<std::string>>& lines) {
  if (!lines) return;
  body.add(title, ":\n");
  for (const std::string& line : *lines)
    body.add(line, "\n");
}

template <std::size_t size>
void add_line(HistoryText& body, const char (&title)[size], const std::optional<std::string>& text) {
  if (text) body.add(title, ": ", *text, "\n");
}

void add_boundary(AnswerText& out, const ResumeBoundaryOut& b) {
  if (b.kind == "end")
    out.add("to its end");
  else
    out.add("before its ", AnswerText::Id{b.kind}, " ", b.compaction);
  if (b.compactions > 0 && b.kind == "end")
    out.add(" (", counted_words(b.compactions, "compaction"), ")");
  else if (b.compactions > 0)
    out.add(" of ", b.compactions);
  out.add(", ", AnswerText::Time{b.time});
}

}  // namespace

Result<ResumeMaterial> load_resume_material(const ToolServices& services, Reader& reader, const ResumeParams& params) {
  ResumeMaterial out;
  Whose whose;
  bool goes_on = false;
  MEMD_TRY(load_past(services, reader, params, out, whose, goes_on));
  MEMD_TRY_ASSIGN(const Scope scope, scope_of(services, out.session, Capability::exchange_retrieval));
  out.frame = answer_for(scope);
  out.frame.searched = unless_empty(whose.project);
  out.head = head_of(out, out.frame);
  lead_with(out.head, whose.notice);
  out.head.platform_summary = "none";
  out.told = scope.includes(out.session.platform);
  if (!out.told) return out;
  const std::string project = out.session.project_key.empty() ? "\x01\x01" : project_tree(out.session.project_key);
  MEMD_TRY_ASSIGN(out.memories, load_memories_in_mind(reader, project, working_files(out.past)));
  const auto texts = services.raw_text.walk();
  MEMD_TRY_ASSIGN(const std::size_t missing, fetch_past_texts(*texts, reader, out.session.pk, out.past));
  out.state = continuity::recover_state(out.past);
  MEMD_TRY(weigh_names(reader, out.state.names));
  out.summary = platform_summary(*texts, reader, out.session.pk, out.past.boundary);
  out.complement = !out.summary.empty() && (params.complement == "always" || (params.complement == "auto" && goes_on));
  if (!out.summary.empty()) out.head.platform_summary = out.complement ? "left_out" : "not_used";
  if (params.complement == "always" && out.summary.empty())
    lead_with(out.head, "There is no summary of the agent's own to leave out: this is the whole state.");
  tell_evicted(out.head.notice, std::ranges::count_if(out.past.exchanges, &ExchangeRow::is_evicted));
  if (missing > 0)
    out.head.notice.say(missing, " records are gone from disk: only one line of their edits and results is known.");
  return out;
}

Result<ResumeAnswer> pack_resume_answer(const ResumeMaterial& material, std::size_t max_tokens) {
  ResumeAnswer head = material.head;
  const auto for_memories = static_cast<std::size_t>(kMemoryShareOfPack * static_cast<double>(max_tokens));
  head.memories = unless_empty(memories_to_keep_in_mind(material.memories, for_memories));
  continuity::WorkingState state = material.state;
  if (material.complement) head.said_already = leave_out(state, continuity::TextContent(material.summary));
  return fit_pack(max_tokens, material.frame, std::move(head), state,
                  material.complement ? continuity::kWeights.complement : continuity::kWeights.whole);
}

AnswerText render_text(const ResumeAnswer& a) {
  AnswerText out;
  out.add(answer_header(a), "Session ", AnswerText::Id{a.session_id}, " (", AnswerText::Id{a.platform}, ") ");
  add_boundary(out, a.boundary);
  out.add(". The agent's summary: ", AnswerText::Id{a.platform_summary});
  if (a.platform_summary == "left_out") out.add(", ", counted_words(a.said_already, "item"), " of it not repeated");
  out.add(".\n");
  HistoryText body;
  body.add("Session: ", a.session_name);
  if (a.cwd) body.add("  in ", *a.cwd);
  if (a.git_branch) body.add("  branch ", *a.git_branch);
  if (a.boundary.detail) body.add("  ", a.boundary.kind, ": ", *a.boundary.detail);
  body.add("\n");
  add_section(body, "Goal", a.goal);
  add_section(body, "Keep to", a.constraints);
  add_section(body, "Memories", a.memories);
  add_section(body, "Decided", a.decisions);
  add_section(body, "Said", a.said);
  add_section(body, "Open", a.problems);
  add_line(body, "Last error", a.last_error);
  add_section(body, "Tests", a.tests);
  add_section(body, "Next", a.next_steps);
  add_line(body, "Agent's last words", a.last_words);
  add_section(body, "In the background", a.running);
  add_section(body, "Files (e edited, r read)", a.files);
  if (a.commands) {
    body.add("Commands:\n");
    for (const ResumeCommandsOut& group : *a.commands) {
      body.add("[", group.exchange_id, "]\n");
      for (const std::string& line : group.lines)
        body.add(HistoryText::Whole{line}, "\n");
    }
  }
  out.quote(body);
  if (a.left_out > 0) out.add(counted_words(a.left_out, "item"), " did not fit: raise max_tokens.\n");
  return out.add("Full text: get_exchange(ids=[\"x…\"], include_tools=true).\n", answer_footer(a));
}

void add_resume_context(mcp::ToolRegistry& registry, const ToolServices& services) {
  mcp::ToolInfo info;
  info.name = "resume_context";
  info.title = "Continue where you left off";
  info.description =
      "What was I doing, where did we leave off? Continue, pick up or take over work that any agent (Claude "
      "Code, Cursor, …) started: call it first after a compaction, reset or restart. Gives goal, plan, "
      "constraints, decisions, open problem, last error, files, commands, tests and next steps, without what "
      "the summary in your context says.";
  info.always_shown = true;
  registry.add<ResumeParams, ResumeAnswer>(
      std::move(info), [services](const ResumeParams& p, mcp::ToolContext& c) { return run(services, p, c); });
}

}  // namespace memd::tools
