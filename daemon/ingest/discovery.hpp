#pragma once

#include "adapters/adapter.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memd {

// Knows which storage to read: the active adapters and where their agents keep things. Constant after construction;
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
  // Of a platform that is read (it may have no root: what is imported), else null.
  const Adapter* adapter(Platform platform) const;
  // Platforms whose adapter speaks another contract than this daemon: they are not read.
  const std::vector<const Adapter*>& unsupported() const { return unsupported_; }

  // Every source below `under` (a root, a directory in or above one, or a single file), each once under the name of its
  // main file, oldest change first, then by path: a fork is then read after what it was forked from. Symbolic links to
  // directories are not followed, nor directories entered that their adapter does not look into.
  // `unlisted`, if given: why not all directories could be listed, if another look may list them: this process has no
  // more descriptors or memory, or the disk failed.
  std::vector<SourceCandidate> find(const std::filesystem::path& under, std::error_code* unlisted = nullptr) const;
  std::vector<SourceCandidate> find_all(std::error_code* unlisted = nullptr) const;

  // The directories below `under` that a source can stand in, itself included: what has to be watched. All roots when
  // `under` is empty.
  std::vector<std::filesystem::path> directories(const std::filesystem::path& under = {}) const;

  // The source that a file is, or is a part of; the file need not exist.
  std::optional<SourceCandidate> classify(const std::filesystem::path& file) const;
  // Of a file or directory that is a part of a source it does not tell the path of: that source's platform and file
  // name (Adapter::part_of).
  struct NamedSource {
    Platform platform{};
    std::string name;
  };
  std::optional<NamedSource> part_of(const std::filesystem::path& file) const;
  // The root a source is found under; null when it is not found by any.
  const Root* root_of(const std::filesystem::path& file) const;

 private:
  std::vector<const Adapter*> read_;
  std::vector<Root> roots_;
  std::vector<const Adapter*> unsupported_;
};

// Whether `path` is `directory` or stands below it. By name only.
bool is_inside(const std::filesystem::path& path, const std::filesystem::path& directory);

}  // namespace memd
