#pragma once

#include "schemas/base/result.hpp"

#include <filesystem>
#include <string>

namespace memd {

// Environment variables that determine where a user's data lives. Empty: not set.
struct DataEnvironment {
  std::string xdg_data_home;
  std::string home;
};

// Returns $XDG_DATA_HOME/memd if that is an absolute path (the XDG specification requires relative ones to be ignored),
// else $HOME/.local/share/memd. Errc::bad_config when neither gives an absolute path.
Result<std::filesystem::path> default_data_dir(const DataEnvironment& environment);

// File names inside a data directory (docs/store-format.md). A value; accesses no file.
class StoreLayout {
 public:
  explicit StoreLayout(std::filesystem::path data_dir) : data_dir_(std::move(data_dir)) {}

  const std::filesystem::path& data_dir() const { return data_dir_; }
  std::filesystem::path database() const { return data_dir_ / "memd.db"; }
  std::filesystem::path rebuild() const { return data_dir_ / "memd.db.rebuild"; }  // exists while a rebuild writes it
  std::filesystem::path before_rebuild() const { return data_dir_ / "memd.db.old"; }
  std::filesystem::path raw_dir() const { return data_dir_ / "raw"; }
  std::filesystem::path imports() const { return data_dir_ / "imports"; }  // decompressed copies, while they are read
  std::filesystem::path summaries() const { return data_dir_ / "summaries.db"; }
  std::filesystem::path withheld() const { return data_dir_ / "withheld"; }

 private:
  std::filesystem::path data_dir_;
};

}  // namespace memd
