#pragma once

#include "adapters/cline/folder.hpp"

#include <memory>

namespace memd::cline {

// Reads a session of generation 2. Its folder contains a manifest, a document of messages for the lead agent, and a
// document for each subagent, which is a session of its own. `files` must outlive the reader.
//
// Items are {"key", "record", "cwd"?, "time", "estimated"?, "copied"?, "message": as written}. Cline gives messages new
// ids and times when a session is resumed, so a message is identified by its content: an answer by its time, results by
// the id of the first call, a prompt by a hash of its text and by the answer that follows. A prompt has no time of its
// own: it gets one just before the next message, or else just after the previous one. The file of a compaction
// replaces that of the one before, which stays in the store: the key has the number of messages before it.
std::unique_ptr<SnapshotReader> open_session(const FileView& files, SourcePath path);

}  // namespace memd::cline
