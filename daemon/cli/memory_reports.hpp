#pragma once

#include "protocol/mcp/describe.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Output of `memd --json memory …`. Values; enums as to_string() writes them, times in RFC 3339.
namespace memd::cli {

struct MemoryListed {
  std::string slug;
  std::string type;
  std::string title;
  std::string scope;
  std::string path;
  std::vector<std::string> tags;
  std::vector<std::string> links;  // slugs
};
struct MemoryListReport {
  std::vector<MemoryListed> memories;
};

struct MemoryShown : MemoryListed {
  std::string created;
  std::string updated;
  std::string content;
  bool valid = true;
  std::vector<std::string> broken_links;
};

struct SimilarOut {
  std::string slug;
  std::string scope;
  std::string title;
  std::string path;
  double likeness = 0;  // 0…1
};
// A memory that was created, changed, deleted or restored, or a draft that was not written.
struct MemoryWrittenReport {
  std::optional<std::string> slug;
  std::optional<std::string> path;
  std::string scope;
  bool created = false;
  std::optional<bool> masked;
  std::optional<std::string> type;
  std::optional<std::string> title;
  std::optional<std::string> content;
  std::optional<std::vector<SimilarOut>> similar;
};

struct MemoryLinkReport {
  std::string source;
  std::string target;
  std::optional<std::string> label;
  bool changed = false;
};

struct MemoryNodeOut {
  std::string slug;
  std::string type;
  std::string title;
  std::string scope;
};
struct MemoryEdgeOut {
  std::string source;
  std::string target;
  std::string label;
};
struct MemoryGraphReport {
  std::vector<MemoryNodeOut> nodes;
  std::vector<MemoryEdgeOut> edges;
};

struct MemoryProblemOut {
  std::string kind;
  std::string slug;
  std::string path;
  std::int64_t line = 0;
  std::string message;
};
struct MemoryHealthReport {
  std::vector<MemoryProblemOut> problems;
};

struct GardenStepOut {
  std::string action;
  std::string scope;
  std::string directory;
  std::optional<std::string> slug;
  std::optional<std::string> other;
  std::string why;
  bool proposal = false;
  bool done = false;
};
struct GardenReport {
  std::vector<GardenStepOut> steps;
  std::vector<std::string> notices;
};

struct SuggestionOut {
  std::string id;
  std::string exchange;
  std::string session;
  std::string project;
  std::string time;
  std::string type;
  std::string title;
  double score = 0;
  std::vector<std::string> reasons;
};
struct SuggestedLinkOut {
  std::string id;
  std::string source;
  std::string target;
  std::string scope;
  std::vector<std::string> reasons;
};
// Report of `memd memory suggest`. One member is set, depending on the options.
struct SuggestReport {
  std::optional<std::vector<SuggestionOut>> suggestions;
  std::optional<std::vector<SuggestedLinkOut>> links;
  std::optional<MemoryWrittenReport> written;
  std::optional<MemoryLinkReport> linked;
};

struct CommitOfMemory {
  std::string sha;
  std::string subject;
};
struct CheckedMemory {
  std::string slug;
  std::string path;
  std::string status;
  std::string base;
  std::vector<std::string> named;
  std::vector<CommitOfMemory> commits;
  bool marked = false;
};
struct VerifyReport {
  std::vector<CheckedMemory> memories;
};

}  // namespace memd::cli

namespace memd::mcp {

template <>
struct Describe<cli::MemoryListed> {
  using T = cli::MemoryListed;
  static constexpr auto fields = fields_of(
      field("slug", &T::slug, "Its name."), field("type", &T::type, "decision, learning, …"),
      field("title", &T::title, "Its title."), field("scope", &T::scope, "global, project, local or enterprise."),
      field("path", &T::path, "Its file."), field("tags", &T::tags, "Its tags."),
      field("links", &T::links, "Slugs of the memories that it leads to."));
};
template <>
struct Describe<cli::MemoryListReport> {
  using T = cli::MemoryListReport;
  static constexpr auto fields = fields_of(field("memories", &T::memories, "Those that are valid."));
};
template <>
struct Describe<cli::MemoryShown> {
  using T = cli::MemoryShown;
  static constexpr auto fields =
      join_fields(Describe<cli::MemoryListed>::fields,
                  fields_of(field("created", &T::created, "RFC 3339."), field("updated", &T::updated, "RFC 3339."),
                            field("content", &T::content, "Its text."),
                            field("valid", &T::valid, "false: `memd memory health` says what is wrong."),
                            field("broken_links", &T::broken_links, "Those of `links` that lead to no memory.")));
};
template <>
struct Describe<cli::SimilarOut> {
  using T = cli::SimilarOut;
  static constexpr auto fields =
      fields_of(field("slug", &T::slug, "Its name."), field("scope", &T::scope, "Its scope."),
                field("title", &T::title, "Its title."), field("path", &T::path, "Its file."),
                field("likeness", &T::likeness, "From 0 to 1."));
};
template <>
struct Describe<cli::MemoryWrittenReport> {
  using T = cli::MemoryWrittenReport;
  static constexpr auto fields =
      fields_of(field("slug", &T::slug, "Its name; absent: nothing was written."), field("path", &T::path, "Its file."),
                field("scope", &T::scope, "Its scope."), field("created", &T::created, "It is new."),
                field("masked", &T::masked, "Secrets in it were masked."), field("type", &T::type, "Of a draft."),
                field("title", &T::title, "Of a draft."), field("content", &T::content, "Of a draft: its text."),
                field("similar", &T::similar, "Memories that say the same as the draft, the most alike first."));
};
template <>
struct Describe<cli::MemoryLinkReport> {
  using T = cli::MemoryLinkReport;
  static constexpr auto fields = fields_of(field("source", &T::source, "Slug."), field("target", &T::target, "Slug."),
                                           field("label", &T::label, "Of the edge; absent: all edges are meant."),
                                           field("changed", &T::changed, "false: it was so already."));
};
template <>
struct Describe<cli::MemoryNodeOut> {
  using T = cli::MemoryNodeOut;
  static constexpr auto fields =
      fields_of(field("slug", &T::slug, "Its name."), field("type", &T::type, "decision, learning, …"),
                field("title", &T::title, "Its title."), field("scope", &T::scope, "Its scope."));
};
template <>
struct Describe<cli::MemoryEdgeOut> {
  using T = cli::MemoryEdgeOut;
  static constexpr auto fields = fields_of(field("source", &T::source, "Slug."), field("target", &T::target, "Slug."),
                                           field("label", &T::label, "What the edge means."));
};
template <>
struct Describe<cli::MemoryGraphReport> {
  using T = cli::MemoryGraphReport;
  static constexpr auto fields =
      fields_of(field("nodes", &T::nodes, "Memories that are valid."), field("edges", &T::edges, "Between them."));
};
template <>
struct Describe<cli::MemoryProblemOut> {
  using T = cli::MemoryProblemOut;
  static constexpr auto fields =
      fields_of(field("kind", &T::kind, "broken_link, stale, secret, …"),
                field("slug", &T::slug, "Of the memory; empty: of a directory."), field("path", &T::path, "File."),
                field("line", &T::line, "From 1; 0: the file as a whole."),
                field("message", &T::message, "What is wrong, and what to do."));
};
template <>
struct Describe<cli::MemoryHealthReport> {
  using T = cli::MemoryHealthReport;
  static constexpr auto fields = fields_of(field("problems", &T::problems, "By directory."));
};
template <>
struct Describe<cli::GardenStepOut> {
  using T = cli::GardenStepOut;
  static constexpr auto fields = fields_of(
      field("action", &T::action, "merge, archive, …"), field("scope", &T::scope, "Where."),
      field("directory", &T::directory, "Where."), field("slug", &T::slug, "Of which memory; absent: the directory."),
      field("other", &T::other, "Of two memories the other one."), field("why", &T::why, "One sentence."),
      field("proposal", &T::proposal, "It is for a person to do."), field("done", &T::done, "It was done."));
};
template <>
struct Describe<cli::GardenReport> {
  using T = cli::GardenReport;
  static constexpr auto fields = fields_of(field("steps", &T::steps, "By directory."),
                                           field("notices", &T::notices, "What was not looked at, and why."));
};
template <>
struct Describe<cli::SuggestionOut> {
  using T = cli::SuggestionOut;
  static constexpr auto fields = fields_of(
      field("id", &T::id, "For `memd memory promote`."), field("exchange", &T::exchange, "Where it stands."),
      field("session", &T::session, "Its session."), field("project", &T::project, "Its project."),
      field("time", &T::time, "RFC 3339."), field("type", &T::type, "Of the memory that it would be."),
      field("title", &T::title, "Of the memory that it would be."), field("score", &T::score, "The more the better."),
      field("reasons", &T::reasons, "Why it is worth one."));
};
template <>
struct Describe<cli::SuggestedLinkOut> {
  using T = cli::SuggestedLinkOut;
  static constexpr auto fields =
      fields_of(field("id", &T::id, "For `memd memory suggest --accept`."), field("source", &T::source, "Slug."),
                field("target", &T::target, "Slug."), field("scope", &T::scope, "Of both."),
                field("reasons", &T::reasons, "Why they belong together."));
};
template <>
struct Describe<cli::SuggestReport> {
  using T = cli::SuggestReport;
  static constexpr auto fields =
      fields_of(field("suggestions", &T::suggestions, "What is worth a memory, the best first."),
                field("links", &T::links, "With --links: memories that seem to belong together."),
                field("written", &T::written, "With --accept of a suggestion."),
                field("linked", &T::linked, "With --accept of a link."));
};
template <>
struct Describe<cli::CommitOfMemory> {
  using T = cli::CommitOfMemory;
  static constexpr auto fields =
      fields_of(field("sha", &T::sha, "Its id."), field("subject", &T::subject, "First line of its message."));
};
template <>
struct Describe<cli::CheckedMemory> {
  using T = cli::CheckedMemory;
  static constexpr auto fields =
      fields_of(field("slug", &T::slug, "Its name."), field("path", &T::path, "Its file."),
                field("status", &T::status, "verified, stale or unknown."),
                field("base", &T::base, "The commit that it is compared with; empty: none is known."),
                field("named", &T::named, "Files and words that it names and that were there then."),
                field("commits", &T::commits, "That have changed them since, newest first."),
                field("marked", &T::marked, "The status was written into the file."));
};
template <>
struct Describe<cli::VerifyReport> {
  using T = cli::VerifyReport;
  static constexpr auto fields = fields_of(field("memories", &T::memories, "Those that were looked at."));
};

}  // namespace memd::mcp
