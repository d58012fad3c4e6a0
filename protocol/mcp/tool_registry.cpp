#include "protocol/mcp/tool_registry.hpp"

#include "protocol/mcp/argument_text.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/harmless.hpp"
#include "schemas/base/json_writer.hpp"

#include <fmt/format.h>
#include <boost/algorithm/string/join.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace memd::mcp {

namespace {

constexpr std::size_t kMaxNameLength = 40;
constexpr std::size_t kMaxDescriptionLength = 2048;

bool is_tool_name(std::string_view name) {
  const auto allowed = [](char c) { return ascii::is_word(c) && !ascii::is_upper(c); };
  return !name.empty() && name.size() <= kMaxNameLength && std::all_of(name.begin(), name.end(), allowed);
}

[[noreturn]] void refuse(std::string what) { throw ErrorException(Error(Errc::invalid_argument, std::move(what))); }

namespace bj = boost::json;
constexpr std::string_view kAction = "action";
constexpr std::string_view kSubaction = "subaction";  // the `action` of a tool that has one itself

// Adds a property to `into`. If a different one of the same name exists, keeps its type, items and description, joins
// the choices if both have some, and drops all other rules.
void merge(bj::object& into, std::string_view name, const bj::value& property) {
  const auto [it, fresh] = into.emplace(name, property);
  if (fresh || it->value() == property) return;
  const bj::object& known = it->value().as_object();
  bj::object common;
  for (const std::string_view key : {"type", "items", "description"})
    if (const auto* value = known.if_contains(key)) common[key] = *value;
  const auto* choices = known.if_contains("enum");
  const auto* others = property.as_object().if_contains("enum");
  if (choices != nullptr && others != nullptr) {
    bj::array all = choices->as_array();
    for (const bj::value& one : others->as_array())
      if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
    common["enum"] = std::move(all);
  }
  it->value() = std::move(common);
}

std::string input_schema(const ToolRegistry& registry, const std::vector<std::string>& actions) {
  bj::object properties;
  properties[kAction] = bj::object{{"type", "string"},
                                   {"enum", bj::array(actions.begin(), actions.end())},
                                   {"description", "Which tool; the other arguments are that tool's."}};
  for (const Tool& tool : registry.tools()) {
    const bj::value schema = bj::parse(tool.input_schema);
    for (const auto& [name, property] : schema.at("properties").as_object())
      if (name != kAction) merge(properties, name, property);
  }
  for (const Tool& tool : registry.tools()) {
    const bj::value schema = bj::parse(tool.input_schema);
    const auto* action = schema.at("properties").as_object().if_contains(kAction);
    if (action == nullptr) continue;
    bj::object property = action->as_object();
    property["description"] = "The action of a tool that has one itself.";
    merge(properties, kSubaction, property);
  }
  return bj::serialize(bj::object{{"type", "object"},
                                  {"properties", std::move(properties)},
                                  {"required", bj::array{kAction}},
                                  {"additionalProperties", true}});
}

using Choices = std::map<std::string, std::set<std::string>>;  // argument → allowed words; empty: any

// Returns whether the value is a choice of another tool's argument of the same name and not of this tool's: `style` is
// "brief" for one tool and "narrative" for another.
bool is_word_of_another(const bj::value& value, const std::set<std::string>& own, const std::set<std::string>& all) {
  if (!value.is_string() || own.empty()) return false;
  const std::string word(value.as_string());
  return !own.contains(word) && all.contains(word);
}

}  // namespace

void ToolRegistry::add(Tool tool) {
  const ToolInfo& info = tool.info;
  if (!is_tool_name(info.name)) refuse(fmt::format("tool name '{}': use 1 to 40 of a-z, 0-9 and _", info.name));
  if (find(info.name) != nullptr) refuse(fmt::format("tool '{}' is added twice", info.name));
  if (info.description.empty() || info.description.size() > kMaxDescriptionLength)
    refuse(fmt::format("tool '{}': a description has 1 to {} characters", info.name, kMaxDescriptionLength));
  if (tools_.size() >= max_tools_) refuse(fmt::format("tool '{}' is one more than {}", info.name, max_tools_));
  tools_.push_back(std::move(tool));
}

const Tool* ToolRegistry::find(std::string_view name) const {
  const auto it = std::find_if(tools_.begin(), tools_.end(), [&](const Tool& t) { return t.info.name == name; });
  return it == tools_.end() ? nullptr : &*it;
}

ToolOutcome ToolRegistry::call(std::string_view name, std::string_view arguments, ToolContext& context) const {
  const Tool* tool = find(name);
  if (tool == nullptr) return failed(Error(Errc::not_found, fmt::format("there is no tool '{}'", name)));
  const auto parsed = parse_arguments(arguments.empty() ? "{}" : arguments);
  if (!parsed) return failed(parsed.error());
  return tool->invoke(*parsed, context);
}

ToolOutcome ToolRegistry::failed(const Error& error) {
  const bool ours = !error.is(Errc::invalid_argument) && !error.is(Errc::not_found) && !error.is(Errc::cancelled) &&
                    !error.is(Errc::input_required) && !error.is(Errc::permission) && !error.is(Errc::busy);
  return ToolOutcome{harmless(error.message()), {}, true, ours, error.is(Errc::invalid_argument)};
}

ToolOutcome ToolRegistry::internal_error(std::string_view what) {
  return ToolOutcome{fmt::format("internal error: {}", what), {}, true, true};
}

void add_dispatching_tool(ToolRegistry& registry, ToolInfo info, std::span<const ActionAlias> aliases) {
  std::vector<std::string> actions;
  for (const Tool& tool : registry.tools())
    actions.push_back(tool.info.name);
  for (const ActionAlias& alias : aliases)
    if (std::find(actions.begin(), actions.end(), alias.action) == actions.end()) actions.emplace_back(alias.action);
  Tool tool;
  tool.info = std::move(info);
  tool.input_schema = input_schema(registry, actions);
  tool.output_schema =
      R"({"type":"object","description":"The result of the action's tool.","additionalProperties":true})";
  std::map<std::string, Choices> arguments_of;  // by tool
  std::set<std::string> needs_action;           // tools that require one of their own
  Choices offered;
  for (const Tool& one : registry.tools()) {
    Choices& takes = arguments_of[one.info.name];
    const bj::value schema = bj::parse(one.input_schema);
    if (const auto* needed = schema.as_object().if_contains("required"))
      if (std::ranges::find(needed->as_array(), bj::value(kAction)) != needed->as_array().end())
        needs_action.insert(one.info.name);
    for (const auto& property : schema.at("properties").as_object()) {
      std::set<std::string>& words = takes[std::string(property.key())];
      if (const auto* choices = property.value().as_object().if_contains("enum"))
        for (const bj::value& word : choices->as_array())
          words.emplace(word.as_string());
      offered[std::string(property.key())].insert(words.begin(), words.end());
    }
  }
  for (const ActionAlias& alias : aliases)
    if (!alias.argument.empty()) offered[std::string(alias.argument)];
  tool.invoke = [&registry, actions, arguments_of = std::move(arguments_of), needs_action = std::move(needs_action),
                 offered = std::move(offered), own = tool.info.name,
                 names = std::vector(aliases.begin(), aliases.end())](const bj::object& arguments,
                                                                      ToolContext& context) {
    const auto wrong_action = [](const std::string& what) { return ToolOutcome{what, {}, true, false}; };
    const auto* action = arguments.if_contains(kAction);
    if (action == nullptr || !action->is_string())
      return wrong_action("action: send one of " + boost::algorithm::join(actions, ", "));
    const std::string_view asked(action->as_string().data(), action->as_string().size());
    std::string_view target = asked;
    std::string_view ambiguous;  // an argument that the tool is left to refuse, because it is sent under both names
    bj::object passed = arguments;
    passed.erase(kAction);
    for (const ActionAlias& alias : names) {
      if (alias.action != asked) continue;
      target = alias.tool;
      if (passed.contains(alias.renamed)) ambiguous = alias.argument;
      const bool renames = !alias.argument.empty() && !passed.contains(alias.renamed);
      if (const auto it = passed.find(alias.argument); renames && it != passed.end()) {
        bj::value value = it->value();
        passed.erase(it);
        passed.emplace(alias.renamed, std::move(value));
      }
    }
    const Tool* called = target == own ? nullptr : registry.find(target);
    if (called == nullptr)
      return wrong_action("action: \"" + std::string(asked) + "\" is unknown, send one of " +
                          boost::algorithm::join(actions, ", "));
    // A client may send every argument in the schema. Those of other actions are ignored here.
    const Choices& takes = arguments_of.at(called->info.name);
    if (const auto actions_of = takes.find(std::string(kAction)); actions_of != takes.end()) {
      bj::value* const sub = passed.if_contains(kSubaction);
      const bool is_known =
          sub != nullptr && sub->is_string() && actions_of->second.contains(std::string(sub->as_string()));
      if (sub != nullptr && !is_known)
        return wrong_action("subaction: send one of " + boost::algorithm::join(actions_of->second, ", "));
      if (sub == nullptr && needs_action.contains(called->info.name))
        return wrong_action("subaction: is required by " + called->info.name + ", send one of " +
                            boost::algorithm::join(actions_of->second, ", "));
      if (sub != nullptr) {
        bj::value value = std::move(*sub);
        passed[kAction] = std::move(value);
      }
    }
    passed.erase(kSubaction);
    for (auto it = passed.begin(); it != passed.end();) {
      const std::string name(it->key());
      const bool anothers =
          offered.contains(name) && name != ambiguous &&
          (!takes.contains(name) || is_word_of_another(it->value(), takes.at(name), offered.at(name)));
      it = anothers ? passed.erase(it) : it + 1;
    }
    return called->invoke(passed, context);
  };
  registry.add(std::move(tool));
}

}  // namespace memd::mcp
