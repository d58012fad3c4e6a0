#pragma once

#include "protocol/mcp/describe.hpp"
#include "protocol/mcp/tool_context.hpp"
#include "schemas/base/result.hpp"

#include <boost/json/fwd.hpp>

#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace memd::mcp {

// The four hints of the protocol. Its own defaults are pessimistic, so all four are always sent.
struct ToolAnnotations {
  bool read_only = true;
  bool destructive = false;
  bool idempotent = true;
  bool open_world = false;
};

struct ToolInfo {
  std::string name;         // 1–40 of [a-z0-9_]
  std::string title;        // for people
  std::string description;  // for models, at most 2,048 characters
  ToolAnnotations annotations{};
  // What clients that show a model only the tools that it searches for need to know (`_meta`: anthropic/alwaysLoad and
  // anthropic/searchHint). A tool that is always shown needs no words to be found by.
  bool always_shown = false;
  std::string search_words{};
  // The handler takes microseconds and never blocks: it runs on the loop thread, without a hop to a worker.
  bool inline_ok = false;
  // The handler may wait for a language model or a person.
  bool waits = false;
};

// The result of a call.
struct ToolOutcome {
  std::string text;        // what a model reads, if the registry makes texts; the message of an error
  std::string structured;  // one JSON object stating the same facts; empty for an error
  bool is_error = false;
  bool unexpected = false;  // the error is ours, not the caller's: log it
  bool is_usage = false;    // the error is that of an argument
};

struct Tool {
  ToolInfo info;
  std::string input_schema;   // JSON
  std::string output_schema;  // JSON
  // Never throws.
  std::function<ToolOutcome(const boost::json::object& arguments, ToolContext&)> invoke;
  // Returns the schema of the result with the members of every answer. Null: that of another tool.
  std::string (*whole_schema)() = nullptr;
};

// Who reads the results of a registry. Programs, which read the structured form, need no text.
enum class Readers { models, programs };

// The tools a server offers, in the order they were added. Filled at start-up, read-only afterwards and then safe to
// use from any thread; handlers run on many worker threads at once.
class ToolRegistry {
 public:
  explicit ToolRegistry(std::size_t max_tools = 20, Readers readers = Readers::models)
      : max_tools_(max_tools), readers_(readers) {}

  // Handler: Result<Out>(const Params&, ToolContext&). `render_text(const Out&)`, found by ADL, returns something from
  // which a std::string can be made; without it results have no text. A member `fuller_text` of the result replaces it
  // unless it is empty. An Error of the handler, and an exception, become a result with is_error. Throws ErrorException
  // when the name, the description or the number of tools breaks a limit.
  template <Described Params, Described Out>
  void add(ToolInfo info, std::function<Result<Out>(const Params&, ToolContext&)> handler) {
    Tool tool{std::move(info), json_schema<Params>(SchemaUse::input), json_schema<Out>(SchemaUse::tool_result), {}};
    tool.invoke = [handler = std::move(handler), for_models = readers_ == Readers::models](
                      const boost::json::object& arguments, ToolContext& context) {
      return guarded([&]() -> ToolOutcome {
        auto params = read_arguments<Params>(arguments);
        if (!params) return failed(params.error());
        auto out = handler(*params, context);
        if (!out) return failed(out.error());
        return ToolOutcome{text_of(*out, for_models), to_json(*out), false, false};
      });
    };
    tool.whole_schema = [] { return json_schema<Out>(SchemaUse::output); };
    add(std::move(tool));
  }
  // Adds a tool with schemas of its own; its invoke never throws.
  void add(Tool tool);

  const Tool* find(std::string_view name) const;  // nullptr when there is none
  const std::deque<Tool>& tools() const { return tools_; }

  // Calls a tool from the same process. `arguments`: JSON text of an object; empty means {}.
  ToolOutcome call(std::string_view name, std::string_view arguments, ToolContext& context) const;

 private:
  static ToolOutcome failed(const Error& error);
  static ToolOutcome internal_error(std::string_view what);
  template <class Out>
  static std::string text_of(const Out& out, [[maybe_unused]] bool for_models) {
    std::string text;
    if constexpr (requires { out.fuller_text; }) text = out.fuller_text;
    if constexpr (requires { render_text(out); })
      if (text.empty() && for_models) text = std::string(render_text(out));
    return text;
  }
  template <class Body>
  static ToolOutcome guarded(Body&& body) {
    try {
      return body();
    } catch (const ErrorException& e) {
      return failed(e.error());
    } catch (const std::exception& e) {
      return internal_error(e.what());
    } catch (...) {
      return internal_error("unknown exception");
    }
  }

  std::size_t max_tools_;
  Readers readers_;
  std::deque<Tool> tools_;
};

// An alias of a tool for `action`, and the new name of one argument.
struct ActionAlias {
  std::string_view action;
  std::string_view tool;
  std::string_view argument;  // empty: all arguments are the tool's own
  std::string_view renamed;   // the tool's name of `argument`
};

// Adds a tool that passes its arguments on to another one of the registry, named by `action`: the tool's own name, or
// one of `aliases`. Its schema has the parameters of all tools. The called tool checks its arguments; those of others
// are dropped. Add it last, and do not move the registry afterwards. The strings of `aliases` must outlive the tool.
void add_dispatching_tool(ToolRegistry& registry, ToolInfo info, std::span<const ActionAlias> aliases);

}  // namespace memd::mcp
