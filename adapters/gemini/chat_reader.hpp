#pragma once

#include "adapters/gemini/paths.hpp"

#include <memory>
#include <string>

namespace memd::gemini {

// Reads a chat file as one session (google-gemini/gemini-cli, chatRecordingService). A .json file is a document that is
// rewritten as a whole: truncated, it is being written (Errc::busy). A .jsonl file is a log whose later lines change
// earlier ones: a repeated message replaces the older one, "$rewindTo" removes a message and all after it, "$set"
// changes the header. "$set.messages" is the list the model sees from then on: messages missing in it keep their
// positions, new ones come after all others. After a compaction these are the summary, an answer that the client makes
// up for the model, and the turns that were kept, written again under new ids.
//
// The items are the messages, with "cwd" and what other messages tell of them: "compaction", "acknowledges", "repeats",
// "untold", "alike". The head contains the session's fields, with the project's working directory. A log without a
// whole line, which the agent just creates, contains no session yet. A changed file is read as a whole: it has a few
// megabytes at most, and a line of a log can change any earlier one. `files` must outlive the reader.
std::unique_ptr<SnapshotReader> open_chat(const FileView& files, std::string path, ChatPath place);

}  // namespace memd::gemini
