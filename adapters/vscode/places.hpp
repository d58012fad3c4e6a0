#pragma once

#include "adapters/snapshot_reader.hpp"

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

// What VS Code and the editors made from it have in common: the folders of their data, and the URIs they write.
namespace memd::vscode {

// Returns the "User" folders of editors, which hold workspaceStorage and globalStorage: those of each name ("Code") on
// Linux, macOS and Windows, and of each server for remote work (".vscode-server"). They need not exist.
std::vector<std::filesystem::path> user_folders(const std::filesystem::path& home,
                                                std::initializer_list<std::string_view> editors,
                                                std::initializer_list<std::string_view> servers = {});

// Converts a URI to a path: "file:///c%3A/Users/x" → "c:/Users/x", "file:///home/x%20y" → "/home/x y",
// "file://host/share" → "//host/share", "vscode-remote://ssh-remote%2Bbox/home/x" → "/home/x". Empty for other schemes.
// Plain paths are returned unchanged.
std::string path_of_uri(std::string_view uri);

// Returns the folder in a workspace.json; empty when it names several, or none.
std::string folder_of_workspace(const FileView& files, const std::string& workspace);

}  // namespace memd::vscode
