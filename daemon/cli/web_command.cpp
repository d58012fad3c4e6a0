// memd web: the history as a page that lives while it is open.
#include "daemon/child_process.hpp"
#include "daemon/cli/command.hpp"
#include "daemon/cli/web/web_history.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/serve/daemon_address.hpp"
#include "schemas/base/error.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

namespace memd::cli {
namespace {

using namespace std::chrono_literals;

struct WebOptions {
  bool open = false;
  std::optional<std::int64_t> port;
};

// Time after which a page that was closed does not come back, and after which nobody opens one.
constexpr std::chrono::milliseconds kClosed = 30s;
constexpr std::chrono::milliseconds kNeverOpened = 10min;

Result<void> open_browser(const std::string& address) {
#if defined(__APPLE__)
  const std::string program = "open";
#else
  const std::string program = "xdg-open";
#endif
  auto ran = run_child({.arguments = {program, address}, .environment = std::nullopt});
  if (!ran || ran->exit_code != 0)
    return Error(Errc::unavailable, program + " opens no browser: open the address above yourself");
  return {};
}

Result<int> run_web(const WebOptions& o, const Settings& settings) {
  web::WebHistory history(settings);
  MEMD_TRY_ASSIGN(const auto server, http::LoopbackServer::open(
                                         static_cast<std::uint16_t>(o.port.value_or(0)),
                                         [&](const http::PageRequest& request) { return history.answer(request); }));
  // What follows '#' is not sent: no log and no other page sees the token.
  const std::string address =
      fmt::format("http://127.0.0.1:{}/?{}#token={}", server->port(), server->ticket(), server->token());
  std::cout << address << std::endl;
  fmt::print(stderr, "For you only. Ends {} seconds after its last tab, or with Ctrl-C.\n", kClosed / 1s);
  if (const auto daemon = connect_running(settings); !daemon || !*daemon)
    fmt::print(stderr, "No daemon reads what agents write meanwhile: `memd setup service` starts one.\n");
  if (o.open)
    if (const auto opened = open_browser(address); !opened) fmt::print(stderr, "memd: {}\n", opened.error().message());
  server->serve([&] { return history.unused() < (history.was_opened() ? kClosed : kNeverOpened); });
  return kOk;
}

}  // namespace

Command web_command() {
  const auto o = std::make_shared<WebOptions>();
  Command c{"web", "The history as a page in your browser, for you only, while it is open"};
  c.options = {{"--open", &o->open, "Open it in the browser"},
               {.names = "--port",
                .target = &o->port,
                .help = "Its port on 127.0.0.1; any free one if not given",
                .value_name = "PORT",
                .between = std::pair(1, 65535)}};
  c.run = [o](const Invocation& call) -> Result<int> {
    if (call.as_json) return Error(Errc::invalid_argument, "web prints an address: leave out --json");
    return run_web(*o, call.settings);
  };
  return c;
}

}  // namespace memd::cli
