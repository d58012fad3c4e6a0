#pragma once

#include "adapters/opencode/session_items.hpp"
#include "adapters/snapshot_reader.hpp"

#include <memory>

namespace memd::opencode {

// Reads a session of the versions before 1.2: its own file, which is the source, and a file for each message and each
// part. A message whose id is in an adjacent database was migrated and is left to DatabaseReader, and so is the
// session's own file once the database has the session. `files` must outlive the reader.
std::unique_ptr<SnapshotReader> open_tree(const Program& program, const FileView& files, SourcePath path);

}  // namespace memd::opencode
