#pragma once

#include <string>
#include <string_view>

namespace memd::cursor {

// "file:///c%3A/Users/x" → "c:/Users/x", "file:///home/x%20y" → "/home/x y", "file://host/share" → "//host/share",
// "vscode-remote://ssh-remote%2Bbox/home/x" → "/home/x". Empty for other schemes. A plain path stays as it is.
std::string path_of_uri(std::string_view uri);

}  // namespace memd::cursor
