#pragma once

#include "adapters/file_view.hpp"

namespace memd {

// The real file system. Symbolic links are followed for files.
class DiskView : public FileView {
 public:
  std::optional<Entry> stat(const std::string& path) const override;
  Result<std::string> read(const std::string& path, std::uint64_t offset = 0,
                           std::uint64_t length = kAll) const override;
  std::vector<Entry> list(const std::string& directory) const override;
};

}  // namespace memd
