// Commands for the key of encryption at rest: create one, seal with it, open sealed files.
#include "daemon/cli/asking.hpp"
#include "daemon/cli/caller.hpp"
#include "daemon/cli/command.hpp"
#include "daemon/cli/command_reports.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/interchange/output_file.hpp"
#include "daemon/interchange/sealed_file.hpp"
#include "daemon/serve/instance_lock.hpp"
#include "schemas/base/error.hpp"
#include "store/raw/raw_layer.hpp"
#include "store/write/writer.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

namespace memd::cli {
namespace {

Command new_command() {
  const auto path = std::make_shared<std::string>();
  Command c{"new", "Write a new random key to a file that only you can read"};
  c.options = {{.names = "file", .target = path.get(), .help = "Where to; it must not exist", .required = true}};
  c.run = [path](const Invocation& call) -> Result<int> {
    const auto file = std::filesystem::absolute(*path).lexically_normal();
    std::error_code ec;
    if (std::filesystem::exists(std::filesystem::symlink_status(file, ec)))
      return Error(Errc::invalid_argument, file.string() + " exists; what was sealed with a key is lost without it");
    MEMD_TRY_ASSIGN(const std::string key, seal::new_key());
    MEMD_TRY_ASSIGN(auto out, interchange::OutputFile::open(file));
    MEMD_TRY(out.line(key));
    MEMD_TRY(out.finish());
    KeyReport report;
    report.file = file.string();
    return print_report(call, report);
  };
  return c;
}

Result<int> reseal(const Invocation& call, bool sealed, bool stop_daemon) {
  const Settings& settings = call.settings;
  if (!settings.cipher)
    return Error(Errc::bad_config, sealed ? "no key is configured: `memd key new FILE` makes one, "
                                            "encryption.key_file names it"
                                          : "the key that was sealed with has to be configured (encryption)");
  MEMD_TRY_ASSIGN(const auto directory, open_state_directory(settings.layout.data_dir()));
  MEMD_TRY_ASSIGN(const auto lock, lock_store(settings, stop_daemon));
  MEMD_TRY_ASSIGN(const auto writer,
                  Writer::open(settings.layout.database(), system_clock(), settings.layout.raw_dir(), settings.cipher));
  MEMD_TRY_ASSIGN(const auto done, writer->reseal(sealed));
  KeyReport report;
  report.sealed = sealed;
  report.files = static_cast<std::int64_t>(done.files);
  report.frames = static_cast<std::int64_t>(done.frames);
  if (!done.damaged.empty()) report.damaged = done.damaged;
  MEMD_TRY(print_report(call, report));
  return done.damaged.empty() ? kOk : kFailed;
}

Command reseal_command(bool sealed) {
  const auto stop_daemon = std::make_shared<bool>(false);
  Command c{sealed ? "seal" : "unseal",
            sealed ? "Seal the original records that are not sealed yet"
                   : "Write the original records plain again, to change the key or do without"};
  c.options = {{"--stop-daemon", stop_daemon.get(), "End a running daemon first"}};
  c.run = [stop_daemon, sealed](const Invocation& call) { return reseal(call, sealed, *stop_daemon); };
  return c;
}

Command open_command() {
  struct OpenOptions {
    std::string file;
    std::string output;
  };
  const auto o = std::make_shared<OpenOptions>();
  Command c{"open", "Write a sealed export in plain"};
  c.options = {{.names = "file", .target = &o->file, .help = "The export", .required = true, .existing_file = true},
               {"-o,--output", &o->output, "Where to; standard output if not given", "FILE"}};
  c.run = [o](const Invocation& call) -> Result<int> {
    MEMD_TRY_ASSIGN(auto out, interchange::OutputFile::open(o->output));
    MEMD_TRY(interchange::open_sealed_file(o->file, call.settings.cipher.get(),
                                           [&](std::string_view bytes) { return out.bytes(bytes); }));
    MEMD_TRY(out.finish());
    return kOk;
  };
  return c;
}

}  // namespace

Command key_command() {
  Command c{"key", "The key of encryption at rest (docs/encryption.md)"};
  c.json_schema = schema_of<KeyReport>(c.name);
  c.subcommands = {new_command(), reseal_command(true), reseal_command(false), open_command()};
  return c;
}

}  // namespace memd::cli
