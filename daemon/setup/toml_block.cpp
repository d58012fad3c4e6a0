#include "daemon/setup/toml_block.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace memd::setup {
namespace {

constexpr std::string_view kBegin = "# memd: begin";
constexpr std::string_view kEnd = "# memd: end";

std::vector<std::string_view> whole_lines(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    out.push_back(text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1));
    text.remove_prefix(out.back().size());
  }
  return out;
}

bool is_header(std::string_view line) { return ascii::trimmed(line).starts_with('['); }

// Returns a header, or the key of a line, without blanks and quotes.
std::string bare_key(std::string_view line) {
  line = ascii::trimmed(line);
  std::string out(line.substr(0, is_header(line) ? line.find(']') + 1 : line.find('=')));
  std::erase_if(out, [](char c) { return c == ' ' || c == '\t' || c == '"' || c == '\''; });
  return out;
}

// Returns the value of a line without quotes and a comment.
std::string_view bare_value(std::string_view line) {
  line = ascii::trimmed(line.substr(line.find('=') + 1));
  if (line.empty() || (line.front() != '"' && line.front() != '\''))
    return ascii::trimmed(line.substr(0, line.find('#')));
  return line.substr(1, line.find(line.front(), 1) - 1);
}

constexpr std::string_view kListHeader = "[[mcp_servers]";  // as bare_key() returns it

bool is_of_memd(std::string_view header) {
  return header == "[mcp_servers.memd]" || header.starts_with("[mcp_servers.memd.");
}

struct MarkedText {
  std::string before;
  std::vector<std::string_view> block;  // lines between the marks, up to a table that a client has put there
  std::string after;
  bool is_marked = false;
};

MarkedText split(std::string_view text) {
  const auto lines = whole_lines(text);
  const auto mark = [&](std::string_view what) {
    return std::find_if(lines.begin(), lines.end(), [&](auto line) { return ascii::trimmed(line) == what; });
  };
  const auto begin = mark(kBegin);
  const auto end = mark(kEnd);
  MarkedText out;
  out.is_marked = begin < end && end != lines.end();
  if (!out.is_marked) {
    out.before = text;
    return out;
  }
  auto line = begin + 1;
  const auto is_own = [&](auto header) {
    const std::string key = bare_key(*header);
    return is_of_memd(key) || (header == begin + 1 && key == kListHeader);
  };
  for (; line != end && (!is_header(*line) || is_own(line)); ++line)
    out.block.push_back(*line);
  out.before = text.substr(0, static_cast<std::size_t>(begin->data() - text.data()));
  for (; line != lines.end(); ++line)
    if (line != end) out.after += *line;
  return out;
}

// Returns the lines of the block that memd has not written.
std::string added_lines(const MarkedText& all, const TomlServer& server) {
  std::string out;
  const auto is_name = [&](std::string_view key) {
    return server.is_in_list ? key == kListHeader || key == "name" || key == "transport" : key == "[mcp_servers.memd]";
  };
  bool is_list = false;  // a formatter has given each argument a line
  for (const std::string_view line : all.block) {
    const std::string key = bare_key(line);
    const bool is_own = is_list || is_name(key) || key == "command" || key == "args";
    if (key == "args" || is_list) is_list = line.find(']') == std::string_view::npos;
    if (!is_own) out += line;
  }
  return out;
}

}  // namespace

TomlServer read_block(std::string_view text) {
  TomlServer out;
  for (const std::string_view line : split(text).block) {
    const std::string key = bare_key(line);
    if (key == "command" || key == "args")
      (key == "args" ? out.args : out.command) = ascii::trimmed(line.substr(line.find('=') + 1));
  }
  return out;
}

bool has_foreign_server(std::string_view text) {
  const MarkedText all = split(text);
  for (const std::string& part : {all.before, all.after}) {
    std::string table;
    for (const std::string_view line : whole_lines(part)) {
      const std::string key = bare_key(line);
      if (is_header(line)) table = key;
      if (is_of_memd(table) || (table.empty() && is_of_memd("[" + key + "]")) ||
          (table == "[mcp_servers]" && is_of_memd("[mcp_servers." + key + "]")) ||
          (table == kListHeader && key == "name" && bare_value(line) == "memd"))
        return true;
    }
  }
  return false;
}

Result<std::string> with_block(std::string_view text, const TomlServer& server) {
  if (has_foreign_server(text)) return std::string(text);
  MarkedText all = split(text);
  const auto lines = whole_lines(text);
  const std::string newline = !lines.empty() && lines.front().ends_with("\r\n") ? "\r\n" : "\n";
  if (!all.is_marked) {
    for (std::size_t i = 0; i < lines.size() && !is_header(lines[i]); ++i) {
      if (bare_key(lines[i]) != "mcp_servers") continue;
      if (!server.is_in_list || bare_value(lines[i]) != "[]")
        return Error(Errc::bad_config, fmt::format("line {}: mcp_servers is in braces: write it as {}", i + 1,
                                                   server.is_in_list ? "[[mcp_servers]]" : "[mcp_servers.NAME]"));
      all.before.erase(static_cast<std::size_t>(lines[i].data() - text.data()), lines[i].size());
    }
    if (!all.before.empty()) all.before += all.before.ends_with('\n') ? newline : newline + newline;
  }
  const std::string name = server.is_in_list
                               ? fmt::format("[[mcp_servers]]{0}name = \"memd\"{0}transport = \"stdio\"", newline)
                               : "[mcp_servers.memd]";
  return fmt::format("{1}{2}{0}{8}{0}command = {3}{0}args = {4}{0}{5}{6}{0}{7}", newline, all.before, kBegin,
                     server.command, server.args, added_lines(all, server), kEnd, all.after, name);
}

std::string without_block(std::string_view text) {
  MarkedText all = split(text);
  if (!all.is_marked) return all.before;
  for (const std::string_view blank : {"\r\n\r\n", "\n\n"})
    if (all.after.empty() && all.before.ends_with(blank)) {
      all.before.resize(all.before.size() - blank.size() / 2);
      break;
    }
  return all.before + all.after;
}

}  // namespace memd::setup
