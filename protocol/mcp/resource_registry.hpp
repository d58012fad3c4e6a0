#pragma once

#include "protocol/mcp/argument_values.hpp"
#include "protocol/mcp/describe.hpp"
#include "protocol/mcp/tool_context.hpp"
#include "protocol/mcp/uri_template.hpp"
#include "schemas/error.hpp"

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memd::mcp {

// A family of resources with one form of URI.
struct ResourceInfo {
  std::string uri_template;  // "memd://session/{id}"
  std::string name;
  std::string title;        // for people
  std::string description;  // for models
  std::string mime_type = "text/markdown";
  Completers completers{};  // by variable
};

// A resource that a client is offered.
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

// What a server lets its clients read by URI. Filled at start-up, read-only afterwards and then safe to use from any
// thread; handlers run on many worker threads at once.
class ResourceRegistry {
 public:
  // A number above 1 that is another one when the resource reads otherwise than before. Cheap: asked after commits.
  using Version = Result<std::uint64_t>;

  // Params is a described struct with a field for each variable of the template. `read` gives the text; its size is
  // its own affair. Throws ErrorException for a bad template.
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
  // What is worth offering by itself; `version` changes when the list has other members.
  void set_list(List list, std::function<Version(ToolContext&)> version) {
    list_ = std::move(list);
    list_version_ = std::move(version);
  }

  std::vector<const ResourceInfo*> templates() const;
  // A bad cursor is an invalid_argument.
  Result<ResourcePage> list(const std::optional<std::string>& cursor, ToolContext& context) const;
  Version list_version(ToolContext& context) const;

  struct Contents {
    std::string text;
    std::string mime_type;
  };
  // Errc::not_found for a URI of no known form, too.
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

}  // namespace memd::mcp
