#include "daemon/tools/resume_context.hpp"

#include "daemon/tools/resume_pack.hpp"

namespace memd::tools {
namespace {

Result<ResumeAnswer> run(const ToolServices& services, const ResumeParams& params, mcp::ToolContext& context) {
  MEMD_TRY_ASSIGN(const auto reader, lease_reader(services, context.stop));
  MEMD_TRY_ASSIGN(const ResumeMaterial material, load_resume_material(services, *reader, params));
  return pack_resume_answer(material, token_limit(services, params));
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
