#include "adapters/claude_code/paths.hpp"
#include "adapters/claude_code/record_decoder.hpp"
#include "adapters/registry.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/ids.hpp"

#include <algorithm>

namespace memd::claude_code {
namespace {

// Claude Code 1.0 … 2.1.x: JSON lines under <root>/projects. There is no public schema: the assumptions are documented
// where they are used, and tested against real transcripts. Stateless, thread-safe.
class ClaudeCodeAdapter final : public Adapter {
 public:
  const AdapterDescription& describe() const override {
    static const AdapterDescription description{
        .platform = Platform::claude_code,
        .adapter_version = "1.0.0",
        .data_completeness = DataCompleteness::full,
        .capabilities = all_capabilities_but({}),
        .limitations = {"Thinking that Claude Code stored only as a signature has no text.",
                        "If Claude Code deleted a transcript (by default after 30 days) before memd read it, only the "
                        "prompts are left, from its prompt history.",
                        "Subagents of early 2026 without their own file come from progress records, which lack their "
                        "texts between tool calls.",
                        "Its files of tasks and plans (~/.claude/todos, tasks, plans) are not read: transcripts have "
                        "the calls that write them."},
        .storage_locations = {"~/.claude/projects", "~/.config/claude/projects", "~/.claude-*/projects",
                              "~/.claude-profiles/*/projects", "$CLAUDE_CONFIG_DIR/projects",
                              "history.jsonl beside each of them"},
        .resume_command = {"claude", "--resume", "{id}"}};  // claude --help, 2.1
    return description;
  }

  std::vector<std::filesystem::path> roots(const HomeLayout& home) const override {
    std::vector<std::filesystem::path> roots = home.override_roots;
    if (roots.empty()) {
      for (const auto& place : home.places("CLAUDE_CONFIG_DIR", home.home / ".claude"))
        roots.push_back(place / "projects");
      // Claude Code knows no profiles: people set the variable to directories of these names.
      for (const char* place : {".config/claude", ".claude-*", ".claude-profiles/*"})
        roots.push_back(home.home / place / "projects");
    }
    // The prompt history is beside the transcripts' directory.
    const std::size_t folders = roots.size();
    for (std::size_t i = 0; i < folders; ++i)
      if (roots[i].filename() == "projects") roots.push_back(roots[i].parent_path() / "history.jsonl");
    return roots;
  }

  std::optional<SourceCandidate> classify(const std::filesystem::path& root,
                                          const std::filesystem::path& file) const override {
    const auto path = parse_source_path(file);
    if (!path || !is_source_place(root, file, *path)) return std::nullopt;
    const bool document = path->kind == SourceKind::agent_meta;
    return SourceCandidate{Platform::claude_code, file.string(), document ? SourceFormat::json : SourceFormat::jsonl};
  }

  std::string session_uid(const SourceCandidate& source, std::string_view head) const override {
    const auto path = parse_source_path(source.path);
    if (!path) return {};
    const auto native = native_session_id(*path, find_session_id(head));
    return native.empty() ? std::string() : make_session_uid(Platform::claude_code, native);
  }

  std::unique_ptr<RecordDecoder> open(const Source& source) const override {
    const auto path = parse_source_path(source.path);
    if (path && path->kind == SourceKind::history) return std::make_unique<HistoryDecoder>();
    return std::make_unique<Decoder>(source);
  }

  std::optional<std::string> event_text(std::string_view record, EventKind kind, std::uint16_t block) const override {
    Source source;
    source.platform = Platform::claude_code;
    Decoder decoder(source, Detail::full);
    EventBatch batch;
    decoder.decode({record, 1, false}, batch);  // offset other than 0: no session is introduced
    if (batch.events.empty()) HistoryDecoder(Detail::full).decode({record, 1, false}, batch);
    return take_text(batch, kind, block);
  }

  // Returns the copy beside the transcript ("<session>/tool-results/<name>"), never the path that the record contains.
  std::optional<std::filesystem::path> moved_out_text(const Source& source, std::string_view record) const override {
    constexpr std::string_view folder = "tool-results";
    const auto path = parse_source_path(source.path);
    const auto tag = record.find("<persisted-output>");
    if (!path || tag == std::string_view::npos) return std::nullopt;
    const auto at = record.find(folder, tag);
    if (at == std::string_view::npos || at + folder.size() >= record.size()) return std::nullopt;
    auto name = record.substr(at + folder.size());
    name.remove_prefix(std::min(name.find_first_not_of("/\\"), name.size()));
    const auto ok = [](char c) { return ascii::is_word(c) || c == '-' || c == '.'; };
    name = name.substr(0, static_cast<std::size_t>(std::find_if_not(name.begin(), name.end(), ok) - name.begin()));
    if (name.empty() || name.front() == '.') return std::nullopt;

    const std::filesystem::path file(source.path);
    auto session = file.parent_path() / (path->stem);  // main: <slug>/<session>.jsonl -> <slug>/<session>/
    if (path->kind == SourceKind::flat_agent) {
      const auto parts = split_session_uid(source.session_uid);
      if (!parts) return std::nullopt;
      session = file.parent_path() / std::string(id_of_client(root_session(parts->native_id)));
    } else if (path->kind == SourceKind::subagent) {
      session = file.parent_path().parent_path();
    } else if (path->kind == SourceKind::workflow_agent) {
      session = file.parent_path().parent_path().parent_path().parent_path();
    }
    return session / folder / std::string(name);
  }
};

}  // namespace

}  // namespace memd::claude_code

MEMD_ADAPTER(claude_code, claude_code::ClaudeCodeAdapter())
