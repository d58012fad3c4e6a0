#include "adapters/codex/decoders.hpp"
#include "adapters/registry.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

// Locations of Codex data below $CODEX_HOME (~/.codex):
//
//   sessions/YYYY/MM/DD/rollout-<local time>-<id>[_<revision>].jsonl[.zst]   rollout
//   archived_sessions/rollout-….jsonl[.zst]                                 rollout
//   session_index.jsonl                                                     session_index (names of threads)
//   history.jsonl                                                           history (prompts typed in the terminal)
namespace memd::codex {
namespace fs = std::filesystem;
namespace {

enum class SourceKind : std::uint8_t { rollout, session_index, history };

struct SourcePath {
  SourceKind kind = SourceKind::rollout;
  std::string id;  // id in a rollout's name; empty when the name has none
};

constexpr std::string_view kPrefix = "rollout-";
constexpr std::size_t kUuid = 36;

// Returns the string value of the first `key` ("\"id\":") in a piece of JSON that is a thread id.
std::string_view thread_id_of(std::string_view json, std::string_view key) {
  for (auto at = json.find(key); at != std::string_view::npos; at = json.find(key, at + key.size())) {
    auto rest = json.substr(at + key.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    if (rest.starts_with('"') && rest.size() > kUuid + 1 && rest[kUuid + 1] == '"' && is_uuid(rest.substr(1, kUuid)))
      return rest.substr(1, kUuid);
  }
  return {};
}

// Parses the file's name only. nullopt if the name is not that of a source.
std::optional<SourcePath> parse_source_path(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  if (name == "session_index.jsonl") return SourcePath{SourceKind::session_index, {}};
  if (name == "history.jsonl") return SourcePath{SourceKind::history, {}};
  std::string_view stem = name;
  if (stem.ends_with(".zst")) stem.remove_suffix(4);
  if (!stem.starts_with(kPrefix) || !stem.ends_with(".jsonl")) return std::nullopt;
  stem.remove_suffix(6);
  SourcePath path;
  // Name: rollout-2026-07-26T06-37-23-<id>, followed by "_<revision>" for a thread that was reset to an earlier point.
  stem = stem.substr(0, stem.find('_'));
  if (stem.size() > kUuid && is_uuid(stem.substr(stem.size() - kUuid))) path.id = stem.substr(stem.size() - kUuid);
  return path;
}

// Returns the thread id in a rollout's first record: the session_meta, or in the oldest files the bare object in its
// place. Empty when the bytes do not contain it.
std::string_view find_thread_id(std::string_view head) {
  head = head.substr(0, head.find('\n'));
  // "session_id" identifies the tree of agents a thread belongs to, "id" the thread.
  const bool enveloped = head.find("\"session_meta\"") != std::string_view::npos;
  return enveloped || head.starts_with("{\"id\"") ? thread_id_of(head, "\"id\":") : std::string_view{};
}

bool is_rollout_folder(const fs::path& name) { return name == "sessions" || name == "archived_sessions"; }

// OpenAI Codex (command line, editor extension, desktop app), since its first rollouts of 2025: JSON lines under
// $CODEX_HOME. The format is that of its public source (openai/codex, codex-rs/protocol and codex-rs/rollout), tested
// against real rollouts. An override root is a CODEX_HOME, or a directory with rollouts below it. Stateless,
// thread-safe.
class CodexAdapter final : public Adapter {
 public:
  const AdapterDescription& describe() const override {
    static const AdapterDescription description{
        .platform = Platform::codex,
        .adapter_version = "1.0.0",
        .data_completeness = DataCompleteness::full,
        .capabilities = all_capabilities_but({Capability::session_stop}),
        .limitations =
            {"Reasoning that Codex stored encrypted has no text.",
             "Files changed by shell commands are known only if the command contains a patch.",
             "In forks without message ids, texts of the origin repeated within five seconds of the fork's start count "
             "as copies; so do the origin's earlier texts, if the fork was read first.",
             "Turns that were undone stay in the history, with a note.",
             "Sessions with another CODEX_HOME are read if memd has the same variable, or the configuration names it."},
        .storage_locations = {"~/.codex/sessions", "~/.codex/archived_sessions", "~/.codex/session_index.jsonl",
                              "~/.codex/history.jsonl",
                              "the same below ~/.codex-*, ~/.codex-profiles/* and $CODEX_HOME"},
        .resume_command = {"codex", "resume", "{id}"}};  // codex --help, 0.169
    return description;
  }

  std::vector<fs::path> roots(const HomeLayout& home) const override {
    if (!home.override_roots.empty()) return home.override_roots;
    auto places = home.places("CODEX_HOME", home.home / ".codex");
    // Codex knows no profiles of this kind: people set the variable to directories of these names.
    for (const char* place : {".codex-*", ".codex-profiles/*"})
      places.push_back(home.home / place);
    std::vector<fs::path> roots;
    for (const auto& place : places)
      for (const char* name : {"sessions", "archived_sessions", "session_index.jsonl", "history.jsonl"})
        roots.push_back(place / name);
    return roots;
  }

  std::optional<SourceCandidate> classify(const fs::path& root, const fs::path& file) const override {
    const auto path = parse_source_path(file);
    if (!path) return std::nullopt;
    // The two lists are in CODEX_HOME itself.
    if (path->kind != SourceKind::rollout && file != root && file.parent_path() != root) return std::nullopt;
    return SourceCandidate{Platform::codex, file.string(), SourceFormat::jsonl};
  }

  // A CODEX_HOME also contains logs, work trees and plug-ins.
  bool looks_into(const fs::path& root, const fs::path& directory) const override {
    if (is_rollout_folder(root.filename()) || directory.parent_path() != root) return true;
    const std::string name = directory.filename().string();
    return is_rollout_folder(name) || std::all_of(name.begin(), name.end(), ascii::is_digit);
  }

  std::string session_uid(const SourceCandidate& source, std::string_view head) const override {
    const auto path = parse_source_path(source.path);
    if (!path || path->kind != SourceKind::rollout) return {};
    const auto told = find_thread_id(head);
    const std::string id = told.empty() ? path->id : std::string(told);
    return id.empty() ? std::string() : make_session_uid(Platform::codex, id);
  }

  std::unique_ptr<RecordDecoder> open(const Source& source) const override {
    const auto path = parse_source_path(source.path);
    if (path && path->kind == SourceKind::session_index) return std::make_unique<SessionIndexDecoder>();
    if (path && path->kind == SourceKind::history) return std::make_unique<HistoryDecoder>();
    return std::make_unique<RolloutDecoder>(source);
  }

  std::optional<std::string> event_text(std::string_view record, EventKind kind, std::uint16_t block) const override {
    Source source;
    source.platform = Platform::codex;
    EventBatch batch;
    RolloutDecoder(source, Detail::full).decode({record, 1, false}, batch);
    if (batch.events.empty()) HistoryDecoder(Detail::full).decode({record, 1, false}, batch);
    return take_text(batch, kind, block);
  }
};

}  // namespace

}  // namespace memd::codex

MEMD_ADAPTER(codex, codex::CodexAdapter())
