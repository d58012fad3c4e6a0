#pragma once

#include "adapters/file_view.hpp"
#include "adapters/snapshot_reader.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd::cline {

// The files of a source: those directly in its folder, without the halves of writes.
struct Folder {
  std::vector<FileView::Entry> entries;
  std::string state;  // names, sizes and times as one word
  const FileView::Entry* find(std::string_view name) const;
};

// Errc::not_found when there is no such folder, or no file in it.
Result<Folder> read_folder(const FileView& files, const std::string& path);

// The file as it was listed. Errc::busy when it is another by now.
Result<std::string> read_whole(const FileView& files, const FileView::Entry& entry);

// A name for the ledger: ids in file names left out.
std::string companion_name(std::string_view file_name);

// The document ends in the middle: what the store knows from behind the cut is shown as it was (version 0).
void add_behind_cut(std::span<const SourceItem> known, std::vector<SnapshotReader::Item>& items);

}  // namespace memd::cline
