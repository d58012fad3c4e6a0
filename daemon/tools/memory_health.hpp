#pragma once

#include "daemon/tools/answer.hpp"
#include "daemon/tools/notebooks.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memd::mcp {
class ToolRegistry;
}

namespace memd::tools {

struct ToolServices;

struct MemoryHealthParams : MemoryParams {
  bool garden = false;
};

// A problem of a memory, or a step that the gardener would take.
struct MemoryFindingOut {
  std::string kind;
  std::string slug;
  std::string path;
  std::optional<std::int64_t> line;
  std::string message;
};

struct MemoryHealthAnswer : Answer {
  std::vector<MemoryFindingOut> findings;
  std::int64_t total = 0;
};
AnswerText render_text(const MemoryHealthAnswer& answer);

void add_memory_health(mcp::ToolRegistry& registry, const ToolServices& services);

}  // namespace memd::tools

namespace memd::mcp {

template <>
struct Describe<tools::MemoryHealthParams> {
  using T = tools::MemoryHealthParams;
  static constexpr auto fields =
      fields_of(field("garden", &T::garden, "What tidying would do."), mcp::field_at<1>(tools::kMemoryWhereFields),
                mcp::field_at<1>(tools::kMemoryPageFields));
};
template <>
struct Describe<tools::MemoryFindingOut> {
  using T = tools::MemoryFindingOut;
  static constexpr auto fields =
      fields_of(field("kind", &T::kind, "broken_link, stale, secret, …; merge, archive, …"),
                field("slug", &T::slug, "Of the memory; empty: of a directory."), field("path", &T::path, "File."),
                field("line", &T::line, "From 1."), field("message", &T::message, "What is wrong, and what to do."));
};
template <>
struct Describe<tools::MemoryHealthAnswer> {
  using T = tools::MemoryHealthAnswer;
  static constexpr auto fields = join_fields(
      Describe<tools::Answer>::head,
      fields_of(field("findings", &T::findings, "By directory."), field("total", &T::total, "On all pages.")),
      Describe<tools::Answer>::tail);
};

}  // namespace memd::mcp
