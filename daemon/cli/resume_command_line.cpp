#include "daemon/cli/resume_command_line.hpp"

#include "adapters/adapter.hpp"
#include "daemon/child_process.hpp"
#include "schemas/base/error.hpp"
#include "schemas/platform.hpp"

#include <array>

namespace memd::cli {
namespace {

// How a client is started with a first prompt, and stays open; as its --help says.
struct Start {
  std::string_view client;
  std::string_view program;
  std::string_view option;  // before the prompt
};
constexpr std::array kStarts = std::to_array<Start>({{"claude-code", "claude", ""},
                                                     {"codex", "codex", ""},
                                                     {"gemini", "gemini", "--prompt-interactive"},
                                                     {"opencode", "opencode", "--prompt"},
                                                     {"cursor", "cursor-agent", ""},
                                                     {"cline", "cline", "--tui"},
                                                     {"kilo", "kilo", "--prompt"},
                                                     {"qwen", "qwen", "--prompt-interactive"},
                                                     {"copilot", "copilot", "--interactive"},
                                                     {"droid", "droid", ""},
                                                     {"vibe", "vibe", ""},
                                                     {"openhands", "openhands", "--task"}});

Error cannot_open(const SessionRow& session, std::string_view why) {
  return Error(Errc::unsupported, session.uid + ": " + std::string(name_of(session.platform)) + " " + std::string(why) +
                                      ". `memd handoff " + session.uid + " --to AGENT` gives the work to another one");
}

}  // namespace

Result<AgentCommand> resume_command_line(const SessionRow& session) {
  const std::string& id = session.native_id;
  // The id becomes an argument, so an id that looks like an option is refused.
  if (id.empty() || id.starts_with('-')) return cannot_open(session, "gave this session no id that can be opened");
  const auto comes_from = [&](std::string_view folder) {
    return session.source_path.find(folder) != std::string::npos;
  };
  if (session.platform == Platform::cursor && !comes_from("/.cursor/"))
    return cannot_open(session, "(the editor) opens a chat only in its own history panel");
  if (session.platform == Platform::cline && !comes_from("/.cline/"))
    return cannot_open(session, "(the extension) opens a task only in its own history view");
  const Adapter* adapter = find_adapter(session.platform);
  if (adapter == nullptr || adapter->describe().resume_command.empty())
    return cannot_open(session, "has no command that opens a session");
  // Claude Code's ids that are unique in their project only are followed by the name of that project's folder.
  const std::string own_id = session.platform == Platform::claude_code ? id.substr(0, id.find('@')) : id;
  AgentCommand command;
  for (const std::string& word : adapter->describe().resume_command)
    command.words.push_back(word == "{id}" ? own_id : word == "{file}" ? session.source_path : word);
  return command;
}

Result<AgentCommand> start_command_line(std::string_view client, const std::string& prompt) {
  for (const Start& start : kStarts) {
    if (start.client != client) continue;
    AgentCommand command{{std::string(start.program)}};
    if (!start.option.empty()) command.words.emplace_back(start.option);
    command.words.push_back(prompt);
    return command;
  }
  return Error(Errc::unsupported, std::string(client) +
                                      " cannot be started with a prompt: write it to a file with "
                                      "--output, and open that there");
}

std::string as_shell_line(const AgentCommand& command, std::string_view directory) {
  std::string out;
  if (!directory.empty()) out = "cd " + shell_word(directory) + " && ";
  for (std::size_t i = 0; i < command.words.size(); ++i)
    out += (i > 0 ? " " : "") + shell_word(command.words[i]);
  return out;
}

}  // namespace memd::cli
