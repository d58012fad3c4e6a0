#include "daemon/setup/service_setup.hpp"

#include "daemon/sharing/exchange.hpp"
#include "schemas/base/embedded.hpp"
#include "schemas/base/error.hpp"
#include "store/files/whole_file.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <set>
#include <string_view>

namespace memd::setup {
namespace fs = std::filesystem;
namespace {

std::string packaged(std::string_view name) {
  for (const auto& file : embedded::setup_files())
    if (file.name == name) return std::string(file.text);
  return {};
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

// Quotes a path for a unit, as systemd.syntax(7) and systemd.unit(5) require.
std::string unit_word(const std::string& word) {
  std::string out;
  bool quote = false;
  for (const char c : word) {
    if (c == '%') out += c;  // doubled
    if (c == '"' || c == '\\') out += '\\';
    quote = quote || c == ' ' || c == '"' || c == '\\' || c == '\'' || c == ';';
    out += c;
  }
  return quote ? "\"" + out + "\"" : out;
}

// Likewise a word of a command line.
std::string command_word(std::string word) {
  replace_all(word, "$", "$$");
  return unit_word(word);
}

Result<void> check_lines(const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (word.find_first_of("\n\r") != std::string::npos)
      return Error(Errc::invalid_argument, "a path with a line break cannot be used in the definition of a service");
  return {};
}

std::string xml_text(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return out;
}

fs::path unit_directory(const ServiceSetup& s) { return s.config_home / "systemd" / "user"; }
fs::path drop_in(const ServiceSetup& s, const char* name) { return unit_directory(s) / "memd.service.d" / name; }
fs::path agent_file(const ServiceSetup& s) { return s.home / "Library" / "LaunchAgents" / "dev.memd.plist"; }

constexpr std::string_view kUsualSocket = "%t/memd/memd.sock";
std::string listen_stream(const ServiceSetup& s) {
  return s.default_data_dir ? std::string(kUsualSocket) : s.socket.string();
}

std::string launchd_domain() { return fmt::format("gui/{}", ::getuid()); }

std::string launchd_agent(const ServiceSetup& s) {
  std::string text = packaged("dev.memd.plist");
  std::string words = xml_text(s.program.executable.string()) + "</string>\n    <string>--socket";
  for (const std::string& argument : s.program.arguments)
    words += "</string>\n    <string>" + xml_text(argument);
  replace_all(text, "/Users/YOU/.local/bin/memd</string>\n    <string>--socket", words);
  replace_all(text, "/Users/YOU/.local/state/memd/memd.sock", xml_text(s.socket.string()));
  replace_all(text, "/Users/YOU/.local/share/memd", xml_text(s.data_dir.string()));
  replace_all(text,
              "<!-- For ~/Library/LaunchAgents. Replace /Users/YOU: launchd expands neither ~ nor variables. -->\n",
              "<!-- Written by memd setup service. -->\n");
  return text;
}

}  // namespace

Result<std::vector<ServiceText>> service_files(const ServiceSetup& s) {
  std::vector<std::string> words{s.program.executable.string(), s.data_dir.string(), s.socket.string()};
  words.insert(words.end(), s.program.arguments.begin(), s.program.arguments.end());
  MEMD_TRY(check_lines(words));
  std::vector<ServiceText> out;
  if (s.mac) {
    out.emplace_back(agent_file(s), launchd_agent(s));
    return out;
  }
  std::string command = command_word(s.program.executable.string()) + " --socket";
  for (const std::string& argument : s.program.arguments)
    command += " " + command_word(argument);
  std::string service = packaged("memd.service");
  std::string socket = packaged("memd.socket");
  replace_all(service, "%h/.local/bin/memd --socket", command);
  if (!s.default_data_dir) {
    replace_all(service, "%h/.local/share/memd", unit_word(s.data_dir.string()));
    replace_all(socket, "%h/.local/share/memd", unit_word(s.data_dir.string()));
    replace_all(socket, kUsualSocket, listen_stream(s));
  }
  if (!s.packaged_units) {
    out.emplace_back(unit_directory(s) / "memd.service", std::move(service));
    out.emplace_back(unit_directory(s) / "memd.socket", std::move(socket));
  }
  if (s.network) out.emplace_back(drop_in(s, "network.conf"), packaged("network.conf"));
  return out;
}

Result<ServiceText> share_drop_in(const ServiceSetup& s) {
  MEMD_TRY(check_lines(s.shared));
  ServiceText out(drop_in(s, "shares.conf"), {});
  if (s.mac || s.shared.empty()) return out;
  std::string head = "[Service]\n";
  std::string directories;
  for (const std::string& place : std::set(s.shared.begin(), s.shared.end())) {
    MEMD_TRY_ASSIGN(const bool is_remote, sharing::is_remote(place));
    if (is_remote) head = packaged("network.conf");
    if (!is_remote) directories += "ReadWritePaths=" + unit_word("-" + place) + "\n";
  }
  out.second = "# Written by memd: see memd share status.\n" + head + directories;
  return out;
}

std::vector<fs::path> all_service_files(const ServiceSetup& s) {
  if (s.mac) return {agent_file(s)};
  return {drop_in(s, "network.conf"), drop_in(s, "shares.conf"), unit_directory(s) / "memd.service",
          unit_directory(s) / "memd.socket"};
}

bool is_installed(const ServiceSetup& s) {
  const auto links = service_links(s);
  const auto unit = files::read_whole(links.empty() ? agent_file(s) : links.back().first);
  return unit && (s.mac || unit->find("\nListenStream=" + listen_stream(s) + "\n") != std::string::npos);
}

fs::path topmost_service_directory(const ServiceSetup& s) {
  return s.mac ? agent_file(s).parent_path() : unit_directory(s).parent_path();
}

std::vector<std::pair<fs::path, fs::path>> service_links(const ServiceSetup& s) {
  if (s.mac) return {};  // launchd starts the agents in its directory
  const fs::path units = s.packaged_units ? fs::path("/usr/lib/systemd/user") : unit_directory(s);
  return {{unit_directory(s) / "default.target.wants" / "memd.service", units / "memd.service"},
          {unit_directory(s) / "sockets.target.wants" / "memd.socket", units / "memd.socket"}};
}

std::vector<CommandLine> start_service_commands(const ServiceSetup& s) {
  if (s.mac) return {{"launchctl", "bootstrap", launchd_domain(), agent_file(s).string()}};
  // The socket first: it replaces the socket of a daemon that a client started, then the service takes over.
  return {{"systemctl", "--user", "daemon-reload"},
          {"systemctl", "--user", "enable", "memd.socket", "memd.service"},
          {"systemctl", "--user", "restart", "memd.socket"},
          {"systemctl", "--user", "restart", "memd.service"}};
}

std::vector<CommandLine> reload_service_commands() {
  return {{"systemctl", "--user", "daemon-reload"}, {"systemctl", "--user", "try-restart", "memd.service"}};
}

std::vector<CommandLine> end_service_commands(const ServiceSetup& s) {
  if (s.mac) return {{"launchctl", "bootout", launchd_domain() + "/dev.memd"}};
  return {{"systemctl", "--user", "disable", "--now", "memd.socket", "memd.service"},
          {"systemctl", "--user", "daemon-reload"}};
}

}  // namespace memd::setup
