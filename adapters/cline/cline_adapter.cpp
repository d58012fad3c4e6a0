#include "adapters/cline/folder.hpp"
#include "adapters/cline/item_decoder.hpp"
#include "adapters/cline/session_reader.hpp"
#include "adapters/cline/task_reader.hpp"
#include "adapters/registry.hpp"

#include <algorithm>
#include <utility>

namespace memd::cline {
namespace {

// The capabilities and limits of tasks, which the forks have, too.
AdapterDescription describe_tasks(Platform platform, const std::string& extension) {
  return {.platform = platform,
          .adapter_version = "1.0.0",
          .data_completeness = DataCompleteness::full,
          .capabilities = all_capabilities_but({Capability::session_stop, Capability::git_branch}),
          .limitations =
              {"Where the interface messages of a task are lost or cut, the model's history tells the rest; its early "
               "entries have no times.",
               "Failures of tools are inferred in tasks from the wording of the results."},
          // Per editor; remote servers store the same under ~/.vscode-server/data and the like.
          .storage_locations = {"~/.config/<editor>/User/globalStorage/" + extension + "/tasks",
                                "~/Library/Application Support/<editor>/User/globalStorage/" + extension + "/tasks",
                                "%APPDATA%\\<editor>\\User\\globalStorage\\" + extension + "\\tasks"},
          .resume_command = {}};
}

// Cline in both generations (public source: cline/cline), and the extensions made from it, which keep tasks in the same
// way. Formats: task_messages.hpp, session_reader.hpp. Stateless, thread-safe.
class ClineAdapter final : public json::AdapterOf<ItemDecoder> {
 public:
  ClineAdapter(std::string extension, AdapterDescription description)
      : AdapterOf(std::move(description)), extension_(std::move(extension)) {}

  std::vector<std::filesystem::path> roots(const HomeLayout& home) const override {
    if (!home.override_roots.empty()) return home.override_roots;
    auto roots = extension_roots(home.home, extension_);
    if (describe().platform != Platform::cline) return roots;
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
    return SourceCandidate{describe().platform, path->main, SourceFormat::json};
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
    path->platform = describe().platform;
    if (path->generation == Generation::session) return open_session(files, std::move(*path));
    return std::make_unique<TaskReader>(std::move(*path), files);
  }

 private:
  const std::string extension_;
};

AdapterDescription describe_cline() {
  AdapterDescription d = describe_tasks(Platform::cline, "saoudrizwan.claude-dev");
  d.capabilities = {kAllCapabilities.begin(), kAllCapabilities.end()};
  d.limitations.insert(
      d.limitations.end(),
      {"Prompts and results of sessions in ~/.cline/data/sessions have times in version 3.0.65; those of earlier "
       "versions are placed just before the next answer.",
       "Only those sessions record failures of tools, and a git branch, one for the session: the last one.",
       "Of several compactions of such a session the disk has the last: the others are known if memd read them."});
  d.storage_locations.insert(d.storage_locations.end(), {"~/.cline/data/tasks", "~/.cline/data/sessions",
                                                         "the same two below $CLINE_DIR/data and $CLINE_DATA_DIR"});
  d.resume_command = {"cline", "--id", "{id}"};  // cline --help, 3.0
  return d;
}

ClineAdapter fork(Platform platform, const std::string& extension) {
  AdapterDescription d = describe_tasks(platform, extension);
  const std::string name(name_of(platform));
  d.limitations.push_back("Some versions of " + name +
                          " count cached tokens as input; memd subtracts them where the numbers allow it.");
  d.limitations.push_back("Follows the public source; no real data was seen.");
  return {extension, std::move(d)};
}

}  // namespace

}  // namespace memd::cline

MEMD_ADAPTER(cline, cline::ClineAdapter("saoudrizwan.claude-dev", cline::describe_cline()))

// Roo Code (public source: RooCodeInc/Roo-Code).
MEMD_ADAPTER(roo_code, cline::fork(Platform::roo_code, "rooveterinaryinc.roo-cline"))

// Kilo Code before 2026 (public source: Kilo-Org/kilocode). Later versions keep their sessions as Kilo does.
MEMD_ADAPTER(kilo_code, cline::fork(Platform::kilo_code, "kilocode.kilo-code"))
