#pragma once

#include "adapters/adapter.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace memd {

// Which storage to read: the active adapters and where their agents keep things. Constant after construction;
// thread-safe.
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
  // Of a platform that is read, else null.
  const Adapter* adapter(Platform platform) const;

  // Every source below `under` (a root, a directory in one, or a single file), oldest change first, then by path:
  // a fork is then read after what it was forked from. Symbolic links to directories are not followed.
  std::vector<SourceCandidate> find(const std::filesystem::path& under) const;
  std::vector<SourceCandidate> find_all() const;

  // All directories that have to be watched.
  std::vector<std::filesystem::path> directories() const;

  std::optional<SourceCandidate> classify(const std::filesystem::path& file) const;

 private:
  std::vector<Root> roots_;
};

}  // namespace memd
