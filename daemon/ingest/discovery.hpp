#pragma once

#include "adapters/adapter.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memd {

// The storage to read: the active adapters and the roots where their agents keep data. Constant after construction;
// thread-safe. The adapters must outlive it.
class Discovery {
 public:
  struct Root {
    const Adapter* adapter = nullptr;
    std::filesystem::path path;
    bool is_own = true;  // the agent's own directory, not one named by the configuration: see SourceRoots
  };

  // `overrides` replaces the default roots of a platform; platforms in `disabled` are not read. `directory_of`:
  // HomeLayout::directory_of; `projects`: HomeLayout::projects. Lists the directories that match a root with a `*`, as
  // they are now.
  Discovery(std::span<const Adapter* const> adapters, const std::filesystem::path& home,
            const std::map<Platform, std::vector<std::filesystem::path>>& overrides,
            const std::vector<Platform>& disabled,
            std::function<std::filesystem::path(const char* name)> directory_of = nullptr,
            const std::vector<std::filesystem::path>& projects = {});

  const std::vector<Root>& roots() const { return roots_; }
  std::vector<std::filesystem::path> root_paths() const;
  // Returns the adapter of a platform that is read, else null. The platform may have no root (imported files).
  const Adapter* adapter(Platform platform) const;
  // Adapters whose contract version differs from this daemon's. They are not used.
  const std::vector<const Adapter*>& unsupported() const { return unsupported_; }

  // Returns every source below `under` (a root, a directory in or above one, or a single file). Each is listed once,
  // under the name of its main file, oldest change first, then by path. A fork is thus read after its origin. Follows
  // symbolic links as SourceRoots does, but each place is searched once. Does not enter directories that the adapter
  // excludes.
  // `unlisted`, if given: the reason why some directories could not be listed although a retry may succeed: out of
  // descriptors or memory, or a disk error.
  std::vector<SourceCandidate> find(const std::filesystem::path& under, std::error_code* unlisted = nullptr) const;
  std::vector<SourceCandidate> find_all(std::error_code* unlisted = nullptr) const;

  // Returns the directories below `under`, itself included, that can hold a source and so need a watch, and sources
  // that are links to a file elsewhere. Empty `under`: all roots.
  std::vector<std::filesystem::path> directories(const std::filesystem::path& under = {}) const;

  // Returns the source that a file is or is a part of. The file need not exist.
  std::optional<SourceCandidate> classify(const std::filesystem::path& file) const;
  // Returns the platform and file name of a source that `file` is a part of when the path of that source does not
  // follow from it (Adapter::part_of).
  struct NamedSource {
    Platform platform{};
    std::string name;
  };
  std::optional<NamedSource> part_of(const std::filesystem::path& file) const;
  // Returns whether the file is a link to a file that is a source by its own name.
  bool is_second_name(const std::filesystem::path& file) const;
  // Returns the places that seem to hold agents' data and are not read: links that are not followed, and directories
  // that have come to match a root with a `*` since this object was made. Searches the roots.
  struct UnreadPlace {
    std::string what;
    std::string remedy;  // what to configure
  };
  std::vector<UnreadPlace> unread_places() const;
  // Returns the root that a source is found under; null: under none.
  const Root* root_of(const std::filesystem::path& file) const;

 private:
  void add_root(Root root);
  bool has_root(const Root& root) const;

  std::vector<const Adapter*> read_;
  std::vector<Root> roots_;
  std::vector<const Adapter*> unsupported_;
  std::vector<Root> patterns_;  // roots with a `*`
};

}  // namespace memd
