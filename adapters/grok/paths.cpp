#include "adapters/grok/paths.hpp"

#include "schemas/ascii.hpp"
#include "schemas/ids.hpp"

namespace memd::grok {
std::string decode_directory(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '%' || i + 2 >= name.size() || ascii::hex_value(name[i + 1]) < 0 ||
        ascii::hex_value(name[i + 2]) < 0) {
      out.push_back(name[i]);
      continue;
    }
    out.push_back(static_cast<char>(ascii::hex_value(name[i + 1]) * 16 + ascii::hex_value(name[i + 2])));
    i += 2;
  }
  // Long paths are replaced by a hash: no path, then.
  return out.starts_with('/') || (out.size() > 2 && out[1] == ':') ? out : std::string();
}

bool is_temporary(std::string_view name) {
  return name.ends_with(".tmp") || name.ends_with(".lock") || name.starts_with('.');
}

std::optional<SourcePath> parse_source_path(const std::filesystem::path& file) {
  const auto folder = file.parent_path();
  if (folder.parent_path().parent_path().filename() != "sessions") return std::nullopt;
  if (is_temporary(file.filename().string())) return std::nullopt;
  SourcePath path;
  path.folder = folder;
  path.id = folder.filename().string();
  if (!is_uuid(path.id)) return std::nullopt;
  path.main = (folder / kUpdates).string();
  path.cwd = decode_directory(folder.parent_path().filename().string());
  return path;
}

}  // namespace memd::grok
