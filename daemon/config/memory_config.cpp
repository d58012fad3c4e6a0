#include "daemon/config/memory_config.hpp"

#include "schemas/base/error.hpp"
#include "schemas/base/yaml_section.hpp"
#include "store/files/scope_root.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

namespace memd {
namespace {

constexpr std::array kWritings{MemoryWriting::ask, MemoryWriting::allow, MemoryWriting::off};
constexpr std::array kDuplicateRules{DuplicateRule::propose, DuplicateRule::link, DuplicateRule::off};

}  // namespace

std::string_view to_string(MemoryWriting w) {
  constexpr std::array<std::string_view, kWritings.size()> names{"ask", "allow", "off"};
  return names[static_cast<std::size_t>(w)];
}

std::string_view to_string(DuplicateRule r) {
  constexpr std::array<std::string_view, kDuplicateRules.size()> names{"propose", "link", "off"};
  return names[static_cast<std::size_t>(r)];
}

namespace config {
namespace {

using yaml::refuse;
using yaml::scalar;
using yaml::Section;
using yaml::whole_number;

// Returns the choice whose name is the value of the node; refuses any other value.
template <class Choices>
auto one_named(const std::string& file, const YAML::Node& node, const std::string& key, const Choices& choices,
               const char* expected) {
  const auto name = scalar<std::string>(file, node, key, expected);
  const auto it = std::find_if(choices.begin(), choices.end(), [&](auto one) { return to_string(one) == name; });
  if (it == choices.end()) refuse(file, node.Mark(), key + ": expected " + expected);
  return *it;
}

template <class Parse>
auto list_of(const std::string& file, const YAML::Node& node, const std::string& key, Parse&& parse,
             const std::string& expected) {
  using Item = typename decltype(parse(std::string()))::value_type;
  if (!node.IsSequence()) refuse(file, node.Mark(), key + ": expected a list of " + expected);
  std::vector<Item> out;
  for (const YAML::Node& item : node) {
    const auto one = parse(scalar<std::string>(file, item, key, "a word"));
    if (!one) refuse(file, item.Mark(), key + ": expected a list of " + expected);
    out.push_back(*one);
  }
  return out;
}

std::string recap_section_names() {
  std::string out;
  for (const auto section : harvest::kAllRecapSections)
    out.append(out.empty() ? "" : ", ").append(harvest::to_string(section));
  return out;
}

void read_rules(const std::string& file, const YAML::Node& node, const std::string& name, GardenRules& out) {
  Section(file, name)
      .key("kinds",
           [&](const auto& v, const auto& key) {
             const auto parse = [](const std::string& word) {
               const auto type = parse_memory_type(word);
               return type && dialect_of(*type) == MemoryDialect::agent ? std::nullopt : type;
             };
             out.kinds = list_of(
                 file, v, key, parse,
                 memory_type_names(MemoryDialect::plugin) + ", " + memory_type_names(MemoryDialect::repository));
           })
      .key("max_characters", out.max_characters, 200, static_cast<int>(kMaxMemoryContent))
      .key("max_memories", out.max_memories, 1, 1'000'000)
      .key("duplicates",
           [&](const auto& v, const auto& key) {
             out.duplicates = one_named(file, v, key, kDuplicateRules, "propose, link or off");
           })
      .key("archive_days", out.archive_days, 0, 36500)
      .key("mark_stale", out.mark_stale)
      .key("daily_recap", out.daily_recap)
      .key("recap",
           [&](const auto& v, const auto& key) {
             out.recap = list_of(file, v, key, harvest::parse_recap_section, recap_section_names());
           })
      .read(node);
}

// Reads a scope; nullopt for "auto".
std::optional<MemoryScope> read_default_scope(const std::string& file, const YAML::Node& node, const std::string& key) {
  const auto expected = "one of auto, global, project, local";
  const auto name = scalar<std::string>(file, node, key, expected);
  const auto out = parse_memory_scope(name);
  if (out == MemoryScope::enterprise || (!out && name != "auto"))
    refuse(file, node.Mark(), key + ": expected " + expected);
  return out;
}

int read_orphan_days(const std::string& file, const YAML::Node& node, const std::string& key) {
  return whole_number(file, node, key, 1, 36500);
}
int read_quality(const std::string& file, const YAML::Node& node, const std::string& key) {
  return whole_number(file, node, key, 0, 100);
}

constexpr std::size_t kMostConfigBytes = std::size_t{1} << 20;

// Reads YAML, of which JSON is a subset. `read` may refuse. A missing file is not an error.
template <class Read>
Result<void> read_document(const files::ScopeRoot& root, const char* name, Read&& read) {
  const auto text = root.read(name, kMostConfigBytes);
  if (!text) return text.error().is(Errc::not_found) ? Result<void>() : text.error();
  const std::string file = (root.directory() / name).string();
  try {
    read(file, YAML::Load(*text));
  } catch (const YAML::Exception& e) {
    return Error(Errc::bad_config, file + ":" + std::to_string(e.mark.line + 1) + ": " + e.msg);
  } catch (const ErrorException& e) {
    return e.error();
  }
  return {};
}

// Converts an error whose message has the form "FILE:LINE: KEY: what".
MemoryProblem problem_of(const std::filesystem::path& file, const Error& error) {
  MemoryProblem out{MemoryProblemKind::bad_config, {}, file, 0, {}, error.message()};
  if (!out.message.starts_with(file.native() + ":")) return out;
  char* end = out.message.data() + file.native().size() + 1;
  out.line = static_cast<int>(std::strtol(end, &end, 10));
  out.message.erase(0, static_cast<std::size_t>(end + 2 - out.message.data()));
  return out;
}

}  // namespace

MemoryConfig read_memory(const std::string& file, const YAML::Node& node) {
  MemoryConfig out;
  Section(file, "memory")
      .key("opt_in", out.policy.opt_in_enabled)
      .key("path_mode",
           [&](const auto& v, const auto& key) {
             const auto expected = "legacy_first or platform_opt_in";
             const auto mode = parse_memory_path_mode(scalar<std::string>(file, v, key, expected));
             if (!mode) refuse(file, v.Mark(), key + ": expected " + expected);
             out.policy.mode = *mode;
           })
      .key("platform_path",
           [&](const auto& v, const auto& key) {
             const auto expected = "a directory below the project, such as .thunderus/memory";
             out.policy.platform_path =
                 std::filesystem::path(scalar<std::string>(file, v, key, expected)).lexically_normal();
             const auto& path = out.policy.platform_path;
             if (path.empty() || path.is_absolute() || *path.begin() == ".." || path == ".")
               refuse(file, v.Mark(), key + ": expected " + expected);
           })
      .key("enterprise_path",
           [&](const auto& v, const auto& key) {
             out.enterprise_path = scalar<std::string>(file, v, key, "an absolute path");
             if (!out.enterprise_path.is_absolute()) refuse(file, v.Mark(), key + ": expected an absolute path");
           })
      .key("default_scope",
           [&](const auto& v, const auto& key) { out.default_scope = read_default_scope(file, v, key); })
      .key("orphan_days", [&](const auto& v, const auto& key) { out.orphan_days = read_orphan_days(file, v, key); })
      .key("min_quality", [&](const auto& v, const auto& key) { out.min_quality = read_quality(file, v, key); })
      .key("write",
           [&](const auto& v, const auto& key) { out.write = one_named(file, v, key, kWritings, "ask, allow or off"); })
      .key("gardener", [&](const auto& v, const auto& key) { read_rules(file, v, key, out.garden); })
      .read(node);
  return out;
}

Result<GardenRules> load_garden_rules(const files::ScopeRoot& root, GardenRules rules) {
  MEMD_TRY(read_document(root, "gardener.json",
                         [&](const std::string& file, const YAML::Node& root) { read_rules(file, root, "", rules); }));
  return rules;
}

namespace {

// The keys of config.json that have an effect.
const std::map<std::string, std::set<std::string>, std::less<>> kKeysBeside{
    {"quality", {"orphanThreshold", "minQualityScore"}}, {"scopes", {"default"}}};

// Names the keys of a config.json beside memories that have no effect.
void tell_of_ignored_keys(const std::filesystem::path& path, const YAML::Node& root,
                          std::vector<MemoryProblem>& problems) {
  const auto tell = [&](const YAML::Node& at, const std::string& key) {
    problems.push_back({MemoryProblemKind::bad_config,
                        {},
                        path,
                        at.Mark().line + 1,
                        key,
                        "memd ignores this key; quality.orphanThreshold, quality.minQualityScore and scopes.default "
                        "are read here, all else in memd's own configuration"});
  };
  for (const auto& section : root) {
    const auto name = section.first.as<std::string>("");
    const auto known = kKeysBeside.find(name);
    if (known == kKeysBeside.end()) {
      tell(section.first, name);
      continue;
    }
    for (const auto& value : section.second)
      if (const auto key = value.first.as<std::string>(""); !known->second.contains(key))
        tell(value.first, name + "." + key);
  }
}

}  // namespace

MemoryConfig with_files_beside(MemoryConfig config, const std::filesystem::path& home,
                               const std::filesystem::path& project, std::vector<MemoryProblem>& problems) {
  const char* const name = "config.json";
  const auto take = [&](const files::ScopeRoot& beside, bool with_scope) {
    MemoryConfig out = config;
    const auto done = read_document(beside, name, [&](const std::string& file, const YAML::Node& root) {
      const auto for_value = [&](const char* section, const char* key, auto&& read) {
        if (!root.IsMap()) refuse(file, root.Mark(), "expected a mapping");
        const YAML::Node in = root[section];
        if (!in) return;
        if (!in.IsMap()) refuse(file, in.Mark(), std::string(section) + ": expected a mapping");
        if (const YAML::Node value = in[key]) read(value, std::string(section) + "." + key);
      };
      for_value("quality", "orphanThreshold",
                [&](const auto& v, const auto& key) { out.orphan_days = read_orphan_days(file, v, key); });
      for_value("quality", "minQualityScore",
                [&](const auto& v, const auto& key) { out.min_quality = read_quality(file, v, key); });
      for_value("scopes", "default", [&](const auto& v, const auto& key) {
        const auto scope = read_default_scope(file, v, key);
        if (with_scope) out.default_scope = scope;
      });
      tell_of_ignored_keys(beside.directory() / name, root, problems);
    });
    if (done)
      config = std::move(out);
    else
      problems.push_back(problem_of(beside.directory() / name, done.error()));
  };
  take(files::ScopeRoot(home / ".claude/memory"), true);
  const files::ScopeRoot platform(project, config.policy.platform_path);
  if (!project.empty() && platform.has("gardener.toml"))
    problems.push_back({MemoryProblemKind::bad_config,
                        {},
                        platform.directory() / "gardener.toml",
                        0,
                        {},
                        "memd does not read TOML: write these rules to gardener.json beside it (docs/memories.md)"});
  if (!project.empty() && project != home)
    take(files::ScopeRoot(project, config.policy.legacy_path), config.policy.opt_in_enabled);
  return config;
}

}  // namespace config
}  // namespace memd
