#include "adapters/gemini/chat_reader.hpp"
#include "adapters/gemini/message_decoder.hpp"
#include "adapters/gemini/paths.hpp"
#include "adapters/gemini/prompt_log_reader.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/registry.hpp"
#include "schemas/ids.hpp"

namespace memd::gemini {
namespace fs = std::filesystem;
namespace {

// Returns the sessionId, which is among the first members in both formats.
std::string find_session_id(std::string_view head) {
  constexpr std::string_view name = "\"sessionId\"";
  const auto at = head.find(name);
  if (at == std::string_view::npos) return {};
  const auto open = head.find('"', at + name.size());
  const auto close = open == std::string_view::npos ? open : head.find('"', open + 1);
  if (close == std::string_view::npos) return {};
  std::string id;
  json::append_unescaped(head.substr(open + 1, close - open - 1), id);
  return id;
}

// Gemini CLI: one file per chat below ~/.gemini/tmp/<project>/chats, and the prompts of the project in logs.json.
// Formats: paths.hpp, chat_reader.hpp, prompt_log_reader.hpp. Stateless, thread-safe.
class GeminiAdapter final : public json::AdapterOf<MessageDecoder> {
 public:
  GeminiAdapter()
      : AdapterOf({.platform = Platform::gemini,
                   .adapter_version = "1.0.0",
                   .data_completeness = DataCompleteness::partial,
                   .capabilities = all_capabilities_but({Capability::session_stop, Capability::git_branch}),
                   .limitations =
                       {"Gemini CLI stores no git branch, and a working directory only for each project.",
                        "Of chats that Gemini CLI deleted before memd read them, or never recorded, only the prompts "
                        "are known, from logs.json."},
                   .storage_locations = {"~/.gemini/tmp", "$GEMINI_CLI_HOME/.gemini/tmp"},
                   .resume_command = {"gemini", "--resume", "{id}"}}) {}  // gemini --help, 0.61

  // An override is the folder with the projects, the .gemini above it, or the value of GEMINI_CLI_HOME.
  std::vector<fs::path> roots(const HomeLayout& home) const override {
    std::vector<fs::path> roots;
    if (home.override_roots.empty())
      for (const auto& place : home.places("GEMINI_CLI_HOME", home.home))
        roots.push_back(place / ".gemini" / "tmp");
    for (const auto& root : home.override_roots) {
      if (root.filename() == ".gemini") {
        roots.push_back(root / "tmp");
      } else {
        if (root.filename() != "tmp") roots.push_back(root / ".gemini" / "tmp");
        roots.push_back(root);
      }
    }
    return roots;
  }

  std::optional<SourceCandidate> classify(const fs::path& root, const fs::path& file) const override {
    if (const auto log = parse_prompt_log_path(file); log && log->root == root)
      return SourceCandidate{Platform::gemini, file.string(), SourceFormat::json};
    const auto path = parse_chat_path(file);
    if (!path || path->root != root) return std::nullopt;
    return SourceCandidate{Platform::gemini, file.string(), path->is_log ? SourceFormat::jsonl : SourceFormat::json};
  }

  bool looks_into(const fs::path& root, const fs::path& directory) const override {
    const fs::path inside = directory.lexically_relative(root);
    const auto depth = std::distance(inside.begin(), inside.end());
    if (inside.empty() || *inside.begin() == "..") return false;
    if (depth < 2) return true;
    return *std::next(inside.begin()) == "chats" && depth <= 3;
  }

  std::string session_uid(const SourceCandidate& source, std::string_view head) const override {
    const auto path = parse_chat_path(source.path);
    if (!path) return {};
    const std::string named = find_session_id(head);
    if (named.empty() && path->parent.empty()) return {};
    return make_session_uid(Platform::gemini, native_session_id(*path, named));
  }

  std::unique_ptr<SnapshotReader> open_snapshot(const Source& source, const FileView& files) const override {
    if (auto log = parse_prompt_log_path(source.path))
      return std::make_unique<PromptLogReader>(files, source.path, std::move(*log));
    auto path = parse_chat_path(source.path);
    if (!path) return nullptr;
    return open_chat(files, source.path, std::move(*path));
  }
};

}  // namespace

}  // namespace memd::gemini

MEMD_ADAPTER(gemini, gemini::GeminiAdapter())
