#pragma once

#include "daemon/tools/answer.hpp"
#include "daemon/tools/notebooks.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memd::tools {

struct MemoryReadParams : MemoryParams {
  std::string slug;  // empty: list all
};

struct MemoryLinkOut {
  std::string label;
  std::string slug;
  std::optional<std::string> title;
};

struct MemoryProvenanceOut {
  std::optional<std::string> session_id;
  std::optional<std::string> exchange;
  std::optional<std::vector<std::string>> commits;
  std::optional<std::vector<std::string>> files;
  std::optional<std::vector<std::string>> events;
};

// A memory. The fields after `updated` are set only when it is shown whole.
struct MemoryOut : MemoryNameOut {
  std::string title;
  std::optional<std::vector<std::string>> tags;
  std::optional<std::string> status;
  std::optional<std::string> updated;
  std::optional<std::string> created;
  std::optional<std::string> version;
  std::optional<std::int64_t> quality;
  std::optional<std::vector<MemoryLinkOut>> links;
  std::optional<MemoryProvenanceOut> provenance;
  std::optional<std::vector<std::string>> problems;
  std::optional<std::string> text;
};

struct MemoryReadAnswer : Answer {
  std::vector<MemoryOut> memories;
  std::int64_t total = 0;
};
AnswerText render_text(const MemoryReadAnswer& answer);

void add_memory_read(mcp::ToolRegistry& registry, const ToolServices& services);

}  // namespace memd::tools

MEMD_DESCRIBE(memd::tools::MemoryReadParams, field<&T::slug>("Slug, id or file."), tools::kMemoryWhereFields,
              tools::kMemoryPageFields);
MEMD_DESCRIBE(memd::tools::MemoryLinkOut, field<&T::label>("What the edge means."), field<&T::slug>(),
              field<&T::title>("Of the other memory."));
MEMD_DESCRIBE(memd::tools::MemoryProvenanceOut,
              plain<&T::session_id, &T::exchange, &T::commits, &T::files, &T::events>());
MEMD_DESCRIBE(memd::tools::MemoryOut, field<&T::slug>(), field<&T::type>("decision, learning, …"),
              plain<&T::title, &T::scope, &T::path, &T::tags>(),
              field<&T::status>("verified, or stale: what it names has changed since."),
              field<&T::updated>("RFC 3339."), field<&T::created>("RFC 3339."), field<&T::version>("For memory_write."),
              field<&T::quality>("0 to 100."), field<&T::links>(), field<&T::provenance>("What it was drawn from."),
              field<&T::problems>(), field<&T::text>("Markdown."));
MEMD_DESCRIBE_ANSWER(memd::tools::MemoryReadAnswer, field<&T::memories>("By scope."),
                     field<&T::total>("On all pages."));
