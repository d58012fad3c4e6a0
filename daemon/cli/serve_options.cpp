#include "daemon/cli/command_context.hpp"
#include "daemon/serve/serve.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>

namespace memd::cli {

void add_serve_options(CLI::App& app, CommandContext& context) {
  struct Options {
    bool stdio = false;
    bool standalone = false;
    std::optional<std::string> socket;
  };
  auto o = std::make_shared<Options>();
  auto* stdio = app.add_flag("--stdio", o->stdio, "Serve MCP on stdin and stdout, through the daemon");
  app.add_flag("--standalone", o->standalone, "With --stdio: without a daemon, all in this process")->needs(stdio);
  auto* socket = app.add_option("--socket", o->socket, "Be the daemon, on this Unix socket or the usual one")
                     ->expected(0, 1)
                     ->type_name("[PATH]")
                     ->excludes(stdio);
  app.callback([&context, o, socket] {
    if (o->stdio && o->standalone)
      context.action = [](const Settings& s) { return serve_stdio_standalone(s); };
    else if (o->stdio)
      context.action = [](const Settings& s) { return serve_stdio_pump(s); };
    else if (socket->count() > 0)
      context.action = [o](const Settings& s) { return serve_socket(s, o->socket); };
  });
}

}  // namespace memd::cli
