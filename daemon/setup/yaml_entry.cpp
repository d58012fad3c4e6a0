#include "daemon/setup/yaml_entry.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/json_writer.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace memd::setup {
namespace {

constexpr const char* kServers = "extensions";
constexpr const char* kServer = "memd";
constexpr const char* kDefaults =
    "enabled: true\ntype: stdio\nname: memd\ndescription: What was done, said and decided in earlier sessions\n"
    "timeout: 300\n";

// Lines of the text: the first one, and the one behind the last.
struct Lines {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// A text and where its entry is.
class EntryText {
 public:
  static Result<EntryText> read(std::string_view text) {
    EntryText out(text);
    try {
      out.find(YAML::Load(std::string(text)));
    } catch (const YAML::Exception& e) {
      return Error(Errc::bad_config, fmt::format("line {}: {}", e.mark.line + 1, e.msg));
    }
    if (!out.trouble_.empty()) return Error(Errc::bad_config, out.trouble_);
    return out;
  }

  bool has_entry() const { return has_entry_; }
  const std::vector<std::string>& command() const { return command_; }

  std::string with(const std::vector<std::string>& command) const {
    const std::string in_entry(has_entry_ ? member_indent_ : 2 * indent_, ' ');
    std::string own = in_entry + "cmd: ";
    json::append_string(own, command.front());
    own += newline_ + in_entry + "args: [";
    for (std::size_t i = 1; i < command.size(); ++i) {
      own += i > 1 ? ", " : "";
      json::append_string(own, command[i]);
    }
    own += "]" + newline_;
    if (has_entry_) {
      std::string out;
      for (std::size_t i = 0; i < lines_.size(); ++i) {
        const bool is_old = std::any_of(own_.begin(), own_.end(), [&](auto l) { return i >= l.begin && i < l.end; });
        if (!is_old) out += lines_[i];
        if (i == entry_.begin) out += own;
      }
      return out;
    }
    std::string entry = std::string(indent_, ' ') + kServer + ":" + newline_;
    for (std::string_view rest = kDefaults; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1))
      entry += in_entry + std::string(rest.substr(0, rest.find('\n'))) + newline_;
    std::string out;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      out +=
          has_servers_ && i == servers_line_ && is_empty_list_ ? kServers + (":" + newline_) : std::string(lines_[i]);
      if (!out.ends_with('\n')) out += newline_;
      if (has_servers_ && i == servers_line_) out += entry + own;
    }
    if (!has_servers_) out += kServers + (":" + newline_) + entry + own;
    return out;
  }

  std::string without() const {
    std::string out;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const bool is_server = i >= entry_.begin && i < entry_.end;
      const bool is_head = has_servers_ && is_only_entry_ && i == servers_line_;
      if (!has_entry_ || (!is_server && !is_head)) out += lines_[i];
    }
    return out;
  }

 private:
  explicit EntryText(std::string_view text) {
    while (!text.empty()) {
      lines_.push_back(text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1));
      text.remove_prefix(lines_.back().size());
    }
    if (!lines_.empty() && lines_.front().ends_with("\r\n")) newline_ = "\r\n";
  }

  static std::size_t line_of(const YAML::Node& node) { return static_cast<std::size_t>(node.Mark().line); }
  static std::size_t column_of(const YAML::Node& node) { return static_cast<std::size_t>(node.Mark().column); }

  // Returns the lines of a member, up to that of the next key; comments and blank lines before that are not its own.
  Lines lines_of(const YAML::Node& key, std::size_t limit) const {
    Lines out{line_of(key), limit};
    const auto is_empty = [&](std::size_t line) {
      const auto text = ascii::trimmed(lines_[line]);
      return text.empty() || text.starts_with('#');
    };
    while (out.end > out.begin + 1 && is_empty(out.end - 1))
      --out.end;
    return out;
  }

  // Returns the line of the first key of `map` behind this line, else `limit`.
  static std::size_t next_key(const YAML::Node& map, std::size_t line, std::size_t limit) {
    for (const auto& member : map)
      if (line_of(member.first) > line) limit = std::min(limit, line_of(member.first));
    return limit;
  }

  void refuse(const YAML::Node& node, std::string_view why) {
    trouble_ = fmt::format("line {}: {}", line_of(node) + 1, why);
  }

  void find(const YAML::Node& root) {
    if (root.IsNull()) return;
    if (!root.IsMap() || root.Style() == YAML::EmitterStyle::Flow)
      return refuse(root, "settings are expected, one a line: NAME: VALUE");
    for (const auto& member : root) {
      if (member.first.as<std::string>("") != kServers) continue;
      has_servers_ = true;
      servers_line_ = line_of(member.first);
      const YAML::Node servers = member.second;
      const std::string_view line = lines_[servers_line_];
      const std::string_view value = ascii::trimmed(line.substr(line.find(':') + 1));
      if (servers.IsNull() || (servers.IsMap() && servers.size() == 0 && value.find('}') != std::string_view::npos)) {
        is_empty_list_ = !value.empty() && !value.starts_with('#');
        return;
      }
      if (!servers.IsMap() || servers.Style() == YAML::EmitterStyle::Flow)
        return refuse(member.first,
                      "extensions is no list of names: write each as NAME: below it, or use `goose configure`");
      find_entry(servers, next_key(root, servers_line_, lines_.size()));
      return;
    }
  }

  void find_entry(const YAML::Node& servers, std::size_t limit) {
    is_only_entry_ = servers.size() == 1;
    indent_ = std::max<std::size_t>(column_of(servers.begin()->first), 1);
    for (const auto& member : servers) {
      if (member.first.as<std::string>("") != kServer) continue;
      const YAML::Node entry = member.second;
      if (!entry.IsMap() || entry.Style() == YAML::EmitterStyle::Flow)
        return refuse(member.first, "memd is in braces: write its settings one a line");
      has_entry_ = true;
      entry_ = lines_of(member.first, next_key(servers, line_of(member.first), limit));
      member_indent_ = column_of(entry.begin()->first);
      for (const auto& setting : entry) {
        const auto key = setting.first.as<std::string>("");
        if (key == "cmd") command_.insert(command_.begin(), setting.second.as<std::string>(""));
        if (key == "args")
          for (const auto& word : setting.second)
            command_.push_back(word.as<std::string>(""));
        if (key == "cmd" || key == "args")
          own_.push_back(lines_of(setting.first, next_key(entry, line_of(setting.first), entry_.end)));
      }
    }
  }

  std::vector<std::string_view> lines_;
  std::string newline_ = "\n";
  bool has_servers_ = false;
  bool is_empty_list_ = false;
  std::size_t servers_line_ = 0;
  std::size_t indent_ = 2;
  bool has_entry_ = false;
  bool is_only_entry_ = false;
  Lines entry_;
  std::size_t member_indent_ = 4;
  std::vector<Lines> own_;  // of command and arguments
  std::vector<std::string> command_;
  std::string trouble_;
};

}  // namespace

Result<std::vector<std::string>> read_entry(std::string_view text) {
  MEMD_TRY_ASSIGN(const EntryText entry, EntryText::read(text));
  return entry.command();
}

Result<std::string> with_entry(std::string_view text, const std::vector<std::string>& command) {
  MEMD_TRY_ASSIGN(const EntryText entry, EntryText::read(text));
  if (entry.command() == command) return std::string(text);
  std::string out = entry.with(command);
  const auto again = EntryText::read(out);
  if (!again || again->command() != command)
    return Error(Errc::bad_config, "line 1: memd cannot edit this file by lines: use `goose configure`");
  return out;
}

Result<std::string> without_entry(std::string_view text) {
  MEMD_TRY_ASSIGN(const EntryText entry, EntryText::read(text));
  return entry.without();
}

}  // namespace memd::setup
