#pragma once

#include "daemon/tools/answer.hpp"
#include "daemon/tools/found_memories.hpp"
#include "daemon/tools/notebooks.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memd::mcp {
class ToolRegistry;
}

namespace memd::tools {

struct ToolServices;

struct MemorySearchParams : MemoryParams {
  std::string query;
  std::optional<std::string> type;
  std::optional<std::string> as_of;
};

struct MemorySearchToolAnswer : Answer {
  std::vector<FoundMemoryOut> memories;
  bool nothing_relevant = false;
};
AnswerText render_text(const MemorySearchToolAnswer& answer);

void add_memory_search(mcp::ToolRegistry& registry, const ToolServices& services);

}  // namespace memd::tools

namespace memd::mcp {

template <>
struct Describe<tools::MemorySearchParams> {
  using T = tools::MemorySearchParams;
  static constexpr auto fields =
      join_fields(fields_of(field("query", &T::query, "Plain words; none: the newest.", length(0, 2000)),
                            field("type", &T::type, ""), field("as_of", &T::as_of, "What held at a date.")),
                  tools::kMemoryWhereFields, tools::kMemoryPageFields);
};
template <>
struct Describe<tools::MemorySearchToolAnswer> {
  using T = tools::MemorySearchToolAnswer;
  static constexpr auto fields =
      join_fields(Describe<tools::Answer>::head,
                  fields_of(field("memories", &T::memories, "Best first."),
                            field("nothing_relevant", &T::nothing_relevant, "Nothing fits.")),
                  Describe<tools::Answer>::tail);
};

}  // namespace memd::mcp
