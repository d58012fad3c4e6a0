#pragma once

#include "adapters/adapter.hpp"

#include <filesystem>
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
  };

  // `overrides` replaces the default roots of a platform; platforms in `disabled` are not read.
  Discovery(std::span<const Adapter* const> adapters, const std::filesystem::path& home,
            const std::map<Platform, std::vector<std::filesystem::path>>& overrides,
            const std::vector<Platform>& disabled);

  const std::vector<Root>& roots() const { return roots_; }
  // Returns the adapter of a platform that is read, else null. The platform may have no root (imported files).
  const Adapter* adapter(Platform platform) const;
  // Adapters whose contract version differs from this daemon's. They are not used.
  const std::vector<const Adapter*>& unsupported() const { return unsupported_; }

  // Returns every source below `under` (a root, a directory in or above one, or a single file). Each is listed once,
  // under the name of its main file, oldest change first, then by path. A fork is thus read after its origin. Does not
  // follow symbolic links to directories and does not enter directories that the adapter excludes.
  // `unlisted`, if given: the reason why some directories could not be listed although a retry may succeed: out of
  // descriptors or memory, or a disk error.
  std::vector<SourceCandidate> find(const std::filesystem::path& under, std::error_code* unlisted = nullptr) const;
  std::vector<SourceCandidate> find_all(std::error_code* unlisted = nullptr) const;

  // Returns the directories below `under`, itself included, that can hold a source and so need a watch. Empty `under`:
  // all roots.
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
  // Returns the root that a source is found under; null: under none.
  const Root* root_of(const std::filesystem::path& file) const;

 private:
  std::vector<const Adapter*> read_;
  std::vector<Root> roots_;
  std::vector<const Adapter*> unsupported_;
};

// Whether `path` is `directory` or lies below it, by name only.
bool is_inside(const std::filesystem::path& path, const std::filesystem::path& directory);

}  // namespace memd
