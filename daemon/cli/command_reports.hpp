#pragma once

#include "daemon/admin/reports.hpp"
#include "daemon/admin/store_rebuild_report.hpp"
#include "daemon/cli/render/screen.hpp"
#include "daemon/interchange/event_file_check.hpp"
#include "protocol/mcp/describe.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Reports of commands that no tool implements: registration, the service, stopping the daemon, imports, keys, a
// rebuild. Values.
namespace memd::cli {

// A client that is installed here.
struct ClientState {
  std::string client;
  std::string name;
  bool registered = false;
  std::string command;               // registered command; empty: none
  std::string trouble;               // why `command` is unknown
  std::vector<std::string> missing;  // parts that registering would add or change
};
// Returns "registered", "not registered", or what is missing.
std::string state_text(const ClientState& client);
void show(Screen& screen, const std::vector<ClientState>& clients);

inline constexpr const char* kChangeFailed = "failed";

struct ClientChange {
  std::string client;
  std::string part;                       // empty: the whole client failed
  std::string file;                       // empty as well
  std::string change;                     // none, added, changed, removed, failed
  std::string note;                       // why it failed, or what else is to be known
  std::string backup;                     // empty: none was made
  std::optional<std::string> difference;  // unified lines with + and -, in a dry run
};
bool one_failed(const std::vector<ClientChange>& changes);
// `removing`: memd is being unregistered.
void show(Screen& screen, const std::vector<ClientChange>& changes, bool dry_run, bool removing);

struct ServiceFile {
  std::string file;
  std::string change;  // none, written, removed
};

struct ServiceReport {
  std::vector<ServiceFile> files;
  std::vector<std::string> commands;  // commands for the service manager, in a dry run
  bool running = false;               // the service is active
  bool manager_answers = true;
};
void show(Screen& screen, const ServiceReport& report, bool dry_run);

struct SetupReport {
  bool dry_run = false;
  std::optional<std::vector<ClientState>> clients;
  std::optional<std::vector<ClientChange>> changes;
  std::optional<ServiceReport> service;
};

struct UninstallReport {
  bool dry_run = false;
  std::vector<ClientChange> changes;
  std::optional<ServiceReport> service;
  bool daemon_stopped = false;
  std::string data;  // directory of the store
  bool data_left = false;
  bool data_meant = false;  // the data is removed, or would be in a dry run
  std::string program;
};
void show(Screen& screen, const UninstallReport& report);

struct StopReport {
  bool stopped = false;
  std::optional<std::int64_t> pid;     // pid of the stopped daemon
  std::optional<std::string> command;  // command that held the store and has ended
};
void show(Screen& screen, const StopReport& report);

struct RestartReport {
  std::string version;
  std::int64_t pid = 0;
  bool ran_before = false;
};
void show(Screen& screen, const RestartReport& report);

struct ImportedFile {
  std::string program;  // whose export it is; empty: a file of events
  std::int64_t conversations = 0;
  std::int64_t damaged = 0;
  interchange::EventFileCheck check;
  std::optional<admin::ImportReport> taken;
};
struct ImportAnswer {
  std::vector<ImportedFile> files;
};
void show(Screen& screen, const ImportedFile& file);

// A record as its agent wrote it, with secrets masked.
struct OriginalRecord {
  std::string event;  // the first one that was read from it
  std::string file;
  std::string item;  // its key, in a file that is changed in place
  std::int64_t offset = 0;
  std::string record;
  std::string trouble;  // why there is none
};
struct RecordsReport {
  std::vector<OriginalRecord> records;
};

// The report of `memd key`. `new` sets `file`, `seal` and `unseal` set the other members.
struct KeyReport {
  std::optional<std::string> file;
  std::optional<bool> sealed;
  std::optional<std::int64_t> files;
  std::optional<std::int64_t> frames;
  std::optional<std::vector<std::string>> damaged;  // damaged files, left unchanged
};
void show(Screen& screen, const KeyReport& report);

void show(Screen& screen, const admin::RebuildAnswer& answer);

}  // namespace memd::cli

MEMD_DESCRIBE(memd::cli::ClientState, field<&T::client>("As `memd setup` takes it."), field<&T::name>(),
              field<&T::registered>("This memd is registered there."),
              field<&T::command>("The program that is registered; empty: none."),
              field<&T::trouble>("Why that is not known; empty: nothing."),
              field<&T::missing>("Parts that registering would add or change: server, hook, skill."));
MEMD_DESCRIBE(memd::cli::ClientChange, field<&T::client>("Whose file."),
              field<&T::part>("server, hook or skill; empty: all, which failed."),
              field<&T::file>("The file; empty: see `note`."),
              field<&T::change>("none, added, changed, removed or failed."),
              field<&T::note>("Why it failed, or anything else to know about it."),
              field<&T::backup>("Where the file as it was is kept; empty: nowhere."),
              field<&T::difference>("Dry run: lines that would be removed (-) and added (+)."));
MEMD_DESCRIBE(memd::cli::ServiceFile, field<&T::file>("Definition of the service."),
              field<&T::change>("none, written or removed."));
MEMD_DESCRIBE(memd::cli::ServiceReport, field<&T::files>("Definitions of the service."),
              field<&T::commands>("Dry run: what would be run."), field<&T::running>("memd runs as a service now."),
              field<&T::manager_answers>("false: it does not; the service starts with the next session."));
MEMD_DESCRIBE(memd::cli::SetupReport, field<&T::dry_run>("Dry run: reports what would happen and changes nothing."),
              field<&T::clients>("Agents found here; where none was named."),
              field<&T::changes>("What was done to their files, or would be."),
              field<&T::service>("What was done for the service, or would be."));
MEMD_DESCRIBE(memd::cli::UninstallReport, field<&T::dry_run>("Dry run: reports what would happen and changes nothing."),
              field<&T::changes>("What was done to files of agents, or would be."),
              field<&T::service>("What was done to the service, or would be."),
              field<&T::daemon_stopped>("A daemon ran, and has ended, or would."),
              field<&T::data>("Directory of the store."), field<&T::data_left>("It is there."),
              field<&T::data_meant>("It is removed, or would be."), field<&T::program>());
MEMD_DESCRIBE(memd::cli::StopReport, field<&T::stopped>("false: none ran."),
              field<&T::pid>("Of the daemon that has ended."),
              field<&T::command>("A command that held the store, and has ended."));
MEMD_DESCRIBE(memd::cli::RestartReport, field<&T::version>("Of the daemon that runs now."), field<&T::pid>(),
              field<&T::ran_before>("Another one ran, and has ended."));
MEMD_DESCRIBE(memd::cli::ImportedFile, field<&T::program>("Whose export it is; empty: a file of events."),
              field<&T::conversations>("Of an export: those that were read."),
              field<&T::damaged>("Of an export: those that could not be read."),
              field<&T::check>("What the file contains."), field<&T::taken>("What was ingested; absent: nothing."));
MEMD_DESCRIBE(memd::cli::ImportAnswer, field<&T::files>("In the order they were named."));
MEMD_DESCRIBE(memd::cli::OriginalRecord, field<&T::event>("The first event that was read from it."),
              field<&T::file>("Where it was read."),
              field<&T::item>("Its key, in a file that is changed in place; else empty."),
              field<&T::offset>("Its first byte in a log, or its number among the items."),
              field<&T::record>("As the agent wrote it; secrets are masked."),
              field<&T::trouble>("Why there is none; empty: there is."));
MEMD_DESCRIBE(memd::cli::RecordsReport, field<&T::records>("In order."));
MEMD_DESCRIBE(memd::cli::KeyReport, field<&T::file>("Of a new key: where it is."),
              field<&T::sealed>("false: written plain again."),
              field<&T::files>("Files with original records that were changed."), field<&T::frames>(),
              field<&T::damaged>("Files that are damaged and stay as they were."));
