#include "daemon/config/memory_config.hpp"

#include "daemon/config/config_section.hpp"
#include "store/files/whole_file.hpp"

#include <algorithm>
#include <array>
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

// The one whose name stands there.
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
  const auto flag = [&](bool& into) {
    return [&](const auto& v, const auto& key) { into = scalar<bool>(file, v, key, "true or false"); };
  };
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
      .key("max_characters",
           [&](const auto& v, const auto& key) {
             out.max_characters = whole_number(file, v, key, 200, static_cast<int>(kMaxMemoryContent));
           })
      .key("max_memories",
           [&](const auto& v, const auto& key) { out.max_memories = whole_number(file, v, key, 1, 1'000'000); })
      .key("duplicates",
           [&](const auto& v, const auto& key) {
             out.duplicates = one_named(file, v, key, kDuplicateRules, "propose, link or off");
           })
      .key("archive_days",
           [&](const auto& v, const auto& key) { out.archive_days = whole_number(file, v, key, 0, 36500); })
      .key("mark_stale", flag(out.mark_stale))
      .key("daily_recap", flag(out.daily_recap))
      .key("recap",
           [&](const auto& v, const auto& key) {
             out.recap = list_of(file, v, key, harvest::parse_recap_section, recap_section_names());
           })
      .read(node);
}

}  // namespace

MemoryConfig read_memory(const std::string& file, const YAML::Node& node) {
  MemoryConfig out;
  Section(file, "memory")
      .key("opt_in", [&](const auto& v,
                         const auto& key) { out.policy.opt_in_enabled = scalar<bool>(file, v, key, "true or false"); })
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
           [&](const auto& v, const auto& key) {
             const auto expected = "one of auto, global, project, local";
             const auto name = scalar<std::string>(file, v, key, expected);
             out.default_scope = parse_memory_scope(name);
             if (out.default_scope == MemoryScope::enterprise || (!out.default_scope && name != "auto"))
               refuse(file, v.Mark(), key + ": expected " + expected);
           })
      .key("orphan_days",
           [&](const auto& v, const auto& key) { out.orphan_days = whole_number(file, v, key, 1, 36500); })
      .key("min_quality", [&](const auto& v, const auto& key) { out.min_quality = whole_number(file, v, key, 0, 100); })
      .key("write",
           [&](const auto& v, const auto& key) { out.write = one_named(file, v, key, kWritings, "ask, allow or off"); })
      .key("gardener", [&](const auto& v, const auto& key) { read_rules(file, v, key, out.garden); })
      .read(node);
  return out;
}

Result<GardenRules> load_garden_rules(const std::filesystem::path& path, GardenRules rules) {
  const auto text = files::read_whole(path);
  if (!text) {
    if (text.error().is(Errc::not_found)) return rules;
    return text.error();
  }
  const std::string file = path.string();
  try {  // JSON is YAML
    read_rules(file, YAML::Load(*text), "", rules);
  } catch (const YAML::Exception& e) {
    return Error(Errc::bad_config, file + ":" + std::to_string(e.mark.line + 1) + ": " + e.msg);
  } catch (const ErrorException& e) {
    return e.error();
  }
  return rules;
}

}  // namespace config
}  // namespace memd
