#pragma once

#include "adapters/cline/folder.hpp"
#include "adapters/cline/task_messages.hpp"
#include "adapters/snapshot/held_items.hpp"
#include "adapters/snapshot_reader.hpp"

#include <span>
#include <string>
#include <vector>

namespace memd::cline {

// Reads a task of generation 1 as a session. Its items are the interface messages (see task_messages.hpp), followed by
// the entries of the model history of which those tell nothing: all of them where the messages are lost, the last ones
// where they were cut. One thread at a time; `files` must outlive it.
//
// Items are one-line objects: {"key", "cwd"?, flags…, "block"?, "calls"?, "results"?, "ui": the message as written} of
// messages, {"key", "cwd"?, "time", "estimated"?, "calls"?, "message"} of entries. Entries of early Cline have no
// times: they follow the last message, or else the task's start, which its id contains. Their ledger bytes are those of
// the message; the history and the other files of the folder are in Plan::rest.
//
// Of a truncated document, the whole elements are returned. Stored items after the truncation are returned unchanged,
// so that nothing disappears while Cline writes. If the same truncated state is found again, its end is returned as
// damaged. Stored items also stay as they are where the messages or the history that told them were reset.
class TaskReader : public SnapshotReader {
 public:
  TaskReader(SourcePath path, const FileView& files) : path_(std::move(path)), files_(files) {}

  Result<Plan> plan(const std::string& mark) override;
  Result<std::optional<Session>> session(const std::string& session_key, std::span<const SourceItem> known) override;
  Result<std::string> item(const std::string& session_key, const std::string& item_key) override;

 private:
  Result<void> load(const std::string& mark);
  void build_items();
  std::string ui_item(const UiMessage& message, bool first) const;
  std::string entry_item(std::size_t index, std::int64_t time, std::string_view calls) const;
  void set_rest(Plan& plan) const;
  void keep_stored(std::span<const SourceItem> known, Session& session) const;

  SourcePath path_;
  const FileView& files_;

  bool loaded_ = false;
  bool show_torn_ = false;  // the truncated end is no write in progress
  std::string state_;       // state of the files, as one string
  std::vector<FileView::Entry> entries_;
  std::string main_name_;  // the document the items come from
  snapshot::Document main_;
  snapshot::Document history_document_;
  std::vector<UiMessage> messages_;
  std::vector<HistoryEntry> history_;
  std::string cwd_;
  bool subtask_ = false;
  bool cache_in_input_ = false;  // Roo Code and Kilo Code count cached tokens as input
  Item head_;
  std::vector<Item> items_;        // of the interface messages
  std::vector<Item> entry_items_;  // of the history; they follow
  std::size_t told_ = 0;           // entries of the history before those
  std::optional<Item> torn_;
  snapshot::HeldItems bytes_;
};

}  // namespace memd::cline
