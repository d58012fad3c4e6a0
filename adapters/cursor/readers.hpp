#pragma once

#include "adapters/cursor/places.hpp"
#include "adapters/snapshot_reader.hpp"

#include <memory>

// The readers of the sources that are read as a whole (snapshot::HeldSource). `files` must outlive them.
namespace memd::cursor {

// Reads a chat of cursor-agent as one session. store.db contains blobs named by their content. The root blob lists the
// messages of the current branch; other blobs are older branches.
std::unique_ptr<SnapshotReader> open_chat_store(const FileView& files, SourcePlace place);

// Reads a transcript under ~/.cursor/projects/<slug>/agent-transcripts: JSON lines, or plain text under "user:" and
// "assistant:". Transcripts have no ids and results, and times only in the prompts of newer versions (prompt_text.hpp),
// so one is read only if neither the IDE's nor cursor-agent's database contains the conversation. Items are numbered
// lines or paragraphs, because the files grow at the end.
std::unique_ptr<SnapshotReader> open_transcript(const FileView& files, SourcePlace place);

// Reads the data that a workspace's own state.vscdb had before the global one existed: chat tabs up to 0.45,
// conversations up to late 2024, and the history of prompts. They are four rows of its ItemTable, read by key.
std::unique_ptr<SnapshotReader> open_workspace_state(const FileView& files, SourcePlace place);

}  // namespace memd::cursor
