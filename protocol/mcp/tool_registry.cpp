#include "protocol/mcp/tool_registry.hpp"

#include "schemas/ascii.hpp"

#include <fmt/format.h>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>

namespace memd::mcp {
namespace {

constexpr std::size_t kMaxNameLength = 40;
constexpr std::size_t kMaxDescriptionLength = 2048;

bool is_tool_name(std::string_view name) {
  const auto allowed = [](char c) { return ascii::is_word(c) && !ascii::is_upper(c); };
  return !name.empty() && name.size() <= kMaxNameLength && std::all_of(name.begin(), name.end(), allowed);
}

[[noreturn]] void refuse(std::string what) { throw ErrorException(Error(Errc::invalid_argument, std::move(what))); }

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
  boost::json::value parsed = boost::json::object();
  if (!arguments.empty()) {
    boost::system::error_code ec;
    parsed = boost::json::parse(boost::json::string_view(arguments.data(), arguments.size()), ec);
    if (ec) return failed(Error(Errc::invalid_argument, "the arguments are not JSON: " + ec.message()));
    if (!parsed.is_object()) return failed(Error(Errc::invalid_argument, "the arguments are not a JSON object"));
  }
  return tool->invoke(parsed.get_object(), context);
}

ToolOutcome ToolRegistry::failed(const Error& error) {
  const bool ours = !error.is(Errc::invalid_argument) && !error.is(Errc::not_found) && !error.is(Errc::cancelled) &&
                    !error.is(Errc::input_required);
  return ToolOutcome{error.message(), {}, true, ours};
}

ToolOutcome ToolRegistry::internal_error(std::string_view what) {
  return ToolOutcome{fmt::format("internal error: {}", what), {}, true, true};
}

}  // namespace memd::mcp
