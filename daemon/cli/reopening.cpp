#include "daemon/cli/reopening.hpp"

#include "daemon/child_process.hpp"
#include "schemas/base/error.hpp"
#include "store/read/sessions.hpp"
#include "store/reader.hpp"

#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <vector>

namespace memd::cli {

namespace fs = std::filesystem;

Result<Reopening> reopening_of(Reader& reader, std::string_view session) {
  MEMD_TRY_ASSIGN(const SessionRow row, reader.ask(SessionQuery{std::string(session)}));
  if (row.kind != SessionKind::main && !row.parent_uid.empty())
    return Error(Errc::unsupported,
                 row.uid + " is a subagent's; open the session it belongs to: memd open " + row.parent_uid);
  MEMD_TRY_ASSIGN(AgentCommand command, resume_command_line(row));
  return Reopening{std::move(command), row.cwd};
}

Result<fs::path> directory_to_enter(const std::string& directory) {
  std::error_code ec;
  if (directory.empty()) return fs::path();
  if (fs::is_directory(directory, ec)) return fs::path(directory);
  return Error(Errc::not_found, "the session's directory " + directory + " is not there");
}

Result<int> become(const AgentCommand& command, const fs::path& directory) {
  if (!directory.empty() && ::chdir(directory.c_str()) != 0)
    return Error::from_errno(errno, "chdir", directory.string());
  std::cout << std::flush;
  const int failed = become_program(command.words);
  if (failed == ENOENT)
    return Error(Errc::not_found, command.words.front() + " is not in $PATH; `memd open --print` shows the command");
  return Error::from_errno(failed, "execvp", command.words.front());
}

}  // namespace memd::cli
