#pragma once

#include "schemas/base/result.hpp"

#include <string>
#include <string_view>

// memd's server in a client's config.toml: a block between two comments, in a file that is not parsed otherwise.
//
//   # memd: begin
//   [mcp_servers.memd]
//   command = "/usr/bin/memd"
//   args = ["--stdio"]
//   # memd: end
//
// Where servers are a list, the block begins with [[mcp_servers]], name and transport.
// Lines that others add to the block stay in it. Values are texts of JSON, which TOML reads as well. Pure functions;
// any thread.
namespace memd::setup {

struct TomlServer {
  std::string command;  // a string; empty: there is no block
  std::string args;     // a list of strings
  bool is_in_list = false;
};

TomlServer read_block(std::string_view text);

// Returns whether a server memd, in whatever notation, is outside of the block.
bool has_foreign_server(std::string_view text);

// Returns the text with a block for this server: where it is, else at the end. With a foreign server the text stays as
// it is. Errc::bad_config "line 3: …" if mcp_servers is in braces, to which nothing can be added. An
// empty list "mcp_servers = []" gives way to the block.
Result<std::string> with_block(std::string_view text, const TomlServer& server);

// Returns the text without the block and a blank line before it.
std::string without_block(std::string_view text);

}  // namespace memd::setup
