#pragma once

#include "adapters/snapshot_reader.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace memd::vibe {

inline constexpr std::string_view kCurrent = "CURRENT";  // the file that names the newest generation

// Reads a session of the unified store. Its history is a list of entries: those in the chunks that the manifest of the
// newest generation names, changed by the journal since. Vibe removes older generations, whose entries the newer ones
// have, too. `folder`: the session's; its name is the native id. `files` must outlive the reader.
//
// Items: {"entry": as written}; {"id", "time", "summary"} behind a compaction, if it is the last one, whose summary the
// checkpoint has. The head: {"cwd"?, "branch"?, "model"?, "title"?, "named"?, "parent"?, "session"?: as written}.
std::unique_ptr<SnapshotReader> open_session(const FileView& files, std::string folder);

}  // namespace memd::vibe
