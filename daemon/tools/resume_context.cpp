#include "daemon/tools/resume_context.hpp"

#include "daemon/tools/past_texts.hpp"
#include "schemas/ids.hpp"
#include "store/continuity/already_said.hpp"
#include "store/continuity/pack.hpp"
#include "store/summary/token_budget.hpp"

#include <charconv>

namespace memd::tools {
namespace {

using continuity::BoundaryChoice;

// A session whose last event is younger is taken to go on: then the compaction is what its agent asks about.
constexpr TimeMs kGoesOn = 30 * 60 * 1000;

// A session that has just begun has nothing to resume: it is the one that asks.
Result<SessionRow> choose_session(const ToolServices& services, Reader& reader, const ResumeParams& params) {
  const std::string reference = params.session_id.value_or("");
  MEMD_TRY_ASSIGN(SessionRow latest, find_session(services, reader, reference.empty() ? "latest" : reference,
                                                  params.project.value_or("")));
  const auto has_past = [](const SessionRow& s) { return s.compactions > 0 || s.exchanges > 1; };
  if (!reference.empty() && reference != "latest") return latest;
  if (has_past(latest)) return latest;
  SessionListQuery query;
  query.filter.project = params.project.value_or("");
  query.filter.include_subagents = false;
  query.limit = 8;
  MEMD_TRY_ASSIGN(SessionList list, reader.sessions(query));
  for (SessionRow& s : list.sessions)
    if (has_past(s) && s.project_key == latest.project_key) return std::move(s);
  return latest;
}

Result<BoundaryChoice> read_choice(const std::string& before) {
  if (before == "auto" || before == "compaction") return BoundaryChoice{};
  if (before == "end") return BoundaryChoice{BoundaryChoice::At::end, 0};
  std::int64_t number = 0;
  const auto [end, ec] = std::from_chars(before.data(), before.data() + before.size(), number);
  if (ec == std::errc() && end == before.data() + before.size() && number > 0)
    return BoundaryChoice{BoundaryChoice::At::number, number};
  return Error(Errc::invalid_argument, "before: \"" + before +
                                           "\" is no moment of a session, send auto, compaction, end or the number of "
                                           "a compaction (1, 2, …)");
}

struct Past {
  SessionRow session;
  continuity::SessionPast past;
  bool goes_on = false;  // its agent has the compaction's summary before its eyes
};

Result<Past> load(const ToolServices& services, Reader& reader, const ResumeParams& params) {
  Past out;
  MEMD_TRY_ASSIGN(const BoundaryChoice choice, read_choice(params.before));
  MEMD_TRY_ASSIGN(out.session, choose_session(services, reader, params));
  MEMD_TRY_ASSIGN(out.past, reader.session_past(out.session.pk, choice));
  const continuity::Boundary& b = out.past.boundary;
  const bool compacted = b.kind != continuity::BoundaryKind::end;
  out.goes_on = compacted && b.number == b.count &&
                (!out.past.worked_on || services.clock.now() - out.session.ended_at < kGoesOn);
  if (params.before != "auto" || !compacted || out.goes_on) return out;
  MEMD_TRY_ASSIGN(out.past, reader.session_past(out.session.pk, {BoundaryChoice::At::end, 0}));
  return out;
}

template <class T>
std::optional<T> unless_empty(T value) {
  if (value.empty()) return std::nullopt;
  return value;
}

void put(continuity::Pack pack, ResumeAnswer& out) {
  out.goal = unless_empty(std::move(pack.goal));
  out.constraints = unless_empty(std::move(pack.constraints));
  out.decisions = unless_empty(std::move(pack.decisions));
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
  out.programs = unless_empty(std::move(pack.programs));
  out.names = unless_empty(std::move(pack.names));
  out.left_out = pack.left_out;
}

ResumeAnswer head_of(const Past& past, const Answer& frame) {
  ResumeAnswer out;
  static_cast<Answer&>(out) = frame;
  out.session_id = past.session.uid;
  out.session_name = cut_to_tokens(on_one_line(past.session.title), 30).text;
  out.platform = to_string(past.session.platform);
  out.cwd = unless_empty(past.past.cwd);
  out.git_branch = unless_empty(past.past.branch);
  const continuity::Boundary& b = past.past.boundary;
  out.boundary = {std::string(to_string(b.kind)), format_rfc3339(b.time), b.number, b.count, unless_empty(b.detail)};
  return out;
}

// The parts of a pack are paid for one by one, which comes out dearer than the whole: what is allowed is stretched
// until the answer takes what it may.
Result<ResumeAnswer> fit_pack(std::size_t limit, const Answer& frame, ResumeAnswer head,
                              const continuity::WorkingState& state, const continuity::weights::Shares& shares) {
  constexpr double kMostStretch = 1.6;
  constexpr double kCloseEnough = 0.97;
  constexpr std::size_t kLeastBody = 60;
  const std::size_t frame_tokens = estimate_tokens(mcp::to_json(frame));
  const auto head_tokens = [&] { return estimate_tokens(mcp::to_json(head)); };
  // In an answer of a few lines the goal says more than where it was.
  if (head_tokens() + kLeastBody > limit) head.cwd = head.boundary.detail = std::nullopt;
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

Result<ResumeAnswer> run(const ToolServices& services, const ResumeParams& params, mcp::ToolContext& context) {
  MEMD_TRY_ASSIGN(const auto reader, lease_reader(services, context.stop));
  MEMD_TRY_ASSIGN(Past past, load(services, *reader, params));
  ScopeParams one_platform;
  one_platform.platform = std::string(to_string(past.session.platform));
  MEMD_TRY_ASSIGN(const Scope scope, resolve_scope(services, one_platform, {Capability::exchange_retrieval, {}}));
  const Answer frame = answer_for(scope);
  ResumeAnswer head = head_of(past, frame);
  head.platform_summary = "none";
  continuity::WorkingState state;
  bool complement = false;
  if (scope.includes(past.session.platform)) {
    const std::size_t missing = fetch_past_texts(services, *reader, past.session.pk, past.past);
    state = continuity::recover_state(past.past);
    const std::string summary = platform_summary(services, *reader, past.session.pk, past.past.boundary);
    complement = !summary.empty() && (params.complement == "always" || (params.complement == "auto" && past.goes_on));
    if (!summary.empty()) head.platform_summary = complement ? "left_out" : "not_used";
    if (complement) head.said_already = leave_out(state, continuity::AlreadySaid(summary));
    if (params.complement == "always" && summary.empty())
      head.notice += " There is no summary of the agent's own to leave out: this is the whole state.";
    if (missing > 0)
      head.notice += " " + std::to_string(missing) +
                     " records are gone from disk: their commands and edits are known by one line.";
  }
  const auto& shares = complement ? continuity::weights::kComplement : continuity::weights::kWhole;
  return fit_pack(token_limit(services, params), frame, head, state, shares);
}

void add_section(std::string& body, std::string_view title, const std::optional<std::vector<std::string>>& lines) {
  if (!lines) return;
  body += std::string(title) + ":\n";
  for (const std::string& line : *lines)
    body += line + "\n";
}

void add_line(std::string& body, std::string_view title, const std::optional<std::string>& text) {
  if (text) body += std::string(title) + ": " + *text + "\n";
}

std::string boundary_words(const ResumeAnswer& a) {
  const ResumeBoundaryOut& b = a.boundary;
  std::string out = b.kind == "end" ? "to its end" : "before its " + b.kind + " " + std::to_string(b.compaction);
  if (b.compactions > 0)
    out += b.kind == "end" ? " (" + std::to_string(b.compactions) + " compactions)"
                           : " of " + std::to_string(b.compactions);
  out += ", " + short_time(b.time);
  if (b.detail) out += " (" + *b.detail + ")";
  return out;
}

}  // namespace

std::string render_text(const ResumeAnswer& a) {
  std::string out = "Session " + a.session_id + " (" + a.platform + ") " + boundary_words(a) + ".";
  out += " Platform's summary: " + a.platform_summary;
  if (a.platform_summary == "left_out") out += ", " + std::to_string(a.said_already) + " items it has are not repeated";
  out += ".";
  out += "\n";
  std::string body = "Session: " + a.session_name;
  if (a.cwd) body += "  in " + *a.cwd;
  if (a.git_branch) body += "  branch " + *a.git_branch;
  body += "\n";
  add_section(body, "Goal", a.goal);
  add_section(body, "Keep to", a.constraints);
  add_section(body, "Decided", a.decisions);
  add_section(body, "Open", a.problems);
  add_line(body, "Last error", a.last_error);
  add_section(body, "Tests", a.tests);
  add_section(body, "Next", a.next_steps);
  add_line(body, "Agent's last words", a.last_words);
  add_section(body, "In the background", a.running);
  add_section(body, "Files (e edited, r read)", a.files);
  if (a.commands) {
    body += "Commands:\n";
    for (const ResumeCommandsOut& group : *a.commands) {
      body += "[" + group.exchange_id + "]\n";
      for (const std::string& line : group.lines)
        body += line + "\n";
    }
  }
  add_line(body, "Also ran", a.programs);
  add_line(body, "Names", a.names);
  out += history_block(body);
  if (a.left_out > 0) out += std::to_string(a.left_out) + " items did not fit: raise max_tokens.\n";
  return out + "Full text: get_exchange(ids=[\"x…\"], include_tools=true).\n" + answer_footer(a);
}

void add_resume_context(mcp::ToolRegistry& registry, const ToolServices& services) {
  mcp::ToolInfo info;
  info.name = "resume_context";
  info.title = "What you were doing";
  info.description =
      "What was I doing? Call this first after a compaction, a reset, or to take over a session of any agent: the "
      "goal, "
      "the user's constraints, decisions, open problem and last error, files, exact commands, tests, next steps and "
      "names in play, as they stood before the compaction (or at the session's end), each with the id that fetches the "
      "full text. After a compaction it leaves out what the summary in your context says already.";
  registry.add<ResumeParams, ResumeAnswer>(
      std::move(info), [services](const ResumeParams& p, mcp::ToolContext& c) { return run(services, p, c); });
}

}  // namespace memd::tools
