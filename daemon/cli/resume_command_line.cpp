#include "daemon/cli/resume_command_line.hpp"

#include "schemas/base/error.hpp"
#include "schemas/platform.hpp"

#include <utility>

namespace memd::cli {
namespace {

std::string quoted_for_shell(std::string_view word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@:,=";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string out = "'";
  for (const char c : word)
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string_view name_of(Platform platform) { return kPlatforms[static_cast<std::size_t>(platform)].name; }

Error cannot_open(const SessionRow& session, std::string_view why) {
  return Error(Errc::unsupported, session.uid + ": " + std::string(name_of(session.platform)) + " " + std::string(why) +
                                      ". `memd handoff " + session.uid + " --to AGENT` gives the work to another one");
}

}  // namespace

// Sources: the --help of each program (claude 2.1, codex 0.169, gemini 0.61, opencode 1.18, cline 3.0); for
// cursor-agent, grok and pi their documentation (cursor.com/docs/cli/reference/parameters, docs.x.ai, README of pi).
Result<AgentCommand> resume_command_line(const SessionRow& session) {
  const std::string& id = session.native_id;
  // The id becomes an argument, so an id that looks like an option is refused.
  if (id.empty() || id.starts_with('-')) return cannot_open(session, "gave this session no id that can be opened");
  switch (session.platform) {
    // An id that is unique in its project only is followed by the name of that project's folder.
    case Platform::claude_code: return AgentCommand{{"claude", "--resume", id.substr(0, id.find('@'))}};
    case Platform::codex: return AgentCommand{{"codex", "resume", id}};
    case Platform::gemini: return AgentCommand{{"gemini", "--resume", id}};
    case Platform::opencode: return AgentCommand{{"opencode", "--session", id}};
    case Platform::cursor:
      if (session.source_path.find("/.cursor/") != std::string::npos)
        return AgentCommand{{"cursor-agent", "--resume", id}};
      return cannot_open(session, "(the editor) opens a chat only in its own history panel");
    case Platform::cline:
      if (session.source_path.find("/.cline/") != std::string::npos) return AgentCommand{{"cline", "--id", id}};
      return cannot_open(session, "(the extension) opens a task only in its own history view");
    case Platform::grok: return AgentCommand{{"grok", "--resume", id}};
    case Platform::pi: return AgentCommand{{"pi", "--session", session.source_path}};
    case Platform::thunderus: return cannot_open(session, "has no command that opens a session");
    case Platform::imported: return cannot_open(session, "history has no agent here");
  }
  return cannot_open(session, "is not known");
}

Result<AgentCommand> start_command_line(std::string_view client, const std::string& prompt) {
  if (client == "claude-code") return AgentCommand{{"claude", prompt}};
  if (client == "codex") return AgentCommand{{"codex", prompt}};
  if (client == "gemini") return AgentCommand{{"gemini", "--prompt-interactive", prompt}};
  if (client == "opencode") return AgentCommand{{"opencode", "--prompt", prompt}};
  if (client == "cursor") return AgentCommand{{"cursor-agent", prompt}};
  if (client == "cline") return AgentCommand{{"cline", "--tui", prompt}};
  return Error(Errc::unsupported, std::string(client) +
                                      " cannot be started with a prompt: write it to a file with "
                                      "--output, and open that there");
}

std::string as_shell_line(const AgentCommand& command, std::string_view directory) {
  std::string out;
  if (!directory.empty()) out = "cd " + quoted_for_shell(directory) + " && ";
  for (std::size_t i = 0; i < command.words.size(); ++i)
    out += (i > 0 ? " " : "") + quoted_for_shell(command.words[i]);
  return out;
}

}  // namespace memd::cli
