// Commands that export sessions, show original records, and import files of events.
#include "daemon/cli/asking.hpp"
#include "daemon/cli/caller.hpp"
#include "daemon/cli/command.hpp"
#include "daemon/cli/command_reports.hpp"
#include "daemon/cli/progress_bar.hpp"
#include "daemon/cli/render/words.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/event_record.hpp"
#include "daemon/ingest/record_finder.hpp"
#include "daemon/interchange/event_file_check.hpp"
#include "daemon/interchange/import_file.hpp"
#include "daemon/interchange/output_file.hpp"
#include "daemon/interchange/sealed_file.hpp"
#include "daemon/interchange/session_contract.hpp"
#include "daemon/interchange/session_walk.hpp"
#include "daemon/interchange/transcript.hpp"
#include "daemon/serve/instance_lock.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/harmless.hpp"
#include "schemas/ids.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/sessions.hpp"
#include "store/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::cli {
namespace {

using interchange::EventFileCheck;
using interchange::ExportReport;
using interchange::ImportFile;

struct ExportOptions {
  std::string session;
  std::string format = "events";
  std::string output;
  bool subagents = false;
  bool encrypt = false;
};

// Returns the writer of a transcript; null for the other formats.
std::unique_ptr<interchange::TranscriptWriter> transcript_writer(const std::string& format, interchange::WriteLine line,
                                                                 interchange::AsOf as_of) {
  if (format == "md" || format == "markdown") return interchange::markdown_writer(std::move(line));
  if (format == "html") return interchange::html_writer(std::move(line));
  if (format == "json") return interchange::json_writer(std::move(line), as_of);
  return nullptr;
}

Result<seal::CipherPtr> configured_cipher(const Settings& settings) {
  if (settings.cipher) return settings.cipher->get();
  return Error(Errc::bad_config, "no key is configured: `memd key new FILE` makes one, encryption.key_file names it");
}

Result<int> run_export(const ExportOptions& options, const Invocation& call) {
  const Settings& settings = call.settings;
  Reader reader(settings.layout.database());
  RecordFinder records(settings.layout.database(), settings.layout.raw_dir(), raw::FrameSeal(settings.cipher));
  MEMD_TRY_ASSIGN(const SessionRow session, reader.ask(SessionQuery{options.session}));
  std::vector<SessionRow> sessions{session};
  if (options.subagents) {
    for (std::size_t i = 0; i < sessions.size(); ++i) {  // subagents may have subagents
      MEMD_TRY_ASSIGN(const auto agents, reader.ask(SubagentsQuery{sessions[i].uid}));
      sessions.insert(sessions.end(), agents.begin(), agents.end());
    }
  }
  auto opened = interchange::OutputFile::open(options.output);
  if (!opened) return opened.error();
  std::optional<interchange::SealedLines> sealed;
  if (options.encrypt) {
    MEMD_TRY_ASSIGN(auto cipher, configured_cipher(settings));
    sealed.emplace(*opened, std::move(cipher));
  }
  std::optional<Screen> screen;
  if ((options.output.empty() || options.output == "-") && call.look.is_terminal && !sealed) screen.emplace(call.look);
  const auto line = [&](std::string_view text) -> Result<void> {
    if (!screen) return sealed ? sealed->line(text) : opened->line(text);
    screen->as_it_is(harmless(text) + "\n");
    return {};
  };
  const interchange::AsOf as_of{system_clock().now(), settings.config.sessions.stopped_after};
  const auto transcript = transcript_writer(options.format, line, as_of);
  ExportReport total;
  {
    ProgressBar bar("exporting");
    for (const SessionRow& row : sessions) {
      interchange::WalkProgress progress;
      if (opened->is_named()) progress = [&](double done, double all) { bar.show(done, all, row.uid); };
      MEMD_TRY_ASSIGN(const ExportReport report,
                      transcript ? interchange::write_transcript(reader, records, row, *transcript, progress)
                      : options.format == "session"
                          ? interchange::export_session_contract(reader, row.pk, line, as_of)
                          : interchange::export_session(reader, records, row.pk, as_of, {line, progress}));
      total += report;
    }
    if (transcript) MEMD_TRY(transcript->finish());
    if (sealed) MEMD_TRY(sealed->finish());
    MEMD_TRY(opened->finish());
    if (screen) return finish(*screen);
  }
  fmt::print(stderr, "{} events of {} ({} concluded by memd", total.events,
             sessions.size() == 1 ? harmless_line(session.uid) : fmt::format("{} sessions", sessions.size()),
             total.derived);
  if (total.partial > 0) fmt::print(stderr, "; of {} the record is gone, they hold what the store kept", total.partial);
  fmt::print(stderr, ").\n");
  return kOk;
}

Command export_command() {
  const auto o = std::make_shared<ExportOptions>();
  Command c{"export", "Write a session: as events (docs/events-format.md), to read, or as JSON"};
  c.own_json = true;  // depends on --format
  c.options = {
      {.names = "session", .target = &o->session, .help = "Session id, a prefix of it, or latest", .required = true},
      {.names = "--format",
       .target = &o->format,
       .help = "events (JSON Lines, events.v1; the default), md, html, json, or session (JSON Lines, a Session and its "
               "SessionEvents)",
       .one_of = {"events", "md", "markdown", "html", "json", "session"}},
      {"-o,--output", &o->output, "Where to; standard output if not given", "FILE"},
      {"--subagents", &o->subagents, "Its subagents' sessions too"},
      {"--encrypt", &o->encrypt, "Seal it with the configured key; `memd import` and `memd key open` read it"}};
  c.run = [o](const Invocation& call) { return run_export(*o, call); };
  return c;
}

Result<ExchangeId> exchange_named(Reader& reader, const std::string& id) {
  if (const auto exchange = parse_exchange_id(id)) return *exchange;
  if (const auto name = parse_exchange_name(id)) return reader.ask(NamedExchangeQuery{*name});
  return Error(Errc::invalid_argument, "\"" + id + "\" is no id: x42 or SESSION#3 is one of a turn, evt_… of an event");
}

// Returns the events of an exchange (x42, SESSION#3), or the one that is named (evt_…).
Result<std::vector<EventRow>> events_named(Reader& reader, const std::string& id, std::int64_t& session_pk) {
  constexpr std::string_view kEvent = "evt_";
  if (id.starts_with(kEvent)) {
    const auto key = parse_key(std::string_view(id).substr(kEvent.size()));
    if (!key)
      return Error(Errc::invalid_argument,
                   "\"" + id + "\" is no id that memd gave an event; x42 or SESSION#3 names its turn");
    MEMD_TRY_ASSIGN(const EventPlace place, reader.ask(EventByIdQuery{*key}));
    session_pk = place.session_pk;
    return reader.ask(EventsQuery{place.session_pk, place.seq, place.seq});
  }
  MEMD_TRY_ASSIGN(const ExchangeId exchange, exchange_named(reader, id));
  MEMD_TRY_ASSIGN(const ExchangeRow row, reader.ask(ExchangeQuery{exchange}));
  session_pk = row.session_pk;
  return reader.ask(EventsQuery{row.session_pk, row.first_seq, row.last_seq, row.last_seq - row.first_seq + 1});
}

// Adds the records of events, each once: the events of a record stand together.
Result<void> add_records(Reader& reader, RecordFinder& records, const std::string& id, RecordsReport& out) {
  std::int64_t session_pk = 0;
  MEMD_TRY_ASSIGN(const auto events, events_named(reader, id, session_pk));
  EventSourcesQuery query{session_pk, {}};
  for (const EventRow& event : events)
    query.seqs.push_back(event.seq);
  MEMD_TRY_ASSIGN(const auto places, reader.ask(query));
  ItemWalk walk;
  std::optional<EventSource> last;
  for (const EventRow& event : events) {
    const auto where = places.find(event.seq);
    if (where == places.end() || (event.flags & kFlagDerived) != 0) continue;
    const EventSource& here = where->second;
    if (last && last->source == here.source && last->raw.offset == here.raw.offset) continue;
    last = here;
    OriginalRecord one{"evt_" + format_key(event.event_id),        here.path, here.item_key,
                       static_cast<std::int64_t>(here.raw.offset), {},        {}};
    if (const auto record = record_of_event(records, here, event.event_id, &walk))
      one.record = record->substr(0, record->size() - kRecordPadding);
    else
      one.trouble = record.error().context;
    out.records.push_back(std::move(one));
  }
  return {};
}

Result<int> show_records(const std::vector<std::string>& ids, const Invocation& call) {
  Reader reader(call.settings.layout.database());
  RecordFinder records(call.settings.layout.database(), call.settings.layout.raw_dir(),
                       raw::FrameSeal(call.settings.cipher));
  RecordsReport report;
  for (const std::string& id : ids)
    MEMD_TRY(add_records(reader, records, id, report));
  const bool all = std::all_of(report.records.begin(), report.records.end(),
                               [](const OriginalRecord& one) { return one.trouble.empty(); });
  if (call.as_json) {
    MEMD_TRY(print_json(call, report));
    return all ? kOk : kFailed;
  }
  Screen screen(call.plain_look());
  for (const OriginalRecord& one : report.records) {
    if (one.trouble.empty())
      screen.as_it_is(harmless(one.record) + "\n");
    else
      fmt::print(stderr, "memd: {}: {}\n", one.event, harmless_line(one.trouble));
  }
  MEMD_TRY(screen.finish());
  return all ? kOk : kFailed;
}

Command record_command() {
  const auto ids = std::make_shared<std::vector<std::string>>();
  Command c{"record", "The original records of turns and events, as the agent wrote them; secrets are masked"};
  c.json_schema = schema_of<RecordsReport>(c.name);
  c.options = {{.names = "id",
                .target = ids.get(),
                .help = "x42 or SESSION#3, a turn; evt_…, an event as `memd export` names it",
                .required = true}};
  c.run = [ids](const Invocation& call) { return show_records(*ids, call); };
  return c;
}

struct ImportOptions {
  std::vector<std::string> files;
  bool check = false;
};

void print_problems(const EventFileCheck& check) {
  for (const auto& p : check.problems)
    fmt::print(stderr, "{}:{}: {}{}{}{}\n", harmless_line(check.path), p.line, p.refused ? "refused: " : "",
               harmless_line(p.reason), p.field.empty() ? "" : " ", harmless_line(p.field));
  const auto more = check.problems_total - static_cast<std::int64_t>(check.problems.size());
  if (more > 0) fmt::print(stderr, "{}: and {} more\n", check.path, more);
}

Result<EventFileCheck> check_file(const ImportFile& file) {
  ProgressBar bar("checking");
  auto check = interchange::check_event_file(file.readable(),
                                             [&](double done, double total) { bar.show(done, total, file.given()); });
  if (check) check->path = file.given();
  return check;
}

Result<mcp::ToolOutcome> take_file(Caller& caller, const std::string& path) {
  ProgressBar bar("importing");
  const admin::ImportParams asked{std::filesystem::absolute(path).lexically_normal().string()};
  return caller.admin("import", mcp::to_arguments(asked),
                      [&](double done, double total, std::string_view what) { bar.show(done, total, what); });
}

Result<int> run_import(const ImportOptions& options, const Invocation& call) {
  std::unique_ptr<Caller> caller;
  ImportAnswer all;
  int code = kOk;
  MEMD_TRY_ASSIGN(const auto directory, open_state_directory(call.settings.layout.data_dir()));
  for (const auto& path : options.files) {
    MEMD_TRY_ASSIGN(const ImportFile file,
                    ImportFile::open(path, call.settings.layout.imports(), call.settings.cipher.get()));
    ImportedFile one;
    one.program = file.program();
    one.conversations = static_cast<std::int64_t>(file.converted().conversations);
    one.damaged = static_cast<std::int64_t>(file.converted().damaged);
    MEMD_TRY_ASSIGN(one.check, check_file(file));
    print_problems(one.check);
    const bool is_empty = one.check.events + one.check.sessions == 0;
    if (options.check && one.check.refused > 0) code = kFailed;
    if (is_empty || one.damaged > 0) code = kFailed;
    if (is_empty && !options.check)
      fmt::print(stderr, "memd: {}: nothing in it is an event, and it is no export that memd knows\n",
                 harmless_line(path));
    if (!options.check && !is_empty) {
      if (!caller) {
        MEMD_TRY_ASSIGN(caller, open_caller(call.settings, Need::ingest));
      }
      const auto taken = read_answer<admin::ImportReport>(take_file(*caller, file.readable()));
      if (taken) {
        one.taken = *taken;
      } else {
        std::cerr << "memd: " << harmless(for_people(taken.error().message())) << '\n';
        code = kFailed;
      }
    }
    if (call.as_json)
      all.files.push_back(std::move(one));
    else
      MEMD_TRY(print_report(call, one));
  }
  if (call.as_json) MEMD_TRY(print_json(call, all));
  return code;
}

Command import_command() {
  const auto o = std::make_shared<ImportOptions>();
  Command c{"import", "Take files of events into the store (docs/events-format.md)"};
  c.json_schema = schema_of<ImportAnswer>(c.name);
  c.options = {{.names = "files",
                .target = &o->files,
                .help = "events.v1 files, or exports: claude.ai, ChatGPT, Gemini, SpecStory, opencode",
                .required = true,
                .existing_file = true},
               {"--check", &o->check,
                "Only say what is wrong with them; exit code 1 if a line would be refused or a file holds no event"}};
  c.run = [o](const Invocation& call) { return run_import(*o, call); };
  return c;
}

}  // namespace

std::vector<Command> interchange_commands() { return {export_command(), record_command(), import_command()}; }

}  // namespace memd::cli
