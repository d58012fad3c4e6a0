#pragma once

#include "protocol/mcp/describe.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Output of `memd --json memory …`. Values; enums as to_string() writes them, times in RFC 3339.
namespace memd::cli {

struct MemoryNodeOut {
  std::string slug;
  std::string type;
  std::string title;
  std::string scope;
};
struct MemoryListed : MemoryNodeOut {
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

MEMD_DESCRIBE(memd::cli::MemoryNodeOut, field<&T::slug>(), field<&T::type>("decision, learning, …"), field<&T::title>(),
              field<&T::scope>("global, project, local or enterprise."));
MEMD_DESCRIBE(memd::cli::MemoryListed, kFieldsOf<cli::MemoryNodeOut>, plain<&T::path, &T::tags>(),
              field<&T::links>("Slugs of the memories that it leads to."));
MEMD_DESCRIBE(memd::cli::MemoryListReport, field<&T::memories>("Those that are valid."));
MEMD_DESCRIBE(memd::cli::MemoryShown, kFieldsOf<cli::MemoryListed>, field<&T::created>("RFC 3339."),
              field<&T::updated>("RFC 3339."), field<&T::content>(),
              field<&T::valid>("false: `memd memory health` says what is wrong."),
              field<&T::broken_links>("Those of `links` that lead to no memory."));
MEMD_DESCRIBE(memd::cli::SimilarOut, plain<&T::slug, &T::scope, &T::title, &T::path>(),
              field<&T::likeness>("From 0 to 1."));
MEMD_DESCRIBE(memd::cli::MemoryWrittenReport, field<&T::slug>("Its name; absent: nothing was written."),
              plain<&T::path, &T::scope, &T::created>(), field<&T::masked>("Secrets in it were masked."),
              field<&T::type>("Of a draft."), field<&T::title>("Of a draft."),
              field<&T::content>("Of a draft: its text."),
              field<&T::similar>("Memories that say the same as the draft, the most alike first."));
MEMD_DESCRIBE(memd::cli::MemoryLinkReport, field<&T::source>("Slug."), field<&T::target>("Slug."),
              field<&T::label>("Of the edge; absent: all edges are meant."),
              field<&T::changed>("false: it was so already."));
MEMD_DESCRIBE(memd::cli::MemoryEdgeOut, field<&T::source>("Slug."), field<&T::target>("Slug."),
              field<&T::label>("What the edge means."));
MEMD_DESCRIBE(memd::cli::MemoryGraphReport, field<&T::nodes>("Memories that are valid."), field<&T::edges>());
MEMD_DESCRIBE(memd::cli::MemoryProblemOut, field<&T::kind>("broken_link, stale, secret, …"),
              field<&T::slug>("Of the memory; empty: of a directory."), field<&T::path>(),
              field<&T::line>("From 1; 0: the file as a whole."), field<&T::message>("What is wrong, and what to do."));
MEMD_DESCRIBE(memd::cli::MemoryHealthReport, field<&T::problems>("By directory."));
MEMD_DESCRIBE(memd::cli::GardenStepOut, field<&T::action>("merge, archive, …"), plain<&T::scope, &T::directory>(),
              field<&T::slug>("Of which memory; absent: the directory."),
              field<&T::other>("Of two memories the other one."), field<&T::why>("One sentence."),
              field<&T::proposal>("It is for a person to do."), field<&T::done>());
MEMD_DESCRIBE(memd::cli::GardenReport, field<&T::steps>("By directory."),
              field<&T::notices>("What was not looked at, and why."));
MEMD_DESCRIBE(memd::cli::SuggestionOut, field<&T::id>("For `memd memory promote`."),
              field<&T::exchange>("Where it stands."), plain<&T::session, &T::project>(), field<&T::time>("RFC 3339."),
              field<&T::type>("Of the memory that it would be."), field<&T::title>("Of the memory that it would be."),
              field<&T::score>("The more the better."), field<&T::reasons>());
MEMD_DESCRIBE(memd::cli::SuggestedLinkOut, field<&T::id>("For `memd memory suggest --accept`."),
              field<&T::source>("Slug."), field<&T::target>("Slug."), field<&T::scope>(),
              field<&T::reasons>("Why they belong together."));
MEMD_DESCRIBE(memd::cli::SuggestReport, field<&T::suggestions>("What is worth a memory, the best first."),
              field<&T::links>("With --links: memories that seem to belong together."),
              field<&T::written>("With --accept of a suggestion."), field<&T::linked>("With --accept of a link."));
MEMD_DESCRIBE(memd::cli::CommitOfMemory, field<&T::sha>(), field<&T::subject>("First line of its message."));
MEMD_DESCRIBE(memd::cli::CheckedMemory, plain<&T::slug, &T::path>(), field<&T::status>("verified, stale or unknown."),
              field<&T::base>("The commit that it is compared with; empty: none is known."),
              field<&T::named>("Files and words that it names and that were there then."),
              field<&T::commits>("That have changed them since, newest first."),
              field<&T::marked>("The status was written into the file."));
MEMD_DESCRIBE(memd::cli::VerifyReport, field<&T::memories>("Those that were looked at."));
