#pragma once

#include "protocol/mcp/describe.hpp"
#include "protocol/mcp/tool_context.hpp"
#include "schemas/base/result.hpp"

#include <boost/json/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memd::mcp {

// A URI template of RFC 6570, level 1: literal text and {name}. Immutable.
class UriTemplate {
 public:
  // Throws ErrorException when a brace is not closed, a name is empty, or no literal text precedes a variable.
  explicit UriTemplate(std::string text);

  using Values = std::vector<std::pair<std::string, std::string>>;  // name, decoded value

  const std::string& text() const { return text_; }
  // Returns the variables of a URI of this form, decoded and not empty; nullopt if the URI has another form. Accepts
  // values with characters that should have been encoded, slashes too, because some clients do not encode.
  std::optional<Values> match(std::string_view uri) const;

 private:
  struct Piece {
    std::string literal;
    std::string name;  // of the variable behind it; empty at the end
  };
  std::string text_;
  std::vector<Piece> pieces_;
};

// Encodes all characters except letters, digits and -._~ as %XX.
std::string percent_encoded(std::string_view text);
// Returns nullopt for a % without two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view text);

inline constexpr std::size_t kMaxArgumentValues = 100;  // of one answer, by the protocol

// Completions of an argument that a person is typing, best first.
struct ArgumentValues {
  std::vector<std::string> values;
  std::optional<std::int64_t> total;  // number of all completions, where it is known
  bool more = false;                  // there are more than these
};

using Completer = std::function<Result<ArgumentValues>(std::string_view typed, ToolContext&)>;
using Completers = std::map<std::string, Completer, std::less<>>;  // by the argument's name

struct PromptInfo {
  std::string name;           // what a person types after the slash
  std::string title;          // for people
  std::string description;    // for people
  Completers completers{};    // by argument
  std::string former_name{};  // still found, not listed; empty: none
};

struct PromptArgument {
  std::string name;
  std::string description;
  bool required = false;
};

// User messages that a prompt expands to, in order. Text from history is a separate message.
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
  // The fields of Params are the arguments. The protocol sends strings; "5" is read as a number where one is expected.
  template <Described Params>
  void add(PromptInfo info, std::function<Result<PromptText>(const Params&, ToolContext&)> handler) {
    Prompt prompt{std::move(info), {}, {}};
    for (const detail::SchemaField& field : detail::table<Params, detail::SchemaField>)
      prompt.arguments.push_back({std::string(field.name), std::string(field.description), field.rules->required});
    prompt.get = [handler = std::move(handler)](const boost::json::object& arguments, ToolContext& context) {
      auto params = read_arguments<Params>(arguments);
      return params ? handler(*params, context) : Result<PromptText>(params.error());
    };
    prompts_.push_back(std::move(prompt));
  }

  const Prompt* find(std::string_view name) const;  // also by a former name; nullptr when there is none
  const std::deque<Prompt>& prompts() const { return prompts_; }
  Result<ArgumentValues> complete(std::string_view name, std::string_view argument, std::string_view typed,
                                  ToolContext& context) const;

 private:
  std::deque<Prompt> prompts_;
};

// A family of resources with one form of URI.
struct ResourceInfo {
  std::string uri_template;  // "memd://session/{id}"
  std::string name;
  std::string title;        // for people
  std::string description;  // for models
  std::string mime_type = "text/markdown";
  Completers completers{};  // by variable
};

// A resource listed for clients.
struct ResourceEntry {
  std::string uri;
  std::string name;
  std::string title;
  std::string description;
  std::string mime_type = "text/markdown";
  std::string last_modified;  // RFC 3339; empty: not known
};

struct ResourcePage {
  std::vector<ResourceEntry> entries;
  std::optional<std::string> next;  // cursor
};

// Resources that clients can read by URI. Filled at start-up; read-only and thread-safe afterwards. Handlers run on
// several worker threads at once.
class ResourceRegistry {
 public:
  // A number above 1 that changes when the content of the resource changes. Must be cheap: it is read after commits.
  using Version = Result<std::uint64_t>;

  // Params is a described struct with a field for each variable of the template. `read` gives the text and bounds its
  // size. Throws ErrorException for a bad template.
  template <Described Params>
  void add(ResourceInfo info, std::function<Result<std::string>(const Params&, ToolContext&)> read,
           std::function<Version(const Params&, ToolContext&)> version) {
    Family family{std::move(info), UriTemplate(std::string()), {}, {}};
    family.form = UriTemplate(family.info.uri_template);
    family.read = [read = std::move(read)](const boost::json::object& variables, ToolContext& context) {
      auto params = read_arguments<Params>(variables);
      return params ? read(*params, context) : Result<std::string>(params.error());
    };
    family.version = [version = std::move(version)](const boost::json::object& variables, ToolContext& context) {
      auto params = read_arguments<Params>(variables);
      return params ? version(*params, context) : Version(params.error());
    };
    families_.push_back(std::move(family));
  }

  using List = std::function<Result<ResourcePage>(const std::optional<std::string>& cursor, ToolContext&)>;
  // `list` gives the resources worth offering; `version` changes when the list has other members.
  void set_list(List list, std::function<Version(ToolContext&)> version) {
    list_ = std::move(list);
    list_version_ = std::move(version);
  }

  std::vector<const ResourceInfo*> templates() const;
  // Errc::invalid_argument: the cursor is not one of ours.
  Result<ResourcePage> list(const std::optional<std::string>& cursor, ToolContext& context) const;
  Version list_version(ToolContext& context) const;

  struct Contents {
    std::string text;
    std::string mime_type;
  };
  // Errc::not_found: there is no such resource, or the URI has no known form.
  Result<Contents> read(std::string_view uri, ToolContext& context) const;
  Version version(std::string_view uri, ToolContext& context) const;
  Result<ArgumentValues> complete(std::string_view uri_template, std::string_view variable, std::string_view typed,
                                  ToolContext& context) const;

 private:
  struct Family {
    ResourceInfo info;
    UriTemplate form;
    std::function<Result<std::string>(const boost::json::object&, ToolContext&)> read;
    std::function<Version(const boost::json::object&, ToolContext&)> version;
  };
  struct Found {
    const Family* family;
    UriTemplate::Values variables;
  };
  Result<Found> find(std::string_view uri) const;

  std::deque<Family> families_;
  List list_;
  std::function<Version(ToolContext&)> list_version_;
};

// Registries of a server besides its tools; null: none of that kind. Borrowed; complete before the profile is created.
struct Offers {
  const ResourceRegistry* resources = nullptr;
  const PromptRegistry* prompts = nullptr;
};

}  // namespace memd::mcp
