#include "daemon/setup/registration.hpp"

#include "daemon/child_process.hpp"
#include "daemon/setup/toml_block.hpp"
#include "daemon/setup/yaml_entry.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/embedded.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/json_writer.hpp"
#include "store/files/path_name.hpp"
#include "store/files/whole_file.hpp"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace memd::setup {
namespace fs = std::filesystem;
namespace {

constexpr const char* kServerName = "memd";
constexpr const char* kProgramName = "memd";
constexpr int kMostTries = 5;
constexpr int kMostLinks = 20;

JsonDialect dialect_of(ConfigFormat format) {
  if (format == ConfigFormat::json) return JsonDialect::strict;
  return format == ConfigFormat::json_comments ? JsonDialect::only_comments : JsonDialect::with_comments;
}

bool is_toml(const ConfigFile& file) {
  return file.format == ConfigFormat::toml || file.format == ConfigFormat::toml_list;
}

// Returns the target of a path that may be a link. The target need not exist yet.
Result<fs::path> behind_links(fs::path path) {
  for (int i = 0; i < kMostLinks; ++i) {
    struct stat st {};
    if (::lstat(path.c_str(), &st) != 0 || !S_ISLNK(st.st_mode)) return path;
    std::error_code ec;
    const fs::path to = fs::read_symlink(path, ec);
    if (ec) return Error(Errc::io, "readlink " + path.string() + ": " + ec.message());
    path = (path.parent_path() / to).lexically_normal();
  }
  return Error(Errc::io, path.string() + ": too many links, one to the other");
}

Result<FileBytes> read_if_there(const fs::path& file) {
  auto bytes = files::read_whole(file);
  if (bytes) return FileBytes(std::move(*bytes));
  if (bytes.error().is(Errc::not_found)) return FileBytes();
  return bytes.error();
}

// A repository may bring a link in place of a file or directory. In a project none is followed out of it.
Result<void> stays_in_project(const fs::path& project, const Edit& edit) {
  std::error_code ec;
  const fs::path root = fs::weakly_canonical(project, ec);
  const fs::path target = fs::weakly_canonical(edit.target, ec);
  if (!ec && target != root && files::is_inside(target, root)) return {};
  return Error(Errc::permission, edit.file.string() + " is, or is reached through, a link that leads out of " +
                                     project.string() + ": memd writes nothing there. Put a file in its place");
}

Error in_file(const fs::path& file, const Error& error) {
  if (!error.is(Errc::bad_config)) return error;
  std::string where = file.string();
  std::string what = error.context;
  if (what.starts_with("line ")) {
    const auto colon = what.find(": ");
    where += ":" + what.substr(5, colon - 5);
    what.erase(0, colon + 2);
  }
  return Error(Errc::bad_config,
               fmt::format("{}: {}. The file was left as it is: correct it and call this again", where, what));
}

std::string string_list(std::span<const std::string> values) {
  std::string out;
  json::Writer w(out);
  w.begin_array();
  for (const std::string& value : values)
    w.string(value);
  w.end_array();
  return out;
}

std::string json_text(std::string_view value) {
  std::string out;
  json::append_string(out, value);
  return out;
}

std::vector<std::string> below(std::vector<std::string> path, std::initializer_list<std::string> keys) {
  path.insert(path.end(), keys);
  return path;
}

// A server entry: the members that memd sets always, and those that it sets only in a new entry.
struct JsonEntry {
  std::vector<std::pair<std::string, std::string>> set;
  std::vector<std::pair<std::string, std::string>> fresh_before;
  std::vector<std::pair<std::string, std::string>> fresh_after;
};

JsonEntry json_entry(EntryShape shape, const std::vector<std::string>& command) {
  const std::span<const std::string> arguments = std::span(command).subspan(1);
  if (shape == EntryShape::local_array)
    return {{{"type", R"("local")"}, {"command", string_list(command)}}, {}, {{"enabled", "true"}}};
  JsonEntry out{{{"command", json_text(command.front())}, {"args", string_list(arguments)}}, {}, {}};
  if (shape == EntryShape::stdio) out.fresh_before.emplace_back("type", R"("stdio")");
  if (shape == EntryShape::local_tools) {
    out.fresh_before.emplace_back("type", R"("local")");
    out.fresh_after.emplace_back("tools", R"(["*"])");
  }
  return out;
}

// opencode 2 nests servers one level deeper. A server named "servers" does not count.
std::vector<std::string> servers_path(const JsonValue& root, const ConfigFile& file) {
  if (file.shape != EntryShape::local_array) return file.servers;
  std::vector<std::string> nested = below(file.servers, {"servers"});
  const JsonValue* found = find_value(root, nested);
  const bool is_map = found != nullptr && found->kind == JsonValue::Kind::object && !found->find("type") &&
                      !found->find("command") && !found->find("enabled");
  return is_map ? nested : file.servers;
}

Result<std::string> put_json_server(const std::string& text, const ConfigFile& file,
                                    const std::vector<std::string>& command) {
  const JsonDialect dialect = dialect_of(file.format);
  MEMD_TRY_ASSIGN(const JsonValue root, parse_jsonc(text, dialect));
  const std::vector<std::string> path = below(servers_path(root, file), {kServerName});
  const JsonEntry entry = json_entry(file.shape, command);
  const JsonValue* there = find_value(root, path);
  if (there != nullptr && there->find("command") != nullptr) {
    std::string out = text;
    for (const auto& [key, value] : entry.set) {
      MEMD_TRY_ASSIGN(out, with_member(out, dialect, below(path, {key}), value));
    }
    return out;
  }
  std::string value;
  json::Writer w(value);
  w.begin_object();
  for (const auto* members : {&entry.fresh_before, &entry.set, &entry.fresh_after})
    for (const auto& [key, member] : *members)
      w.member_raw(key, member);
  w.end_object();
  return with_member(text, dialect, path, value);
}

Result<std::string> take_json_server(const std::string& text, const ConfigFile& file) {
  MEMD_TRY_ASSIGN(const JsonValue root, parse_jsonc(text, dialect_of(file.format)));
  return without_member(text, dialect_of(file.format), below(servers_path(root, file), {kServerName}));
}

// Appends the strings of a JSON value: of one, or of a list.
void append_words(const JsonValue& value, std::vector<std::string>& out) {
  if (value.kind == JsonValue::Kind::string) out.push_back(value.string);
  for (const JsonElement& word : value.elements)
    out.push_back(word.value.string);
}

const std::vector<std::string>& session_start_path() {
  static const std::vector<std::string> kPath{"hooks", "SessionStart"};
  return kPath;
}

// Returns whether the hook is memd's, wherever memd is installed.
bool is_our_hook(const JsonValue& group) {
  const JsonElement* hooks = group.find("hooks");
  if (hooks == nullptr) return false;
  return std::any_of(hooks->value.elements.begin(), hooks->value.elements.end(), [](const JsonElement& hook) {
    const JsonElement* command = hook.value.find("command");
    return command != nullptr && command->value.string.find("memd") != std::string::npos &&
           command->value.string.find("hook session-start") != std::string::npos;
  });
}

Result<std::string> take_hooks(std::string text, ConfigFormat format) {
  while (true) {
    MEMD_TRY_ASSIGN(const JsonValue root, parse_jsonc(text, dialect_of(format)));
    const JsonValue* groups = find_value(root, session_start_path());
    if (groups == nullptr || groups->kind != JsonValue::Kind::array) return text;
    const auto ours = std::find_if(groups->elements.begin(), groups->elements.end(),
                                   [](const JsonElement& e) { return is_our_hook(e.value); });
    if (ours == groups->elements.end()) return text;
    MEMD_TRY_ASSIGN(text, without_element(text, dialect_of(format), session_start_path(),
                                          static_cast<std::size_t>(ours - groups->elements.begin())));
  }
}

Result<std::string> put_hook(const std::string& text, const HookFile& file, const std::string& group) {
  const JsonDialect dialect = dialect_of(file.format);
  MEMD_TRY_ASSIGN(const JsonValue root, parse_jsonc(text, dialect));
  if (const JsonValue* groups = find_value(root, session_start_path())) {
    const auto ours = [](const JsonElement& e) { return is_our_hook(e.value); };
    const auto first = std::find_if(groups->elements.begin(), groups->elements.end(), ours);
    if (first != groups->elements.end() && compact_json(text, first->value) == group &&
        std::none_of(first + 1, groups->elements.end(), ours))
      return text;
  }
  MEMD_TRY_ASSIGN(const std::string rest, take_hooks(text, file.format));
  return with_element(rest, dialect, session_start_path(), group);
}

constexpr std::string_view kSkillMark = "\n<!-- memd setup ";

// Returns the plugin's skill under its name here, with a hash by which an unmodified text is recognised.
std::string skill_text() {
  std::string text;
  for (const auto& file : embedded::setup_files())
    if (file.name == "SKILL.md") text = file.text;
  constexpr std::string_view kName = "name: memory\n";
  if (const auto at = text.find(kName); at != std::string::npos) text.replace(at, kName.size(), "name: memd\n");
  return text + std::string(kSkillMark) + sha256_hex(text).substr(0, 16) + " -->\n";
}

bool is_our_skill(std::string_view text) {
  const auto mark = text.rfind(kSkillMark);
  if (mark == std::string_view::npos) return false;
  return text.substr(mark + kSkillMark.size()) == sha256_hex(text.substr(0, mark)).substr(0, 16) + " -->\n";
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty())
    out.push_back(ascii::take_until(text, '\n'));
  return out;
}

}  // namespace

std::string_view to_string(Part part) {
  switch (part) {
    case Part::server: return "server";
    case Part::hook: return "hook";
    case Part::skill: return "skill";
  }
  return "";
}

std::string_view to_string(Change change) {
  switch (change) {
    case Change::none: return "none";
    case Change::added: return "added";
    case Change::changed: return "changed";
    case Change::removed: return "removed";
  }
  return "";
}

std::string difference(const FileBytes& before, const FileBytes& after) {
  const auto old_lines = lines_of(before ? std::string_view(*before) : std::string_view());
  const auto new_lines = lines_of(after ? std::string_view(*after) : std::string_view());
  std::size_t head = 0;
  const std::size_t shorter = std::min(old_lines.size(), new_lines.size());
  while (head < shorter && old_lines[head] == new_lines[head])
    ++head;
  std::size_t tail = 0;
  while (tail < shorter - head && old_lines[old_lines.size() - 1 - tail] == new_lines[new_lines.size() - 1 - tail])
    ++tail;
  std::string out;
  for (std::size_t i = head; i + tail < old_lines.size(); ++i)
    out += fmt::format("{:>5} - {}\n", i + 1, old_lines[i]);
  for (std::size_t i = head; i + tail < new_lines.size(); ++i)
    out += fmt::format("{:>5} + {}\n", i + 1, new_lines[i]);
  return out;
}

// The backup files that memd keeps for a file it has changed.
struct Registration::Kept {
  fs::path before;  // bytes before memd's first change
  fs::path absent;  // exists if there was no file
  fs::path after;   // bytes that memd wrote last
  fs::path last;    // bytes before the last change
  fs::path made;    // names the topmost directory that memd created for the file
};

ServerProgram shared_program() { return {kProgramName, {}}; }

Registration::Registration(ClientPlaces places, ServerProgram program, fs::path backups)
    : places_(std::move(places)), program_(std::move(program)), backups_(std::move(backups)) {}

Registration::Kept Registration::kept(const fs::path& target, Part part) const {
  const std::string name =
      fmt::format("{}-{}-{}", sha256_hex(target.native()).substr(0, 12), target.filename().string(), to_string(part));
  return {backups_ / (name + ".before"), backups_ / (name + ".absent"), backups_ / (name + ".after"),
          backups_ / (name + ".backup"), backups_ / (name + ".made")};
}

std::vector<std::string> Registration::wanted() const {
  std::vector<std::string> out{program_.executable.string()};
  out.insert(out.end(), program_.arguments.begin(), program_.arguments.end());
  out.emplace_back("--stdio");
  return out;
}

std::string Registration::hook_command() const {
  std::string out = R"([ "$MEMD_SESSION_START" = off ] || )" + shell_word(program_.executable.string());
  for (const std::string& argument : program_.arguments)
    out += " " + shell_word(argument);
  return out + " hook session-start 2>/dev/null || true";
}

Result<Edit> Registration::edit_of(const ClientInfo& client, Part part, const fs::path& file, bool remove,
                                   TextChange put, TextChange take) const {
  Edit edit;
  edit.client = client.key;
  edit.part = part;
  edit.file = file;
  MEMD_TRY_ASSIGN(edit.target, behind_links(file));
  edit.without = [file, take](const std::string& before) -> Result<std::string> {
    if (before.find(kServerName) == std::string::npos) return before;  // whatever it is, memd is not in it
    auto text = take(before);
    if (!text) return in_file(file, text.error());
    return text;
  };
  if (remove)
    edit.make = [memory = kept(edit.target, edit.part), without = edit.without](const FileBytes& before) {
      return taken_out(memory, before, without);
    };
  else
    edit.make = [file, put = std::move(put)](const FileBytes& before) -> Result<FileBytes> {
      auto text = put(before.value_or(""));
      if (!text) return in_file(file, text.error());
      return FileBytes(std::move(*text));
    };
  MEMD_TRY_ASSIGN(edit.before, read_if_there(edit.target));
  MEMD_TRY_ASSIGN(edit.after, edit.make(edit.before));
  if (edit.before == edit.after) return edit;
  edit.change = remove ? Change::removed : Change::added;
  if (!remove && edit.before) {
    MEMD_TRY_ASSIGN(const std::string rest, edit.without(*edit.before));
    if (rest != *edit.before) edit.change = Change::changed;
  }
  return edit;
}

// Returns the original bytes if nobody has changed the file since; else the text without memd's entry.
Result<FileBytes> Registration::taken_out(const Kept& memory, const FileBytes& before, const TextChange& without) {
  if (!before) return FileBytes();
  MEMD_TRY_ASSIGN(const FileBytes after, read_if_there(memory.after));
  if (after && *after == *before) {
    std::error_code ec;
    if (fs::exists(memory.absent, ec)) return FileBytes();
    MEMD_TRY_ASSIGN(FileBytes original, read_if_there(memory.before));
    if (original) return original;
  }
  MEMD_TRY_ASSIGN(std::string text, without(*before));
  return FileBytes(std::move(text));
}

Result<Edit> Registration::server_edit(const ClientInfo& client, const ConfigFile& file, bool remove) const {
  const std::vector<std::string> command = wanted();
  if (is_toml(file)) {
    TomlServer server{json_text(command.front()), string_list(std::span(command).subspan(1)),
                      file.format == ConfigFormat::toml_list};
    MEMD_TRY_ASSIGN(Edit edit,
                    edit_of(
                        client, Part::server, file.path, remove,
                        [server = std::move(server)](const std::string& text) { return with_block(text, server); },
                        [](const std::string& text) { return without_block(text); }));
    if (edit.before && has_foreign_server(*edit.before))
      edit.note = "a server memd is there without the marks of memd: left alone";
    return edit;
  }
  if (file.format == ConfigFormat::yaml)
    return edit_of(
        client, Part::server, file.path, remove,
        [command](const std::string& text) { return with_entry(text, command); },
        [](const std::string& text) { return without_entry(text); });
  return edit_of(
      client, Part::server, file.path, remove,
      [file, command](const std::string& text) { return put_json_server(text, file, command); },
      [file](const std::string& text) { return take_json_server(text, file); });
}

Result<Edit> Registration::hook_edit(const ClientInfo& client, const HookFile& file, bool remove) const {
  std::string group;
  json::Writer w(group);
  w.begin_object();
  if (!file.matcher.empty()) w.member("matcher", file.matcher);
  w.key("hooks");
  w.begin_array();
  w.begin_object();
  w.member("type", "command");
  w.member("command", hook_command());
  w.member_number("timeout", file.timeout);
  w.end_object();
  w.end_array();
  w.end_object();
  return edit_of(
      client, Part::hook, file.path, remove,
      [file, group](const std::string& text) { return put_hook(text, file, group); },
      [file](const std::string& text) { return take_hooks(text, file.format); });
}

Result<Edit> Registration::skill_edit(const ClientInfo& client, const fs::path& file, bool remove) const {
  Edit edit;
  edit.client = client.key;
  edit.part = Part::skill;
  edit.file = file;
  MEMD_TRY_ASSIGN(edit.target, behind_links(file));
  edit.make = [remove](const FileBytes& before) -> Result<FileBytes> {
    if (before && !is_our_skill(*before)) return before;
    return remove ? FileBytes() : FileBytes(skill_text());
  };
  MEMD_TRY_ASSIGN(edit.before, read_if_there(edit.target));
  MEMD_TRY_ASSIGN(edit.after, edit.make(edit.before));
  if (edit.before && !is_our_skill(*edit.before)) edit.note = "somebody has written it or changed it: left alone";
  if (edit.before != edit.after) edit.change = remove ? Change::removed : edit.before ? Change::changed : Change::added;
  return edit;
}

// Returns whether Claude Code's memd plugin is enabled. The plugin provides server, hook and skill itself.
Result<bool> Registration::has_plugin(const fs::path& settings) {
  MEMD_TRY_ASSIGN(const FileBytes bytes, read_if_there(settings));
  if (!bytes) return false;
  auto root = parse_jsonc(*bytes, JsonDialect::strict);
  if (!root) return in_file(settings, root.error());
  const JsonValue* on = find_value(*root, std::array<std::string, 2>{"enabledPlugins", "memd@memd"});
  return on != nullptr && compact_json(*bytes, *on) == "true";
}

Result<std::vector<Edit>> Registration::plan(const ClientInfo& client, ClientScope scope, const fs::path& project,
                                             bool remove, bool server_only) const {
  const auto files = config_files(client, scope, places_, project);
  if (files.empty())
    return Error(Errc::unsupported, fmt::format("{} has no configuration of a single project: call this without "
                                                "--project",
                                                client.name));
  const auto hook = hook_file(client, scope, places_, project);
  std::vector<Edit> out;
  if (hook && !remove && client.key == "claude-code") {
    MEMD_TRY_ASSIGN(const bool plugin, has_plugin(hook->path));
    if (plugin) {
      Edit nothing;
      nothing.client = client.key;
      nothing.file = hook->path;
      nothing.note = "the plugin memd@memd is installed and brings all of it";
      out.push_back(std::move(nothing));
      return out;
    }
  }
  for (const ConfigFile& file : files) {
    MEMD_TRY_ASSIGN(Edit edit, server_edit(client, file, remove));
    out.push_back(std::move(edit));
  }
  if (server_only) return out;
  if (hook) {
    MEMD_TRY_ASSIGN(Edit edit, hook_edit(client, *hook, remove));
    out.push_back(std::move(edit));
  }
  if (const auto skill = skill_file(client, scope, places_, project)) {
    MEMD_TRY_ASSIGN(Edit edit, skill_edit(client, *skill, remove));
    out.push_back(std::move(edit));
  }
  if (scope == ClientScope::project)
    for (const Edit& edit : out)
      MEMD_TRY(stays_in_project(project, edit));
  // Remove in reverse order: where two entries are in one file, each edit then finds the bytes that it left.
  if (remove) std::reverse(out.begin(), out.end());
  return out;
}

// Called before the change, so that a killed process leaves the original file.
Result<void> Registration::remember(const Edit& edit, const FileBytes& before, const FileBytes& after) const {
  const Kept memory = kept(edit.target, edit.part);
  if (before) MEMD_TRY(files::write_whole(memory.last, *before, files::OnDisk::later));
  if (edit.change == Change::removed || !edit.without || !after) return {};
  FileBytes original = before;
  bool known = false;
  if (before) {
    MEMD_TRY_ASSIGN(std::string rest, edit.without(*before));
    MEMD_TRY_ASSIGN(const FileBytes written, read_if_there(memory.after));
    known = rest != *before && written && *written == *before;  // memd's own bytes: the original is kept already
    original = std::move(rest);
  }
  if (!known) {
    ::unlink((original ? memory.absent : memory.before).c_str());
    MEMD_TRY(files::write_whole(original ? memory.before : memory.absent, original.value_or(""), files::OnDisk::now));
  }
  return files::write_whole(memory.after, *after, files::OnDisk::later);
}

// The name of the directory is kept before it exists, so that a killed process leaves none that nobody removes.
Result<void> Registration::make_directories_of(const Edit& edit) const {
  const fs::path directory = edit.target.parent_path();
  if (const fs::path topmost = files::topmost_missing(directory); !topmost.empty())
    MEMD_TRY(files::write_whole(kept(edit.target, edit.part).made, topmost.native(), files::OnDisk::now));
  return files::make_directories(directory);
}

Result<void> Registration::remove_directories_of(const Edit& edit) const {
  MEMD_TRY_ASSIGN(const FileBytes made, read_if_there(kept(edit.target, edit.part).made));
  const fs::path directory = edit.target.parent_path();
  if (made)
    files::remove_empty_directories(directory, *made);
  else if (edit.part == Part::skill)
    files::remove_empty_directories(directory, directory);  // the skill's own, of an earlier memd
  return {};
}

void Registration::tidy(const std::vector<Edit>& planned) const {
  for (const Edit& edit : planned)
    if (!edit.target.empty()) files::remove_dead(edit.target.parent_path());
  files::remove_dead(backups_);
}

Result<fs::path> Registration::apply(Edit& edit) const {
  if (edit.change == Change::none) return fs::path();
  MEMD_TRY(files::make_directories(backups_));
  MEMD_TRY_ASSIGN(const auto lock, files::FileLock::take(backups_ / "lock"));
  for (int tries = 0; tries < kMostTries; ++tries) {
    MEMD_TRY_ASSIGN(edit.before, read_if_there(edit.target));
    MEMD_TRY_ASSIGN(edit.after, edit.make(edit.before));
    if (edit.before == edit.after) {
      edit.change = Change::none;
      return fs::path();
    }
    MEMD_TRY(remember(edit, edit.before, edit.after));
    if (!edit.after) {
      if (::unlink(edit.target.c_str()) != 0 && errno != ENOENT)
        return Error::from_errno(errno, "unlink", edit.target.string());
      MEMD_TRY(remove_directories_of(edit));
    } else if (!edit.before) {
      MEMD_TRY(make_directories_of(edit));
      const auto made = files::create_whole(edit.target, *edit.after, files::OnDisk::now);
      if (!made && made.error().is(Errc::busy)) continue;
      MEMD_TRY(made);
    } else {
      const auto other = files::replace_whole(edit.target, *edit.before, *edit.after, files::OnDisk::now);
      if (!other && other.error().is(Errc::not_found)) continue;
      if (!other) return other.error();
      if (*other) continue;  // the client has just written: try again
    }
    const Kept memory = kept(edit.target, edit.part);
    if (edit.change == Change::removed)
      for (const fs::path& file : {memory.before, memory.absent, memory.after, memory.made})
        ::unlink(file.c_str());
    return edit.before ? memory.last : fs::path();
  }
  return Error(Errc::busy, edit.file.string() + " changes all the time: end the client and call this again");
}

Result<std::vector<std::string>> Registration::registered(const ClientInfo& client, ClientScope scope,
                                                          const fs::path& project) const {
  std::vector<std::string> out;
  for (const ConfigFile& file : config_files(client, scope, places_, project)) {
    MEMD_TRY_ASSIGN(const fs::path target, behind_links(file.path));
    MEMD_TRY_ASSIGN(const FileBytes bytes, read_if_there(target));
    if (!bytes) continue;
    if (is_toml(file)) {
      const TomlServer server = read_block(*bytes);
      for (const std::string& value : {server.command, server.args})
        if (const auto words = parse_jsonc(value, JsonDialect::strict)) append_words(*words, out);
      if (out.empty() && has_foreign_server(*bytes)) out.emplace_back("a server memd without the marks of memd");
    } else if (file.format == ConfigFormat::yaml) {
      auto words = read_entry(*bytes);
      if (!words) return in_file(file.path, words.error());
      out = std::move(*words);
    } else {
      auto root = parse_jsonc(*bytes, dialect_of(file.format));
      if (!root) return in_file(file.path, root.error());
      const JsonValue* there = find_value(*root, below(servers_path(*root, file), {kServerName}));
      if (there == nullptr) continue;
      for (const char* key : {"command", "args"}) {
        if (const JsonElement* element = there->find(key)) append_words(element->value, out);
      }
    }
    if (!out.empty()) break;
  }
  return out;
}

}  // namespace memd::setup
