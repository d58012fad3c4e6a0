#pragma once

#include "daemon/tools/answer.hpp"
#include "daemon/tools/notebooks.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::mcp {
class ToolRegistry;
}

namespace memd::tools {

struct ToolServices;

inline constexpr auto kMemoryActions =
    std::to_array<std::string_view>({"create", "update", "link", "unlink", "delete", "undo", "promote"});

struct MemoryWriteParams : MemoryParams {
  std::string action;
  std::string slug;
  std::optional<std::string> type;
  std::optional<std::string> title;
  std::optional<std::string> text;
  std::vector<std::string> tags;
  std::optional<std::string> from;
  std::optional<std::string> target;
  std::optional<std::string> label;
  std::optional<std::string> version;
  bool force = false;
};

struct MemoryWriteAnswer : Answer {
  std::string action;
  std::string slug;
  std::string scope;
  std::string path;
  std::optional<std::string> version;  // of the file after the change
  std::optional<std::string> target;
  std::optional<std::string> label;
  bool changed = true;
};
AnswerText render_text(const MemoryWriteAnswer& answer);

// Adds the tool that changes memories. With MemoryWriting::ask the user has to confirm each change; a client without
// elicitation gets Errc::permission, and nothing is changed.
void add_memory_write(mcp::ToolRegistry& registry, const ToolServices& services);

}  // namespace memd::tools

namespace memd::mcp {

template <>
struct Describe<tools::MemoryWriteParams> {
  using T = tools::MemoryWriteParams;
  static constexpr auto fields = join_fields(
      fields_of(field("action", &T::action, "", required, one_of(tools::kMemoryActions)), field("slug", &T::slug, ""),
                field("type", &T::type, "", one_of(tools::kMemoryTypeNames)), field("title", &T::title, ""),
                field("text", &T::text, "Markdown."), field("tags", &T::tags, ""),
                field("from", &T::from, "x42 or o99."), field("target", &T::target, ""),
                field("label", &T::label, "supersedes, relates-to, …"), field("version", &T::version, "As read."),
                field("force", &T::force, "Although one says it.")),
      tools::kMemoryWhereFields);
};
template <>
struct Describe<tools::MemoryWriteAnswer> {
  using T = tools::MemoryWriteAnswer;
  static constexpr auto fields = join_fields(
      Describe<tools::Answer>::head,
      fields_of(field("action", &T::action, "What was done."), field("slug", &T::slug, "Its name."),
                field("scope", &T::scope, "Whose it is."), field("path", &T::path, "Its file."),
                field("version", &T::version, "For the next change."), field("target", &T::target, "Of a link."),
                field("label", &T::label, "Of a link."), field("changed", &T::changed, "False: it was so already.")),
      Describe<tools::Answer>::tail);
};

}  // namespace memd::mcp
