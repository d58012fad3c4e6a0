#include "adapters/claude_code/paths.hpp"
#include "adapters/claude_code/record_decoder.hpp"
#include "adapters/json/json_writer.hpp"
#include "adapters/json/record_builder.hpp"
#include "adapters/json/value_scanner.hpp"
#include "adapters/registry.hpp"
#include "adapters/snapshot/held_source.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/stamp.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <memory>

// Claude Desktop's local agent mode ("Cowork") runs a Claude Code for each session, whose transcripts lie below
// <root>/<organisation>/<workspace>/local_<id>/.claude/projects; local_<id>.json beside that folder names the session
// (sessionId, cliSessionId, title, userSelectedFolders, createdAt in ms). Layout: kenn-io/agentsview,
// internal/parser/cowork.go @538600744d1b.
namespace memd::claude_code {
namespace {

namespace fs = std::filesystem;
using namespace json;  // NOLINT(google-build-using-namespace): the whole file reads JSON

MEMD_KEYS(Meta, title, createdAt);

bool is_session_folder(const fs::path& folder) { return folder.filename().string().starts_with("local_"); }

bool is_meta(const fs::path& file) { return is_session_folder(file) && file.extension() == ".json"; }

// Returns the folder .claude/projects that the file is in; empty: in none.
fs::path projects_above(const fs::path& root, const fs::path& file) {
  for (fs::path folder = file.parent_path(); folder != root && folder.has_relative_path();
       folder = folder.parent_path())
    if (folder.filename() == "projects" && folder.parent_path().filename() == ".claude" &&
        is_session_folder(folder.parent_path().parent_path()))
      return folder;
  return {};
}

// Reads local_<id>.json: what it says about the session, whose events are in the transcript.
class MetaReader final : public snapshot::HeldSource {
 public:
  using HeldSource::HeldSource;

 protected:
  Result<void> read() override {
    MEMD_TRY_ASSIGN(std::string text, files_.read(path_));
    size_ = text.size();
    std::string id;
    ValueScanner scanner(text);
    const bool whole = scanner.members([&](std::string_view key, std::string_view value) {
      if (key == "cliSessionId") id = unescaped(value);
    });
    if (!whole) return Error(Errc::busy, "the file is being written");
    note("(structure)", Disposition::indexed, {}, size_);
    if (!id.empty()) add_session(id, make_session_uid(Platform::claude_desktop, id)).add_head(compacted(text));
    return {};
  }
};

class MetaDecoder final : public KeyedDecoder<Meta> {
 public:
  explicit MetaDecoder(const Source& source)
      : KeyedDecoder(Platform::claude_desktop, source.session_uid, Detail::stored, {.items = true}) {}

 protected:
  RecordOutcome read(od::object& /*root*/, RawRef raw, EventBatch& out) override {
    RecordBuilder c(Platform::claude_desktop, session_uid_, raw, detail_, out);
    c.time = from_unix_number(fraction(keys_.createdAt).value_or(0));
    SessionUpdate& session = c.add_session();
    session.title = one_line(c.text(keys_.title), 300);
    session.title_rank = session.title.empty() ? TitleRank::none : TitleRank::ai;
    session.started_at = c.time;
    return c.finish(RecordOutcome::indexed(), "session");
  }
};

// A path in the configuration is a folder like local-agent-mode-sessions. Stateless, thread-safe.
class ClaudeDesktopAdapter final : public Adapter {
 public:
  const AdapterDescription& describe() const override {
    static const AdapterDescription description{
        .platform = Platform::claude_desktop,
        .adapter_version = "1.0.0",
        .data_completeness = DataCompleteness::full,
        .capabilities = all_capabilities_but({}),
        .limitations = {"Follows public readers of the files; no real data was seen.",
                        "Directories of sessions are those inside Claude's virtual machine (/sessions/…).",
                        "Chats with claude.ai are not on this machine: `memd import` reads claude.ai's export.",
                        "audit.jsonl, which repeats a session's messages, is not read."},
        .storage_locations = {"~/.config/Claude/local-agent-mode-sessions",
                              "~/Library/Application Support/Claude/local-agent-mode-sessions",
                              "%APPDATA%\\Claude\\local-agent-mode-sessions"},
        .resume_command = {}};  // it opens a session only in its own window
    return description;
  }

  std::vector<fs::path> roots(const HomeLayout& home) const override {
    if (!home.override_roots.empty()) return home.override_roots;
    std::vector<fs::path> roots;
    for (const char* place : {".config", "Library/Application Support", "AppData/Roaming",
                              "AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming"})
      roots.push_back(home.home / place / "Claude" / "local-agent-mode-sessions");
    return roots;
  }

  std::optional<SourceCandidate> classify(const fs::path& root, const fs::path& file) const override {
    const fs::path projects = projects_above(root, file);
    if (projects.empty())
      return is_meta(file) ? std::optional(SourceCandidate{Platform::claude_desktop, file.string(), SourceFormat::json})
                           : std::nullopt;
    const auto path = parse_source_path(file);
    if (!path || !is_source_place(projects, file, *path)) return std::nullopt;
    const bool document = path->kind == SourceKind::agent_meta;
    return SourceCandidate{Platform::claude_desktop, file.string(),
                           document ? SourceFormat::json : SourceFormat::jsonl};
  }

  // Sessions lie two levels down; their folders hold whole home directories.
  bool looks_into(const fs::path& root, const fs::path& directory) const override {
    const fs::path inside = directory.lexically_relative(root);
    const auto session = std::find_if(inside.begin(), inside.end(), is_session_folder);
    if (session == inside.end()) return std::distance(inside.begin(), inside.end()) <= 2;
    auto name = std::next(session);
    for (const char* expected : {".claude", "projects"})
      if (name != inside.end() && *name++ != expected) return false;
    return true;
  }

  std::string session_uid(const SourceCandidate& source, std::string_view head) const override {
    if (is_meta(source.path)) return {};
    const auto path = parse_source_path(source.path);
    if (!path) return {};
    const auto native = native_session_id(*path, find_session_id(head));
    return native.empty() ? std::string() : make_session_uid(Platform::claude_desktop, native);
  }

  std::unique_ptr<RecordDecoder> open(const Source& source) const override {
    if (is_meta(source.path)) return std::make_unique<MetaDecoder>(source);
    Source own = source;
    own.platform = Platform::claude_desktop;
    return std::make_unique<Decoder>(own);
  }

  std::unique_ptr<SnapshotReader> open_snapshot(const Source& source, const FileView& files) const override {
    return is_meta(source.path) ? std::make_unique<MetaReader>(files, source.path) : nullptr;
  }

  std::optional<std::string> event_text(std::string_view record, EventKind kind, std::uint16_t block) const override {
    return find_adapter(Platform::claude_code)->event_text(record, kind, block);
  }

  std::optional<fs::path> moved_out_text(const Source& source, std::string_view record) const override {
    return find_adapter(Platform::claude_code)->moved_out_text(source, record);
  }
};

}  // namespace
}  // namespace memd::claude_code

MEMD_ADAPTER(claude_desktop, claude_code::ClaudeDesktopAdapter())
