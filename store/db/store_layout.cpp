#include "store/db/store_layout.hpp"

#include "schemas/base/error.hpp"

namespace memd {

Result<std::filesystem::path> default_data_dir(const DataEnvironment& environment) {
  const std::filesystem::path xdg(environment.xdg_data_home);
  if (xdg.is_absolute()) return xdg / "memd";
  const std::filesystem::path home(environment.home);
  if (home.is_absolute()) return home / ".local" / "share" / "memd";
  return Error(Errc::bad_config,
               "no place for data: set HOME or XDG_DATA_HOME to an absolute path, or pass --data-dir");
}

}  // namespace memd
