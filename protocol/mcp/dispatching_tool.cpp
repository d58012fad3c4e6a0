#include "protocol/mcp/dispatching_tool.hpp"

#include "schemas/json_writer.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace memd::mcp {
namespace {

namespace bj = boost::json;
constexpr std::string_view kAction = "action";

// Tools may ask different things of a parameter of the same name: what holds for all is its type. The description is
// the first one's.
void merge(bj::object& into, std::string_view name, const bj::value& property) {
  const auto [it, fresh] = into.emplace(name, property);
  if (fresh || it->value() == property) return;
  const bj::object& known = it->value().as_object();
  bj::object common;
  for (const std::string_view key : {"type", "items", "description"})
    if (const auto* value = known.if_contains(key)) common[key] = *value;
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
  return bj::serialize(bj::object{{"type", "object"},
                                  {"properties", std::move(properties)},
                                  {"required", bj::array{kAction}},
                                  {"additionalProperties", true}});
}

std::string named(const std::vector<std::string>& actions) {
  std::string out;
  for (const auto& action : actions)
    out += (out.empty() ? "" : ", ") + action;
  return out;
}

}  // namespace

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
  tool.invoke = [&registry, actions, own = tool.info.name, names = std::vector(aliases.begin(), aliases.end())](
                    const bj::object& arguments, ToolContext& context) {
    const auto refuse = [&](const std::string& what) { return ToolOutcome{what, {}, true, false}; };
    const auto* action = arguments.if_contains(kAction);
    if (action == nullptr || !action->is_string()) return refuse("action: send one of " + named(actions));
    const std::string_view asked(action->as_string().data(), action->as_string().size());
    std::string_view target = asked;
    bj::object passed = arguments;
    passed.erase(kAction);
    for (const ActionAlias& alias : names) {
      if (alias.action != asked) continue;
      target = alias.tool;
      // Where both are sent the tool is left to refuse the one it does not know.
      const bool renames = !alias.argument.empty() && !passed.contains(alias.renamed);
      if (const auto it = passed.find(alias.argument); renames && it != passed.end()) {
        bj::value value = it->value();
        passed.erase(it);
        passed.emplace(alias.renamed, std::move(value));
      }
    }
    const Tool* called = target == own ? nullptr : registry.find(target);
    if (called == nullptr)
      return refuse("action: \"" + std::string(asked) + "\" is none, send one of " + named(actions));
    return called->invoke(passed, context);
  };
  registry.add(std::move(tool));
}

}  // namespace memd::mcp
