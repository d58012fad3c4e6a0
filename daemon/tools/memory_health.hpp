#pragma once

#include "daemon/tools/answer.hpp"
#include "daemon/tools/notebooks.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memd::tools {

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

MEMD_DESCRIBE(memd::tools::MemoryHealthParams, field<&T::garden>("What tidying would do."),
              mcp::field_at<1>(tools::kMemoryWhereFields), mcp::field_at<1>(tools::kMemoryPageFields));
MEMD_DESCRIBE(memd::tools::MemoryFindingOut, field<&T::kind>("broken_link, stale, secret, …; merge, archive, …"),
              field<&T::slug>("Of the memory; empty: of a directory."), field<&T::path>(), field<&T::line>("From 1."),
              field<&T::message>("What is wrong, and what to do."));
MEMD_DESCRIBE_ANSWER(memd::tools::MemoryHealthAnswer, field<&T::findings>("By directory."),
                     field<&T::total>("On all pages."));
