#include "adapters/cline/folder.hpp"
#include "adapters/cline/item_decoder.hpp"
#include "adapters/cline/session_reader.hpp"
#include "adapters/cline/task_reader.hpp"
#include "adapters/registry.hpp"

#include <algorithm>
#include <utility>

namespace memd::cline {
namespace {

// Cline in both generations, Roo Code, and Kilo Code before 2026. Formats: task_messages.hpp, session_reader.hpp (from
// the public sources cline/cline and RooCodeInc/Roo-Code). Stateless, thread-safe.
class ClineAdapter final : public json::AdapterOf<ItemDecoder> {
 public:
  const AdapterDescription& describe() const override {
    static const AdapterDescription description{
        .platform = Platform::cline,
        .adapter_version = "1.0.0",
        .data_completeness = DataCompleteness::full,
        .capabilities = {Capability::semantic_search, Capability::temporal_query, Capability::session_summary,
                         Capability::exchange_retrieval, Capability::token_metrics, Capability::file_context,
                         Capability::live_tail, Capability::tool_calls, Capability::compaction_markers,
                         Capability::cost, Capability::session_stop, Capability::git_branch},
        .limitations =
            {"Times and tokens come from the interface messages, complete tool inputs and results from the model's "
             "history; both are joined by conversationHistoryIndex, time or order.",
             "If the interface messages of a task are lost or cut, the model's history tells the rest. Early entries "
             "have no times: they follow the last message, or the start of the task.",
             "Prompts and results of sessions in ~/.cline/data/sessions have times in version 3.0.65; those of earlier "
             "versions are placed just before the next answer.",
             "Only those sessions record a git branch, one for the session: the last one.",
             "Of several compactions of such a session the disk has the last: the others are known if memd read them.",
             "Some versions of Roo Code count cached tokens as input; memd subtracts them where the numbers allow it.",
             "Failures of tools are recorded in those sessions; in tasks they are inferred from the wording of the "
             "results.",
             "The lines that an edit changes are counted from its input."},
        // Per editor; remote servers store the same under ~/.vscode-server/data and the like.
        .storage_locations = {"~/.config/<editor>/User/globalStorage/saoudrizwan.claude-dev/tasks",
                              "~/.config/<editor>/User/globalStorage/rooveterinaryinc.roo-cline/tasks",
                              "~/.config/<editor>/User/globalStorage/kilocode.kilo-code/tasks",
                              "~/Library/Application Support/<editor>/User/globalStorage/<extension>/tasks",
                              "%APPDATA%\\<editor>\\User\\globalStorage\\<extension>\\tasks", "~/.cline/data/tasks",
                              "~/.cline/data/sessions", "the same two below $CLINE_DIR/data and $CLINE_DATA_DIR"},
        .resume_command = {"cline", "--id", "{id}"},  // cline --help, 3.0
    };
    return description;
  }

  std::vector<std::filesystem::path> roots(const HomeLayout& home) const override {
    if (!home.override_roots.empty()) return home.override_roots;
    auto roots = default_roots(home.home);
    for (const auto& place : home.places("CLINE_DIR", home.home / ".cline"))
      for (auto& data : home.places("CLINE_DATA_DIR", place / "data"))
        if (std::find(roots.begin(), roots.end(), data) == roots.end()) roots.push_back(std::move(data));
    return roots;
  }

  std::optional<SourceCandidate> classify(const std::filesystem::path& root,
                                          const std::filesystem::path& file) const override {
    const auto relative = file.lexically_relative(root);
    if (relative.empty() || *relative.begin() == "..") return std::nullopt;
    const auto path = parse_source_path(file);
    if (!path) return std::nullopt;
    return SourceCandidate{Platform::cline, path->main, SourceFormat::json};
  }

  bool looks_into(const std::filesystem::path&, const std::filesystem::path& directory) const override {
    return !is_foreign_directory(directory);
  }

  std::string session_uid(const SourceCandidate&, std::string_view) const override {
    return {};  // determined by the reader: a folder can contain several sessions
  }

  std::unique_ptr<SnapshotReader> open_snapshot(const Source& source, const FileView& files) const override {
    auto path = parse_source_path(source.path);
    if (!path) return nullptr;
    if (path->generation == Generation::session) return std::make_unique<SessionReader>(std::move(*path), files);
    return std::make_unique<TaskReader>(std::move(*path), files);
  }
};

}  // namespace

}  // namespace memd::cline

template <>
const memd::Adapter& memd::adapter<memd::Platform::cline>() {
  static const cline::ClineAdapter instance;
  return instance;
}
