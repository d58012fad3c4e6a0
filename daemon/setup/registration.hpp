#pragma once

#include "daemon/setup/clients.hpp"
#include "schemas/base/result.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::setup {

// The program that clients start.
struct ServerProgram {
  std::filesystem::path executable;    // absolute, or a name that clients find in $PATH
  std::vector<std::string> arguments;  // global options, which precede the command: "--data-dir", "/x"
};

// Returns the program as a project's file names it, which other people and machines share: by its name, and without
// options that name places of this machine.
ServerProgram shared_program();

enum class Part { server, hook, skill };
std::string_view to_string(Part part);

enum class Change { none, added, changed, removed };
std::string_view to_string(Change change);

// The bytes of a file; nullopt: there is no file.
using FileBytes = std::optional<std::string>;

using TextChange = std::function<Result<std::string>(const std::string&)>;

// The change of one file of one client, for registering or unregistering.
struct Edit {
  std::string client;
  Part part = Part::server;
  std::filesystem::path file;    // path as the client names it
  std::filesystem::path target;  // the file that a symbolic link leads to; else as `file`
  FileBytes before;
  FileBytes after;
  Change change = Change::none;
  std::string note;  // what was found and left unchanged

  // Computes the new bytes from the bytes that are there at the time of the change.
  std::function<Result<FileBytes>(const FileBytes&)> make;
  TextChange without;  // returns the text without memd's entry; empty: memd owns the whole file
};

// Returns the whole lines that differ, with their numbers: "-" for removed ones, "+" for added ones.
std::string difference(const FileBytes& before, const FileBytes& after);

// Writes memd into the files of clients and removes it again. Each change is made in the text of the file and written
// atomically; a symbolic link is followed and stays. The original bytes are kept in `backups` (0700): removing memd
// restores them if nobody has changed the file since, else it removes memd's entries only. Directories that memd
// created are removed again when they are empty. One thread at a time; a lock in `backups` excludes other processes.
class Registration {
 public:
  Registration(ClientPlaces places, ServerProgram program, std::filesystem::path backups);

  // Plans the edits without writing. Errc::bad_config names the file and line that cannot be parsed; Errc::unsupported:
  // the client has no project configuration.
  Result<std::vector<Edit>> plan(const ClientInfo& client, ClientScope scope, const std::filesystem::path& project,
                                 bool remove, bool server_only) const;

  // Removes temporary files that killed runs of memd left beside the files of these edits: copies of them.
  void tidy(const std::vector<Edit>& planned) const;

  // Applies the edit to the current bytes of the file, so that no write since plan() is lost. Returns the path of the
  // backup; empty: nothing changed, or there was no file.
  Result<std::filesystem::path> apply(Edit& edit) const;

  // Returns the command and arguments registered in the client's files; empty: memd is not registered. Of a server that
  // somebody wrote into a TOML file it says so instead.
  Result<std::vector<std::string>> registered(const ClientInfo& client, ClientScope scope,
                                              const std::filesystem::path& project) const;
  // Returns the command and arguments that memd registers.
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
  Result<void> make_directories_of(const Edit& edit) const;
  Result<void> remove_directories_of(const Edit& edit) const;
  std::string hook_command() const;

  ClientPlaces places_;
  ServerProgram program_;
  std::filesystem::path backups_;
};

}  // namespace memd::setup
