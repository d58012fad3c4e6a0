// memd browse: history on a full screen.
#include "daemon/cli/browse/asker.hpp"
#include "daemon/cli/browse/browser.hpp"
#include "daemon/cli/browse/terminal.hpp"
#include "daemon/cli/command.hpp"
#include "daemon/tools/list_sessions.hpp"
#include "schemas/base/error.hpp"
#include "store/reader.hpp"

#include <boost/algorithm/string/join.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace memd::cli {
namespace {

std::int64_t steady_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

// Runs the browser until the user leaves it, and restores the terminal.
Result<std::optional<Reopening>> run_browser(const Invocation& call, browse::Browser::InitialQuery initial) {
  MEMD_TRY_ASSIGN(auto caller, open_caller(call.settings, Need::read));
  MEMD_TRY_ASSIGN(const auto terminal, browse::Terminal::open(call.look.has_colour));
  browse::Asker asker(call.settings, std::move(caller));
  browse::Browser browser(std::move(initial), call.look);
  std::size_t columns = 0;
  std::size_t rows = 0;
  while (!browser.is_over()) {
    browser.set_time(command_clock().now());
    if (terminal->columns() != columns || terminal->rows() != rows) {
      columns = terminal->columns();
      rows = terminal->rows();
      browser.resize(columns, rows);
    }
    if (auto question = browser.next_question(steady_ms())) asker.ask(std::move(*question));
    terminal->show(browser.content());
    std::optional<std::int64_t> pause;
    if (const auto wakes = browser.wakes_at()) pause = std::max<std::int64_t>(*wakes - steady_ms(), 0);
    if (!terminal->wait(asker.fd(), pause)) break;
    if (auto reply = asker.take()) browser.take(std::move(*reply), steady_ms());
    for (const browse::Key& key : terminal->keys())
      browser.press(key, steady_ms());
    if (const std::string copied = browser.take_copied(); !copied.empty()) terminal->copy(copied);
  }
  return browser.session_to_open();
}

}  // namespace

Command browse_command() {
  struct BrowseOptions {
    std::vector<std::string> words;
    browse::Filters filters;
  };
  const auto o = std::make_shared<BrowseOptions>();
  Command c{"browse", "Search, read and follow sessions on a full screen"};
  c.options = {{"query", &o->words, "What to begin with; none: all sessions, newest first"},
               {"--agent,--platform", &o->filters.platform, "Only this agent: claude_code, cursor, …"},
               {"--project", &o->filters.project, "Only this project: its name, or a part of its path"},
               {"--since", &o->filters.since, "From this time: 2026-02-09, 7d, yesterday, …"},
               {.names = "--state",
                .target = &o->filters.state,
                .help = "Only sessions in this state: running, done, abandoned, …",
                .one_of = {tools::kStateChoices.begin(), tools::kStateChoices.end()}}};
  c.run = [o](const Invocation& call) -> Result<int> {
    if (call.as_json) return Error(Errc::invalid_argument, "browse prints nothing: `memd --json search WORDS` does");
    MEMD_TRY_ASSIGN(const auto session_to_open, run_browser(call, {boost::algorithm::join(o->words, " "), o->filters}));
    if (!session_to_open) return kOk;
    MEMD_TRY_ASSIGN(const auto directory, directory_to_enter(session_to_open->directory));
    return become(session_to_open->command, directory);
  };
  return c;
}

}  // namespace memd::cli
