#pragma once

#include "schemas/base/timestamp.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// A memory is a Markdown file that a person owns. All other data that memd keeps about it is derived from the file and
// can be rebuilt. All times are read and written in UTC. Enumerators with numbers are stored: append, never renumber.

// The file format of a memory.
enum class MemoryDialect : std::uint8_t {
  plugin = 0,      // <slug>.md with type, tags, created, updated, links; index.json and graph.json beside it
  repository = 1,  // below .thunderus/memory, with id, kind, provenance, verification; indexes/manifest.json
  agent = 2,       // instructions and notes of agents, in their own formats: read, never written
};
std::string_view to_string(MemoryDialect d);
std::optional<MemoryDialect> parse_memory_dialect(std::string_view text);

// Scopes in order of precedence: a memory of an earlier scope wins.
enum class MemoryScope : std::uint8_t { enterprise = 0, local = 1, project = 2, global = 3 };
inline constexpr std::array kAllMemoryScopes{MemoryScope::enterprise, MemoryScope::local, MemoryScope::project,
                                             MemoryScope::global};
std::string_view to_string(MemoryScope s);
std::optional<MemoryScope> parse_memory_scope(std::string_view text);

// The type of a memory: `type` of the plugin dialect, `kind` of the repository dialect, and the kinds of agents' files.
enum class MemoryType : std::uint8_t {
  decision = 0,
  learning = 1,
  artifact = 2,
  gotcha = 3,
  breadcrumb = 4,
  hub = 5,  // links other memories
  core = 6,
  fact = 7,
  adr = 8,
  playbook = 9,
  recap = 10,
  instructions = 11,  // CLAUDE.md, AGENTS.md, GEMINI.md, rules of Cursor
  note = 12,          // Claude Code's own memory
};

struct MemoryTypeInfo {
  MemoryType id{};
  std::string_view name;
  MemoryDialect dialect{};
};
inline constexpr auto kMemoryTypes = std::to_array<MemoryTypeInfo>({
    {MemoryType::decision, "decision", MemoryDialect::plugin},
    {MemoryType::learning, "learning", MemoryDialect::plugin},
    {MemoryType::artifact, "artifact", MemoryDialect::plugin},
    {MemoryType::gotcha, "gotcha", MemoryDialect::plugin},
    {MemoryType::breadcrumb, "breadcrumb", MemoryDialect::plugin},
    {MemoryType::hub, "hub", MemoryDialect::plugin},
    {MemoryType::core, "core", MemoryDialect::repository},
    {MemoryType::fact, "fact", MemoryDialect::repository},
    {MemoryType::adr, "adr", MemoryDialect::repository},
    {MemoryType::playbook, "playbook", MemoryDialect::repository},
    {MemoryType::recap, "recap", MemoryDialect::repository},
    {MemoryType::instructions, "instructions", MemoryDialect::agent},
    {MemoryType::note, "note", MemoryDialect::agent},
});
std::string_view to_string(MemoryType t);
std::optional<MemoryType> parse_memory_type(std::string_view text);
MemoryDialect dialect_of(MemoryType t);
std::string memory_type_names(MemoryDialect d);  // "decision, learning, …", for messages

// The sources of a memory. Empty: not stated.
struct MemoryProvenance {
  std::vector<std::string> events;  // ids of events.v1
  std::vector<std::string> patches;
  std::vector<std::string> commits;
  std::vector<std::string> files;  // relative to the project
  std::string session;             // uid
  std::string exchange;            // id of its first event, or the id that a person gave
  bool empty() const;
  friend bool operator==(const MemoryProvenance&, const MemoryProvenance&) = default;
};

enum class VerificationStatus : std::uint8_t { unknown = 0, verified = 1, stale = 2 };
std::string_view to_string(VerificationStatus s);
std::optional<VerificationStatus> parse_verification_status(std::string_view text);

struct MemoryVerification {
  std::string last_verified_commit;  // empty: none
  VerificationStatus status = VerificationStatus::unknown;
  friend bool operator==(const MemoryVerification&, const MemoryVerification&) = default;
};

// A relation of the repository dialect, which is written in the front matter of its source.
struct MemoryRelation {
  std::string label;  // one of kDocumentRelations
  std::string target;
  friend auto operator<=>(const MemoryRelation&, const MemoryRelation&) = default;
};
inline constexpr std::array<std::string_view, 4> kDocumentRelations{"derives_from", "refers_to", "supersedes",
                                                                    "duplicates"};

struct MemoryLabel {
  std::string slug;  // plugin: the file's name; repository: `id`; agent: derived from the path. Unique in its scope
  MemoryType type = MemoryType::learning;
  std::string title;
  friend bool operator==(const MemoryLabel&, const MemoryLabel&) = default;
};

struct MemoryHead : MemoryLabel {
  std::vector<std::string> tags;
  TimeMs created = 0;  // 0: not stated
  TimeMs updated = 0;
  friend bool operator==(const MemoryHead&, const MemoryHead&) = default;
};

struct Memory : MemoryHead {
  MemoryDialect dialect = MemoryDialect::plugin;
  MemoryScope scope = MemoryScope::global;
  std::vector<std::string> links;         // plugin: slugs
  std::vector<MemoryRelation> relations;  // repository
  MemoryProvenance provenance;
  MemoryVerification verification;
  std::string content;  // after the front matter, byte for byte
  std::filesystem::path path;
  std::string file_hash;  // SHA-256 of the whole file in hexadecimal digits
};

inline constexpr std::size_t kMaxMemoryTitle = 200;       // characters, not bytes
inline constexpr std::size_t kMaxMemoryContent = 50'000;  // characters
inline constexpr std::size_t kMaxMemoryWord = 50;         // characters of a tag or a label
inline constexpr std::size_t kMaxMemorySlug = 200;        // bytes: it is a file name

// Checks a slug: ^[a-z0-9]+(-[a-z0-9]+)*$, at most kMaxMemorySlug bytes.
bool is_memory_slug(std::string_view text);
// Checks a tag or a label: a slug of at most kMaxMemoryWord characters.
bool is_memory_word(std::string_view text);
// Checks a document id of the repository dialect: ^[A-Za-z0-9]+([._-][A-Za-z0-9]+)*$
bool is_document_id(std::string_view text);
// Returns a slug for a text: lower case, with one hyphen for each run of other characters than ASCII letters and
// digits. Empty if nothing is left.
std::string slug_of(std::string_view text);
// Returns the slug of a new memory: its type and its title, at most 60 characters.
std::string default_slug(MemoryType type, std::string_view title);

// Returns the label of the reverse edge: implements ↔ implemented-by and so on. For a label that is not in the table,
// adds or removes the prefix "inverse-of-". inverse_label(inverse_label(x)) == x.
std::string inverse_label(std::string_view label);
// Returns whether the text and its inverse label are memory words, each the inverse of the other.
bool is_edge_label(std::string_view text);

// One direction of an edge. A graph of memories contains both.
struct MemoryEdge {
  std::string source;
  std::string target;
  std::string label;
  TimeMs created = 0;
  friend bool operator==(const MemoryEdge&, const MemoryEdge&) = default;
};

// A problem of a memory or its directory. Names are part of `memd memory health --json`.
enum class MemoryProblemKind : std::uint8_t {
  invalid_file,   // a rule of the dialect is broken
  conflict_copy,  // a version that was replaced by a manual edit
  duplicate,      // a second memory with the same id
  broken_link,
  one_way_edge,
  missing_index_entry,
  stale_index_entry,
  corrupt_index,
  corrupt_graph,
  orphan,
  empty_hub,
  secret,
  low_quality,
  stale,  // verification says so
  orphan_cache,
  bad_config,  // config.json beside memories
};
std::string_view to_string(MemoryProblemKind k);

struct MemoryProblem {
  MemoryProblemKind kind = MemoryProblemKind::invalid_file;
  std::string slug;  // empty: not about one memory
  std::filesystem::path path;
  int line = 0;              // from 1; 0: not about one line
  std::string key;           // of the front matter; may be empty
  std::string message;       // what is wrong, and what to do
  std::string what() const;  // "key: message"
  std::string text() const;  // "path:line: key: message"
};

}  // namespace memd
