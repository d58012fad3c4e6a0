#pragma once

#include "daemon/tools/answer.hpp"
#include "daemon/tools/found_memories.hpp"
#include "daemon/tools/notebooks.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memd::tools {

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

MEMD_DESCRIBE(memd::tools::MemorySearchParams, field<&T::query>("Plain words; none: the newest.", length(0, 2000)),
              field<&T::type>(), field<&T::as_of>("What held at a date."), tools::kMemoryWhereFields,
              tools::kMemoryPageFields);
MEMD_DESCRIBE_ANSWER(memd::tools::MemorySearchToolAnswer, field<&T::memories>("Best first."),
                     field<&T::nothing_relevant>());
