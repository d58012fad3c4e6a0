#include "adapters/opencode/database_reader.hpp"
#include "adapters/opencode/item_decoder.hpp"
#include "adapters/opencode/session_items.hpp"
#include "adapters/opencode/tree_reader.hpp"
#include "adapters/registry.hpp"
#include "schemas/ids.hpp"

#include <utility>

namespace memd::opencode {
namespace fs = std::filesystem;
namespace {

// opencode: a database since 1.2, a tree of files before (public source: sst/opencode, now anomalyco/opencode). And
// Kilo, a fork with the same tables (public source: Kilo-Org/kilocode, packages/opencode, 079e686; seen on
// disk, 7.7.9). Formats: session_items.hpp, database_changes.hpp. Stateless, thread-safe.
class OpencodeAdapter final : public json::AdapterOf<ItemDecoder> {
 public:
  explicit OpencodeAdapter(Program program) : AdapterOf(described(program)), program_(program) {}

  std::vector<fs::path> roots(const HomeLayout& home) const override {
    return home.roots_in("XDG_DATA_HOME", ".local/share", program_.name);
  }

  std::optional<SourceCandidate> classify(const fs::path& root, const fs::path& file) const override {
    auto path = parse_source_path(program_, file);
    if (!path || path->data != root) return std::nullopt;
    return SourceCandidate{program_.platform, std::move(path->path),
                           path->is_database ? SourceFormat::sqlite : SourceFormat::json};
  }

  // Excludes part/, which has a folder for each message: opencode rewrites a message when its parts are complete.
  bool looks_into(const fs::path& root, const fs::path& directory) const override {
    const fs::path storage = root / "storage";
    if (directory == root || directory == storage) return true;
    for (const fs::path& folder : {storage / "session", storage / "message"})
      if (directory == folder || directory.parent_path() == folder) return true;
    return false;
  }

  std::string part_of(const fs::path& root, const fs::path& file) const override {
    const fs::path messages = root / "storage" / "message";
    const fs::path folder = file.parent_path() == messages ? file : file.parent_path();
    const std::string session = folder.filename().string();
    return folder.parent_path() == messages && session.starts_with("ses_") ? session + ".json" : std::string();
  }

  std::string session_uid(const SourceCandidate& source, std::string_view) const override {
    const auto path = parse_source_path(program_, source.path);
    return path && !path->is_database ? make_session_uid(program_.platform, path->session_id) : std::string();
  }

  std::unique_ptr<SnapshotReader> open_snapshot(const Source& source, const FileView& files) const override {
    auto path = parse_source_path(program_, source.path);
    if (!path) return nullptr;
    if (path->is_database) return std::make_unique<DatabaseReader>(program_.platform, files, std::move(path->path));
    return open_tree(program_, files, std::move(*path));
  }

 private:
  static AdapterDescription described(const Program& program) {
    const std::string agent(name_of(program.platform));
    const std::string folder(program.name);
    return {.platform = program.platform,
            .adapter_version = "1.0.0",
            .data_completeness = DataCompleteness::partial,
            .capabilities = all_capabilities_but({Capability::session_stop, Capability::git_branch}),
            .limitations = {agent + " stores no git branch.",
                            "Turns removed by undo are known only if memd read them before.",
                            "Files of versions before 1.2 (storage/) are read until a database has the session.",
                            "In sessions with very many messages, changes of old ones are not detected."},
            .storage_locations = {"~/.local/share/" + folder, "$XDG_DATA_HOME/" + folder},
            .resume_command = {folder, "--session", "{id}"}};  // --help of opencode 1.18 and kilo 7.7
  }

  const Program program_;
};

}  // namespace

}  // namespace memd::opencode

MEMD_ADAPTER(opencode, opencode::OpencodeAdapter({Platform::opencode, "opencode"}))

MEMD_ADAPTER(kilo, opencode::OpencodeAdapter({Platform::kilo, "kilo"}))
