#include "adapters/vscode/places.hpp"

#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"
#include "schemas/base/ascii.hpp"

namespace memd::vscode {
namespace {

bool is_drive(std::string_view path) { return path.size() >= 2 && ascii::is_letter(path[0]) && path[1] == ':'; }

}  // namespace

std::vector<std::filesystem::path> user_folders(const std::filesystem::path& home,
                                                std::initializer_list<std::string_view> editors,
                                                std::initializer_list<std::string_view> servers) {
  std::vector<std::filesystem::path> folders;
  for (const char* place : {".config", "Library/Application Support", "AppData/Roaming"})
    for (const auto editor : editors)
      folders.push_back(home / place / editor / "User");
  for (const auto server : servers)
    folders.push_back(home / server / "data" / "User");
  return folders;
}

std::string path_of_uri(std::string_view uri) {
  constexpr std::string_view file = "file://";
  constexpr std::string_view remote = "vscode-remote://";
  if (uri.starts_with('/') || is_drive(uri)) return std::string(uri);
  const bool is_file = uri.starts_with(file);
  if (!is_file && !uri.starts_with(remote)) return {};
  uri.remove_prefix(is_file ? file.size() : remote.size());
  const auto slash = uri.find('/');
  if (slash == std::string_view::npos) return {};
  const auto host = uri.substr(0, slash);
  std::string path = json::percent_decoded(uri.substr(slash));
  if (is_drive(std::string_view(path).substr(1))) path.erase(0, 1);
  if (is_file && !host.empty()) path.insert(0, "//" + std::string(host));
  while (path.size() > 3 && path.back() == '/')
    path.pop_back();
  return path;
}

std::string folder_of_workspace(const FileView& files, const std::string& workspace) {
  using namespace json;  // NOLINT(google-build-using-namespace)
  const auto text = files.read(workspace + "/workspace.json");
  if (!text) return {};
  InnerJson json;
  od::value folder;
  return json.open(*text) && seek(json.root, "folder", folder) ? path_of_uri(unescaped(token_of(folder)))
                                                               : std::string();
}

}  // namespace memd::vscode
