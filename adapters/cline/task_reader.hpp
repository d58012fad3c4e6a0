#pragma once

#include "adapters/cline/folder.hpp"
#include "adapters/cline/task_messages.hpp"
#include "adapters/snapshot_reader.hpp"

#include <map>
#include <memory>
#include <string>

namespace memd::cline {

// Shows a task of generation 1 as a session. Its items are the messages of its interface (see task_messages.hpp) or,
// where those are lost, the entries of the history for the model. One thread at a time; `files` outlives it.
//
// Items are one-line objects: {"key", "cwd"?, flags…, "call"?, "calls"?, "results"?, "ui": the message as it stands}.
// Their ledger bytes are those of the message; the history and the other files of the folder are in Plan::rest.
//
// Of a document that ends in the middle, what is whole is shown. What the store has from behind the cut is shown as it
// was, so that nothing vanishes while Cline writes. The same torn state met again is shown as damaged.
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
  std::string head_item() const;
  void set_rest(Plan& plan) const;

  SourcePath path_;
  const FileView& files_;

  bool loaded_ = false;
  bool show_torn_ = false;  // the torn end is no write in progress
  std::string state_;       // of the files, as one word
  std::vector<FileView::Entry> entries_;
  std::string main_name_;  // of the document the items come from
  snapshot::Document main_;
  snapshot::Document history_document_;
  std::vector<UiMessage> messages_;
  std::vector<HistoryEntry> history_;
  std::string cwd_;
  bool subtask_ = false;
  bool cache_in_input_ = false;  // Roo Code and Kilo Code count cached tokens as input
  std::string head_;
  std::vector<Item> items_;
  std::optional<Item> torn_;
  std::map<std::string, std::string> bytes_;  // of each item
};

}  // namespace memd::cline
