#include "daemon/sharing/exchange.hpp"

#include "daemon/child_process.hpp"
#include "daemon/sharing/team_server.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/harmless.hpp"
#include "schemas/base/hash.hpp"
#include "store/files/whole_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <sstream>

namespace memd::sharing {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kExchange = "memd share 2\n";
constexpr std::string_view kEnd = "end\n";

Error broken(std::string_view what) {
  return Error(Errc::protocol, "the other memd's answer is damaged: " + harmless_line(std::string(what)));
}

// Takes the first word of a line.
std::string_view word_of(std::string_view& line) {
  const auto end = std::min(line.find(' '), line.size());
  const auto word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

void add_files(const SharePlace& place, const std::vector<std::string>& paths, Message& out) {
  std::size_t bytes = 0;
  for (const auto& path : paths) {
    auto file = place.read(path);
    if (!file) continue;
    bytes += file->size();
    out.files[path] = std::move(*file);
    if (bytes > kMostOfMessage) return;
  }
}

std::map<std::string, std::string> hashes(const SharePlace& place) {
  std::map<std::string, std::string> out;
  for (const auto& path : place.paths())
    if (const auto file = place.read(path)) out[path] = sha256_hex(*file);
  return out;
}

std::filesystem::path file_of_own(const SharePlace& copy) { return copy.directory().string() + ".own"; }

// Returns the paths of this machine's files that host and copy had after the last exchange. What the copy lacks of them
// was removed here; what the host has besides is newer than this copy, which then is of a backup.
Result<std::vector<std::string>> own_of_last_time(const SharePlace& copy) {
  const auto text = files::read_whole(file_of_own(copy));
  if (!text && !text.error().is(Errc::not_found)) return text.error();
  std::vector<std::string> out;
  std::istringstream lines(text ? *text : std::string());
  for (std::string path; std::getline(lines, path);)
    out.push_back(path);
  return out;
}

Result<void> keep_own(const SharePlace& copy, const std::string& machine, const std::vector<std::string>& before,
                      const std::map<std::string, std::string>& have) {
  std::vector<std::string> own;
  for (const auto& [path, hash] : have)
    if (SharePlace::machine_of(path) == machine) own.push_back(path);
  if (own == before) return {};
  std::string text;
  for (const auto& path : own)
    text += path + '\n';
  return files::write_whole(file_of_own(copy), text, files::OnDisk::now);
}

Result<Message> ask(const std::string& host, const std::string& project, const Message& request) {
  ChildCommand ssh;
  ssh.arguments = {"ssh", "-o",   "BatchMode=yes", "-o",    "ConnectTimeout=10", "--",
                   host,  "memd", "share",         "serve", "--project",         "'" + project + "'"};
  ssh.input = to_text(request);
  ssh.patience = 10min;
  ssh.most_output = 16 * kMostOfMessage;
  MEMD_TRY_ASSIGN(const ChildOutput output, run_child(ssh));
  if (output.exit_code != 0)
    return Error(Errc::unavailable, host + ": `ssh " + host + " memd share serve` ended with " +
                                        std::to_string(output.exit_code) + "; see its message above, or in memd's log");
  return parse_message(output.text);
}

}  // namespace

Result<bool> is_remote(std::string_view place) {
  MEMD_TRY_ASSIGN(const bool is_server, TeamServer::is_meant(place));
  if (is_server) return true;
  if (place.find('/') != std::string_view::npos || place.find('@') == std::string_view::npos) return false;
  const bool is_host = ascii::is_alnum(place.front()) && std::all_of(place.begin(), place.end(), [](char c) {
                         return ascii::is_alnum(c) || std::string_view("@._-").find(c) != std::string_view::npos;
                       });
  if (!is_host) return Error(Errc::invalid_argument, "\"" + harmless_line(std::string(place)) + "\" is no user@host");
  return true;
}

std::string to_text(const Message& m) {
  std::string out(kExchange);
  out += fmt::format("machine {}\ninvitation {}\n", m.machine, m.invitation);
  for (const auto& [path, hash] : m.have)
    out += fmt::format("have {} {}\n", hash, path);
  for (const auto& path : m.want)
    out += fmt::format("want {}\n", path);
  for (const auto& path : m.gone)
    out += fmt::format("gone {}\n", path);
  for (const auto& [path, file] : m.files)
    out.append(fmt::format("file {} {}\n", file.size(), path)).append(file);
  return out.append(kEnd);
}

Result<Message> parse_message(std::string_view text) {
  if (!text.starts_with(kExchange))
    return broken("it does not begin as one of this version; are both memd the newest?");
  text.remove_prefix(kExchange.size());
  Message out;
  while (!text.starts_with(kEnd)) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) return broken("it ends too early");
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    const auto kind = word_of(line);
    if (kind == "machine") {
      out.machine = line;
    } else if (kind == "invitation") {
      out.invitation = line;
    } else if (kind == "have") {
      const std::string hash(word_of(line));
      out.have[std::string(line)] = hash;
    } else if (kind == "want") {
      out.want.emplace_back(line);
    } else if (kind == "gone") {
      out.gone.emplace_back(line);
    } else if (kind == "file") {
      const auto digits = word_of(line);
      std::size_t size = 0;
      const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), size);
      if (read.ec != std::errc() || size > text.size()) return broken("the size of a file");
      out.files[std::string(line)] = text.substr(0, size);
      text.remove_prefix(size);
    } else {
      return broken(kind);
    }
  }
  return out;
}

Result<std::string> answer(const SharePlace& place, std::string_view request,
                           const std::function<Result<void>(const Message&)>& sync) {
  MEMD_TRY_ASSIGN(const Message asked, parse_message(request));
  for (const auto& [path, file] : asked.files)
    if (SharePlace::machine_of(path) == asked.machine || (SharePlace::is_head(path) && !place.share()))
      MEMD_TRY(place.write(path, file));
  for (const auto& path : asked.gone)
    if (SharePlace::machine_of(path) == asked.machine) MEMD_TRY(place.remove(path));
  if (place.share()) MEMD_TRY(sync(asked));
  const auto here = hashes(place);
  Message out;
  std::vector<std::string> lacking;
  for (const auto& [path, hash] : here) {
    const auto there = asked.have.find(path);
    const bool is_of_client = SharePlace::machine_of(path) == asked.machine;
    if (there == asked.have.end() || (!is_of_client && there->second != hash)) lacking.push_back(path);
  }
  for (const auto& [path, hash] : asked.have) {
    const auto own = here.find(path);
    const bool is_of_client =
        SharePlace::machine_of(path) == asked.machine || (SharePlace::is_head(path) && own == here.end());
    if (!is_of_client && own == here.end()) out.gone.push_back(path);
    if (is_of_client && (own == here.end() || own->second != hash)) out.want.push_back(path);
  }
  add_files(place, lacking, out);
  return to_text(out);
}

Result<void> exchange(const std::string& host, const std::string& project, const SharePlace& copy,
                      const std::string& machine, const std::string& invitation) {
  MEMD_TRY_ASSIGN(const auto own, own_of_last_time(copy));
  std::vector<std::string> wanted;
  do {
    Message request;
    request.machine = machine;
    request.invitation = invitation;
    request.have = hashes(copy);
    for (const auto& path : own)
      if (!request.have.contains(path)) request.gone.push_back(path);
    add_files(copy, wanted, request);
    MEMD_TRY_ASSIGN(const Message answered, ask(host, project, request));
    for (const auto& path : answered.gone)
      if (SharePlace::machine_of(path) != machine) MEMD_TRY(copy.remove(path));
    for (const auto& [path, file] : answered.files)
      if (SharePlace::machine_of(path) != machine || !request.have.contains(path)) MEMD_TRY(copy.write(path, file));
    const bool got_something = !answered.files.empty();
    if (wanted == answered.want && !wanted.empty()) return Error(Errc::protocol, host + " did not take what was sent");
    wanted = answered.want;
    if (wanted.empty() && !got_something) return keep_own(copy, machine, own, request.have);
  } while (true);
}

}  // namespace memd::sharing
