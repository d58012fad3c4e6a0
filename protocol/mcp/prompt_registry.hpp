#pragma once

#include "protocol/mcp/argument_values.hpp"
#include "protocol/mcp/describe.hpp"
#include "protocol/mcp/tool_context.hpp"
#include "schemas/error.hpp"

#include <boost/json/fwd.hpp>

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memd::mcp {

struct PromptInfo {
  std::string name;         // what a person types behind the slash
  std::string title;        // for people
  std::string description;  // for people
  Completers completers{};  // by argument
};

struct PromptArgument {
  std::string name;
  std::string description;
  bool required = false;
};

// What a prompt becomes: messages of the user, in order. Text from history is a message of its own.
struct PromptText {
  std::vector<std::string> messages;
};

struct Prompt {
  PromptInfo info;
  std::vector<PromptArgument> arguments;
  std::function<Result<PromptText>(const boost::json::object& arguments, ToolContext&)> get;
};

// The prompts a server offers, in the order they were added. Filled at start-up, read-only afterwards and then safe to
// use from any thread; handlers run on many worker threads at once.
class PromptRegistry {
 public:
  // The fields of Params are the arguments; the protocol sends strings, and a number in a string is a number.
  template <Described Params>
  void add(PromptInfo info, std::function<Result<PromptText>(const Params&, ToolContext&)> handler) {
    Prompt prompt{std::move(info), {}, {}};
    detail::for_each_field<Params>([&](const auto& f) {
      prompt.arguments.push_back({std::string(f.name), std::string(f.description), f.rules.required});
    });
    prompt.get = [handler = std::move(handler)](const boost::json::object& arguments, ToolContext& context) {
      auto params = read_arguments<Params>(arguments);
      return params ? handler(*params, context) : Result<PromptText>(params.error());
    };
    prompts_.push_back(std::move(prompt));
  }

  const Prompt* find(std::string_view name) const;  // nullptr when there is none
  const std::deque<Prompt>& prompts() const { return prompts_; }
  Result<ArgumentValues> complete(std::string_view name, std::string_view argument, std::string_view typed,
                                  ToolContext& context) const;

 private:
  std::deque<Prompt> prompts_;
};

}  // namespace memd::mcp
