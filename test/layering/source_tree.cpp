#include "source_tree.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

namespace memd::layering {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 7> kFolders{"schemas", "store", "adapters", "protocol",
                                                   "daemon",  "test",  "bench"};

// The folders of ours from which a folder may include. daemon, test and bench are on top.
const std::map<std::string, std::set<std::string>, std::less<>> kMayUse{
    {"schemas", {"schemas"}},
    {"store", {"schemas", "store"}},
    {"adapters", {"schemas", "adapters"}},
    {"protocol", {"schemas", "protocol"}},
    {"daemon", {"schemas", "store", "adapters", "protocol", "daemon"}},
    {"test", {"schemas", "store", "adapters", "protocol", "daemon", "test", "bench"}},
    {"bench", {"schemas", "store", "adapters", "protocol", "daemon", "test", "bench"}},
};

// The floors of a folder, from the bottom up. A file may use its own floor and those below. "" is the floor of files in
// the folder itself. Adapter folders are not listed: they may use the floors but not one another.
const std::map<std::string, std::vector<std::string>, std::less<>> kFloors{
    {"schemas", {"base", ""}},
    {"store",
     {"text", "files", "memory", "insight", "seal", "team", "db", "completions", "raw", "read", "search", "", "enrich",
      "catalog", "harvest", "report", "write"}},
    {"adapters", {"", "json", "sqlite", "snapshot", "tool_calls", "vscode"}},
    {"protocol", {"", "transport", "jsonrpc", "models", "mcp"}},
    {"daemon",
     {"", "config", "usage", "memories", "tools", "models", "resources", "ingest", "report", "interchange", "host",
      "sharing", "admin", "serve", "setup", "cli"}},
};

// Sources that put a folder together: they are above its floors.
const std::set<std::string_view> kRoofs{"adapters/registry.cpp", "daemon/main.cpp"};

// Returns the part of a path below its first folder that names the floor: "read" of "store/read/sessions.hpp".
std::string_view floor_name(std::string_view path) {
  path.remove_prefix(path.find('/') + 1);
  const auto slash = path.find('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

// Libraries that only some folders or one source may use. test and bench may use everything.
struct LibraryRule {
  std::string_view prefix;
  std::set<std::string_view> places;  // top folders, subfolders and sources
};
const std::vector<LibraryRule> kLibraries{
    {"boost/asio", {"protocol", "daemon"}},
    {"boost/beast", {"protocol"}},
    {"boost/json", {"protocol"}},
    {"boost/regex", {"store/search/words/query_parser.cpp"}},
    {"boost/url", {"protocol"}},
    {"openssl/", {"schemas", "protocol"}},
    {"simdjson", {"adapters", "store/memory/memory_json.cpp"}},
    {"sqlite3.h", {"store", "adapters"}},
    {"zstd.h", {"store", "daemon", "adapters/sqlite"}},  // Zed packs its threads
    {"grpc", {"daemon/admin/grpc"}},
    {"google/protobuf/", {"daemon/admin/grpc"}},
    {"memd/admin/", {"daemon/admin/grpc"}},  // generated
    // People write descriptions of agents and the configuration alike; both are read by schemas/base/yaml_section.
    {"yaml-cpp/",
     {"store", "daemon", "adapters/described", "schemas/base/yaml_section.hpp", "schemas/base/yaml_section.cpp"}},
    {"CLI/", {"daemon/cli/command_line.cpp"}},
    {"ncurses", {"daemon/cli/browse/terminal.cpp"}},
    {"sodium", {"store/seal/cipher.cpp", "store/seal/sealed_box.cpp"}},
    {"spdlog/", {"daemon/log.cpp"}},
    {"utf8proc", {"store/enrich/embedding/wordpiece.cpp"}},
    {"gtest/", {}},
    {"gmock/", {}},
};

// Folders and sources that deal with memories and with files of repositories. They use the type ScopeRoot.
const std::vector<std::string_view> kThroughScopeRoot{"store/memory/",
                                                      "store/catalog/",
                                                      "store/harvest/",
                                                      "daemon/memories/",
                                                      "daemon/tools/",
                                                      "daemon/resources/",
                                                      "daemon/config/garden_rules.",
                                                      "daemon/config/memory_config."};
const std::vector<std::string_view> kOpening{"<fstream>",
                                             "fstream ",
                                             "fstream(",
                                             "fopen(",
                                             "::open(",
                                             "openat(",
                                             "opendir(",
                                             "<dirent.h>",
                                             "<fcntl.h>",
                                             "<sys/stat.h>",
                                             "directory_iterator",
                                             "copy_file(",
                                             "fs::copy(",
                                             "fs::rename(",
                                             "fs::remove",
                                             "fs::create_",
                                             "fs::read_symlink",
                                             "fs::file_size(",
                                             "fs::is_symlink(",
                                             "fs::canonical(",
                                             "fs::is_regular_file(",
                                             "fs::resize_file(",
                                             "fs::permissions(",
                                             "::stat(",
                                             "::lstat(",
                                             "::unlink(",
                                             "::rename(",
                                             "::mkdir(",
                                             "::link(",
                                             "::symlink(",
                                             "store/files/whole_file.hpp",
                                             "store/files/directory_entry.hpp",
                                             "store/files/beneath.hpp"};

bool opens_files(std::string_view line) {
  line = line.substr(0, line.find("//"));
  const auto has = [&](std::string_view word) {
    const auto at = line.find(word);
    if (at == std::string_view::npos || at == 0 || !word.starts_with(':')) return at != std::string_view::npos;
    return std::isalnum(static_cast<unsigned char>(line[at - 1])) == 0;  // "Git::open(" is no system call
  };
  return std::any_of(kOpening.begin(), kOpening.end(), has);
}

bool speaks_sql(std::string_view line) {
  line = line.substr(0, line.find("//"));
  constexpr std::array<std::string_view, 6> kSigns{"\"SELECT ", "\"INSERT ", "\"UPDATE ",
                                                   "\"DELETE ", "\"PRAGMA ", "sqlite3_"};
  return std::any_of(kSigns.begin(), kSigns.end(),
                     [&](auto sign) { return line.find(sign) != std::string_view::npos; });
}

bool is_of_one_system(std::string_view line) {
  line = line.substr(0, line.find("//"));
  constexpr std::array<std::string_view, 6> kTimes{".st_mtim.", ".st_mtim;", ".st_mtimespec",
                                                   ".st_ctim.", ".st_ctim;", ".st_ctimespec"};
  return std::any_of(kTimes.begin(), kTimes.end(),
                     [&](auto time) { return line.find(time) != std::string_view::npos; });
}

// Headers that macOS, or the compiler of a release for it, has not.
constexpr std::array<std::string_view, 10> kOfLinux{"asm/",          "linux/",       "link.h",    "malloc.h",
                                                    "sys/auxv.h",    "sys/epoll.h",  "sys/vfs.h", "sys/prctl.h",
                                                    "sys/inotify.h", "sys/syscall.h"};

bool awaits_temporary(std::string_view line) {
  line = line.substr(0, line.find("//"));
  const auto at = line.find("co_await ");
  return at != std::string_view::npos && line.find_first_of("{[", at) != std::string_view::npos;
}

bool on_top(std::string_view folder) { return folder == "test" || folder == "bench"; }

std::optional<Include> parse_include(std::string_view text, int line) {
  const auto skip_blanks = [&] { text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size())); };
  skip_blanks();
  if (!text.starts_with('#')) return std::nullopt;
  text.remove_prefix(1);
  skip_blanks();
  if (!text.starts_with("include")) return std::nullopt;
  text.remove_prefix(7);
  skip_blanks();
  if (text.empty() || (text[0] != '"' && text[0] != '<')) return std::nullopt;
  const bool quoted = text[0] == '"';
  text.remove_prefix(1);
  const auto end = text.find(quoted ? '"' : '>');
  if (end == std::string_view::npos) return std::nullopt;
  return Include{std::string(text.substr(0, end)), quoted, line, false};
}

SourceFile read_file(const fs::path& path, std::string_view folder) {
  SourceFile file;
  file.folder = folder;
  std::stringstream in;
  in << std::ifstream(path).rdbuf();
  if (!on_top(folder)) file.names = names_in(in.view());
  int conditions = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#if")) ++conditions;
    if (line.starts_with("#endif")) --conditions;
    if (auto include = parse_include(line, ++file.lines)) {
      include->conditional = conditions > 0;
      file.includes.push_back(std::move(*include));
    }
    if (line.find("'{'") != std::string::npos || line.find("'}'") != std::string::npos)
      file.looks_for_braces.push_back(file.lines);
    if (opens_files(line)) file.opens_files.push_back(file.lines);
    if (speaks_sql(line)) file.speaks_sql.push_back(file.lines);
    if (is_of_one_system(line)) file.of_one_system.push_back(file.lines);
    if (awaits_temporary(line)) file.awaits_temporary.push_back(file.lines);
  }
  return file;
}

// Returns the file that an include refers to: a path from the root, or a file beside the including one.
std::optional<std::string> resolve(const SourceTree& tree, const std::string& from, const Include& include) {
  if (tree.contains(include.name)) return include.name;
  const auto beside = (fs::path(from).parent_path() / include.name).lexically_normal().generic_string();
  return tree.contains(beside) ? std::optional(beside) : std::nullopt;
}

bool forbidden_name(const std::string& path) {
  const auto stem = fs::path(path).stem().string();
  for (const std::string_view word : {"util", "utils", "common", "helper", "helpers", "manager", "misc"})
    if (stem == word || stem.ends_with("_" + std::string(word)) || stem.starts_with(std::string(word) + "_"))
      return true;
  return false;
}

class Checker {
 public:
  explicit Checker(const SourceTree& tree) : tree_(tree) {}

  std::vector<std::string> run() {
    for (const auto& [path, file] : tree_) {
      namespaces_.insert(file.names.namespaces.begin(), file.names.namespaces.end());
      if (path.ends_with(".hpp") && !on_top(file.folder))
        for (const auto& name : file.names.declared)
          declared_in_[name].push_back(path);
    }
    for (const auto& [path, file] : tree_) {
      if (forbidden_name(path)) report(path, 1, "a file is named by its duty");
      for (const auto& include : file.includes)
        check_include(path, file, include);
      check_own_header(path, file);
      check_json(path, file);
      check_doors(path, file);
      check_sql(path, file);
      check_systems(path, file);
      check_awaits(path, file);
      check_names(path, file);
    }
    for (const auto& [path, file] : tree_)
      walk(path);
    return std::move(found_);
  }

 private:
  void report(const std::string& path, int line, const std::string& what) {
    found_.push_back(path + ":" + std::to_string(line) + ": " + what);
  }

  void check_include(const std::string& path, const SourceFile& file, const Include& include) {
    const auto target = resolve(tree_, path, include);
    if (include.quoted && !target)
      report(path, include.line, "no such file: " + include.name);
    else if (!include.quoted && tree_.contains(include.name))
      report(path, include.line, "our own header in angle brackets: " + include.name);
    if (target && !kMayUse.at(file.folder).contains(tree_.at(*target).folder))
      report(path, include.line, file.folder + " may not use " + tree_.at(*target).folder);
    if (target) check_floor(path, file, include, *target);
    if (target && *target != include.name && !on_top(file.folder))
      report(path, include.line, "write the path from the root: " + *target);
    const std::string here = fs::path(path).parent_path().generic_string();
    for (const auto& library : kLibraries)
      if (include.name.starts_with(library.prefix) && !on_top(file.folder) && !library.places.contains(file.folder) &&
          !library.places.contains(here) && !library.places.contains(path))
        report(path, include.line, file.folder + " may not use " + std::string(library.prefix));
  }

  void check_floor(const std::string& path, const SourceFile& file, const Include& include, const std::string& target) {
    const auto floors = kFloors.find(file.folder);
    if (floors == kFloors.end() || tree_.at(target).folder != file.folder || kRoofs.contains(path)) return;
    const auto from = floor_name(path);
    const auto to = floor_name(target);
    if (from == to) return;
    const auto& order = floors->second;
    const auto below = std::find(order.begin(), order.end(), to);
    if (below == order.end() || below > std::find(order.begin(), order.end(), from))
      report(path, include.line,
             fs::path(path).parent_path().generic_string() + " may not use " +
                 fs::path(target).parent_path().generic_string());
  }

  // A header that is included first is proved to be self-contained.
  void check_own_header(const std::string& path, const SourceFile& file) {
    const std::string header = fs::path(path).replace_extension(".hpp").generic_string();
    if (path == header || on_top(file.folder) || !tree_.contains(header)) return;
    if (file.includes.empty() || file.includes.front().name != header)
      report(path, file.includes.empty() ? 1 : file.includes.front().line, "its own header comes first: " + header);
  }

  // Adapters convert JSON to typed facts. Only the search for secrets reads JSON text.
  void check_json(const std::string& path, const SourceFile& file) {
    if (file.folder != "store" || path.starts_with("store/text/redaction/")) return;
    for (const int line : file.looks_for_braces)
      report(path, line, "store reads no JSON");
  }

  void check_sql(const std::string& path, const SourceFile& file) {
    if (file.folder != "daemon" && file.folder != "protocol" && file.folder != "schemas") return;
    for (const int line : file.speaks_sql)
      report(path, line, "SQL belongs to store");
  }

  // Sources named after a system are compiled on it only.
  void check_systems(const std::string& path, const SourceFile& file) {
    if (on_top(file.folder) || path.ends_with("_linux.cpp") || path.ends_with("_macos.cpp")) return;
    for (const int line : file.of_one_system)
      report(path, line, "ask store/files/system_calls");
    for (const auto& include : file.includes)
      if (!include.conditional && std::any_of(kOfLinux.begin(), kOfLinux.end(), [&](std::string_view header) {
            return header.ends_with('/') ? include.name.starts_with(header) : include.name == header;
          }))
        report(path, include.line, "only Linux has " + include.name);
  }

  // g++ 12 destroys an aggregate or a capturing lambda twice that is a temporary of a co_await expression.
  void check_awaits(const std::string& path, const SourceFile& file) {
    if (on_top(file.folder)) return;
    for (const int line : file.awaits_temporary)
      report(path, line, "name what is awaited first");
  }

  // A file by itself knows names of ours only if it includes their headers; in a group of sources it is enough that
  // another one includes them. A header may make do with the declaration of a class, and its templates call functions
  // that only their arguments' headers declare.
  void check_names(const std::string& path, const SourceFile& file) {
    if (on_top(file.folder)) return;
    const bool is_header = path.ends_with(".hpp");
    std::set<std::string> reached{path};
    reach(path, reached);
    std::set<std::string_view> seen;
    for (const auto& [use, line] : file.names.used) {
      const auto& [qualifier, name] = use;
      if (is_header && name[0] != 'k' && std::islower(static_cast<unsigned char>(name[0])) != 0) continue;
      const auto declared = declared_in_.find(name);
      if (declared == declared_in_.end() || (!qualifier.empty() && !namespaces_.contains(qualifier))) continue;
      const auto is_reached = [&](const std::string& header) { return reached.contains(header); };
      const auto introduces = [&](const std::string& reached_file) {
        const Names& names = tree_.at(reached_file).names;
        return names.introduced.contains(name) || (is_header && names.incomplete.contains(name));
      };
      if (std::any_of(declared->second.begin(), declared->second.end(), is_reached) ||
          std::any_of(reached.begin(), reached.end(), introduces) || !seen.insert(name).second)
        continue;
      report(path, line, "include what declares " + name + ": " + declared->second.front());
    }
  }

  // Adds the files of ours that a file includes, themselves or by others.
  void reach(const std::string& path, std::set<std::string>& out) const {
    for (const auto& include : tree_.at(path).includes)
      if (const auto target = resolve(tree_, path, include); target && out.insert(*target).second) reach(*target, out);
  }

  // A repository brings links, FIFOs and huge files: only one class opens what it brings.
  void check_doors(const std::string& path, const SourceFile& file) {
    if (std::none_of(kThroughScopeRoot.begin(), kThroughScopeRoot.end(),
                     [&](std::string_view place) { return path.starts_with(place); }))
      return;
    for (const int line : file.opens_files)
      report(path, line, "files of a scope are opened by ScopeRoot");
  }

  // Walks depth first. An include of a file that is still open closes a cycle.
  void walk(const std::string& path) {
    auto& state = states_[path];
    if (state != State::unseen) return;
    state = State::open;
    for (const auto& include : tree_.at(path).includes) {
      const auto target = resolve(tree_, path, include);
      if (target && states_[*target] == State::open)
        report(path, include.line, "cycle through " + *target);
      else if (target)
        walk(*target);
    }
    states_[path] = State::done;
  }

  enum class State { unseen, open, done };
  const SourceTree& tree_;
  std::map<std::string, State> states_;
  std::set<std::string> namespaces_;                             // of ours
  std::map<std::string, std::vector<std::string>> declared_in_;  // headers, by name
  std::vector<std::string> found_;
};

}  // namespace

SourceTree read_tree(const fs::path& root) {
  SourceTree tree;
  for (const auto folder : kFolders) {
    if (!fs::is_directory(root / folder)) continue;
    auto it = fs::recursive_directory_iterator(root / folder);
    for (; it != fs::recursive_directory_iterator(); ++it) {
      if (it->path().filename() == "node_modules") it.disable_recursion_pending();
      const auto extension = it->path().extension();
      if (!it->is_regular_file() || (extension != ".cpp" && extension != ".hpp")) continue;
      tree.emplace(it->path().lexically_relative(root).generic_string(), read_file(it->path(), folder));
    }
  }
  return tree;
}

std::vector<std::string> violations(const SourceTree& tree) { return Checker(tree).run(); }

}  // namespace memd::layering
