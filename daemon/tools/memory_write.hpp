#pragma once

#include "daemon/tools/answer.hpp"
#include "daemon/tools/notebooks.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::tools {

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

MEMD_DESCRIBE(memd::tools::MemoryWriteParams, field<&T::action>(required, one_of(tools::kMemoryActions)),
              field<&T::slug>(), field<&T::type>(one_of(tools::kMemoryTypeNames)), field<&T::title>(),
              field<&T::text>("Markdown."), field<&T::tags>(), field<&T::from>("x42 or o99."), field<&T::target>(),
              field<&T::label>("supersedes, relates-to, …"), field<&T::version>("As read."),
              field<&T::force>("Although one says it."), tools::kMemoryWhereFields);
MEMD_DESCRIBE_ANSWER(memd::tools::MemoryWriteAnswer, plain<&T::action, &T::slug, &T::scope, &T::path>(),
                     field<&T::version>("For the next change."), field<&T::target>("Of a link."),
                     field<&T::label>("Of a link."), field<&T::changed>("False: it was so already."));
