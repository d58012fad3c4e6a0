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
struct MemoryOut {
  std::string slug;
  std::string type;
  std::string title;
  std::string scope;
  std::string path;
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

namespace memd::mcp {

template <>
struct Describe<tools::MemoryReadParams> {
  using T = tools::MemoryReadParams;
  static constexpr auto fields = join_fields(fields_of(field("slug", &T::slug, "Slug, id or file.")),
                                             tools::kMemoryWhereFields, tools::kMemoryPageFields);
};
template <>
struct Describe<tools::MemoryLinkOut> {
  using T = tools::MemoryLinkOut;
  static constexpr auto fields =
      fields_of(field("label", &T::label, "What the edge means."), field("slug", &T::slug, "Where it leads."),
                field("title", &T::title, "Of the other memory."));
};
template <>
struct Describe<tools::MemoryProvenanceOut> {
  using T = tools::MemoryProvenanceOut;
  static constexpr auto fields =
      fields_of(field("session_id", &T::session_id, "Session."), field("exchange", &T::exchange, "Exchange."),
                field("commits", &T::commits, "Commits."), field("files", &T::files, "Changed files."),
                field("events", &T::events, "Events."));
};
template <>
struct Describe<tools::MemoryOut> {
  using T = tools::MemoryOut;
  static constexpr auto fields =
      fields_of(field("slug", &T::slug, "Its name."), field("type", &T::type, "decision, learning, …"),
                field("title", &T::title, "Title."), field("scope", &T::scope, "Whose it is."),
                field("path", &T::path, "Its file."), field("tags", &T::tags, "Tags."),
                field("status", &T::status, "verified, or stale: what it names has changed since."),
                field("updated", &T::updated, "RFC 3339."), field("created", &T::created, "RFC 3339."),
                field("version", &T::version, "For memory_write."), field("quality", &T::quality, "0 to 100."),
                field("links", &T::links, "Edges."), field("provenance", &T::provenance, "What it was drawn from."),
                field("problems", &T::problems, "Broken rules."), field("text", &T::text, "Markdown."));
};
template <>
struct Describe<tools::MemoryReadAnswer> {
  using T = tools::MemoryReadAnswer;
  static constexpr auto fields =
      join_fields(Describe<tools::Answer>::head,
                  fields_of(field("memories", &T::memories, "By scope."), field("total", &T::total, "On all pages.")),
                  Describe<tools::Answer>::tail);
};

}  // namespace memd::mcp
