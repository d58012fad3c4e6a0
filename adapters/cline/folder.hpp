#pragma once

#include "adapters/file_view.hpp"
#include "adapters/snapshot_reader.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Where Cline and its forks keep things, under editors, remote servers and on their own. One source is one folder: a
// task of an extension ("tasks/<id>/") or a session of the newer store ("sessions/<id>/").
namespace memd::cline {

inline constexpr std::string_view kUiMessages = "ui_messages.json";
inline constexpr std::string_view kOldUiMessages = "claude_messages.json";  // before October 2024
inline constexpr std::string_view kApiHistory = "api_conversation_history.json";
inline constexpr std::string_view kTaskMetadata = "task_metadata.json";
inline constexpr std::string_view kHistoryItem = "history_item.json";  // Roo Code
inline constexpr std::string_view kMessagesSuffix = ".messages.json";
inline constexpr std::string_view kCompactionSuffix = ".compaction.json";

enum class Generation : std::uint8_t { task, session };

struct SourcePath {
  Generation generation = Generation::task;
  std::filesystem::path folder;
  std::string id;    // of the task or session
  std::string main;  // the path the source is known by: the main document, whether or not it is there
};

// The source a file belongs to; nullopt for what belongs to none: temporary files, indexes, checkpoints.
std::optional<SourcePath> parse_source_path(const std::filesystem::path& file);

// Files of a source's folder that are not part of it: halves of a write.
bool is_temporary(std::string_view name);

std::vector<std::filesystem::path> default_roots(const std::filesystem::path& home);

// Directories that hold shadow repositories, caches and settings.
bool is_foreign_directory(const std::filesystem::path& directory);

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
