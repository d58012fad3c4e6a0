#include "protocol/mcp/prompt_registry.hpp"

#include <algorithm>

namespace memd::mcp {

const Prompt* PromptRegistry::find(std::string_view name) const {
  const auto it = std::find_if(prompts_.begin(), prompts_.end(), [&](const Prompt& p) { return p.info.name == name; });
  return it == prompts_.end() ? nullptr : &*it;
}

Result<ArgumentValues> PromptRegistry::complete(std::string_view name, std::string_view argument,
                                                std::string_view typed, ToolContext& context) const {
  const Prompt* prompt = find(name);
  if (prompt == nullptr)
    return Error(Errc::invalid_argument, "ref.name: there is no prompt \"" + std::string(name.substr(0, 100)) + "\"");
  const auto completer = prompt->info.completers.find(argument);
  if (completer == prompt->info.completers.end()) return ArgumentValues{};
  return completer->second(typed, context);
}

}  // namespace memd::mcp
