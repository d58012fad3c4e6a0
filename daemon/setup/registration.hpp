#pragma once

#include "daemon/setup/clients.hpp"
#include "schemas/error.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::setup {

// The program that clients start: an absolute path and its arguments.
struct ServerProgram {
  std::filesystem::path executable;
  std::vector<std::string> arguments;  // before the command: "--data-dir", "/x"
};

enum class Part { server, hook, skill };
std::string_view to_string(Part part);

enum class Change { none, added, changed, removed };
std::string_view to_string(Change change);

// The bytes of a file; nothing: there is no file.
using FileBytes = std::optional<std::string>;

using TextChange = std::function<Result<std::string>(const std::string&)>;

// One file of one client that registering or removing changes.
struct Edit {
  std::string client;
  Part part = Part::server;
  std::filesystem::path file;    // as the client names it
  std::filesystem::path target;  // the file itself, if that is a link
  FileBytes before;
  FileBytes after;
  Change change = Change::none;
  std::string note;  // what was found and left alone

  // From the bytes that are there in the moment of the change.
  std::function<Result<FileBytes>(const FileBytes&)> make;
  TextChange without;  // the text without memd's entry; empty: the whole file is memd's
};

// The whole lines that differ, with their numbers, "-" for those that go and "+" for those that come.
std::string difference(const FileBytes& before, const FileBytes& after);

// Writes memd into the files of clients and takes it out again. Every change is made in the text of the file and is
// written in one step, a link is followed and stays. What stood there before is kept in `backups` (0700): removing
// memd gives back those bytes, if nobody has changed the file since, else it takes out memd's entries alone. One thread
// at a time; processes exclude each other by a lock in `backups`.
class Registration {
 public:
  Registration(ClientPlaces places, ServerProgram program, std::filesystem::path backups);

  // Reads and decides, and writes nothing. Errc::bad_config names the file and the line that cannot be read;
  // Errc::unsupported: the client has no configuration of projects.
  Result<std::vector<Edit>> plan(const ClientInfo& client, ClientScope scope, const std::filesystem::path& project,
                                 bool remove, bool server_only) const;

  // Makes the change; whoever wrote to the file since plan() loses nothing. Gives where the bytes before are kept;
  // empty: nothing changed, or there was no file.
  Result<std::filesystem::path> apply(Edit& edit) const;

  // How the server stands in the client's files now: command and arguments; empty: it does not.
  Result<std::vector<std::string>> registered(const ClientInfo& client, ClientScope scope,
                                              const std::filesystem::path& project) const;
  // What it is to be.
  std::vector<std::string> wanted() const;

 private:
  struct Kept;
  Kept kept(const std::filesystem::path& target, Part part) const;
  Result<void> remember(const Edit& edit, const FileBytes& before, const FileBytes& after) const;
  static Result<FileBytes> taken_out(const Kept& memory, const FileBytes& before, const TextChange& without);
  static Result<bool> has_plugin(const std::filesystem::path& settings);
  Result<Edit> edit_of(const ClientInfo& client, Part part, const std::filesystem::path& file, bool remove,
                       TextChange put, TextChange take) const;
  Result<Edit> server_edit(const ClientInfo& client, const ConfigFile& file, bool remove) const;
  Result<Edit> hook_edit(const ClientInfo& client, const HookFile& file, bool remove) const;
  Result<Edit> skill_edit(const ClientInfo& client, const std::filesystem::path& file, bool remove) const;
  std::string hook_command() const;

  ClientPlaces places_;
  ServerProgram program_;
  std::filesystem::path backups_;
};

}  // namespace memd::setup
