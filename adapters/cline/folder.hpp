#pragma once

#include "adapters/snapshot_reader.hpp"
#include "schemas/platform.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Locations of the data of Cline and its forks: below editors, remote servers and directories of their own. A source is
// a folder: a task of an extension ("tasks/<id>/") or a session of the newer store ("sessions/<id>/").
namespace memd::cline {

inline constexpr std::string_view kUiMessages = "ui_messages.json";
inline constexpr std::string_view kOldUiMessages = "claude_messages.json";  // before October 2024
inline constexpr std::string_view kApiHistory = "api_conversation_history.json";
inline constexpr std::string_view kTaskMetadata = "task_metadata.json";
inline constexpr std::string_view kMessagesSuffix = ".messages.json";
inline constexpr std::string_view kCompactionSuffix = ".compaction.json";

enum class Generation : std::uint8_t { task, session };

struct SourcePath {
  Platform platform = Platform::cline;
  Generation generation = Generation::task;
  std::filesystem::path folder;
  std::string id;    // task or session id
  std::string main;  // path that identifies the source: the main document, whether or not it exists
};

// Returns the source that a file belongs to. nullopt for temporary files, indexes and checkpoints.
std::optional<SourcePath> parse_source_path(const std::filesystem::path& file);

// Returns whether a file in a source's folder is temporary, from an unfinished write, and so not part of the source.
bool is_temporary(std::string_view name);

// Returns the directories of an extension's data below editors and remote servers.
std::vector<std::filesystem::path> extension_roots(const std::filesystem::path& home, std::string_view extension);

// Returns whether a directory contains shadow repositories, caches or settings.
bool is_foreign_directory(const std::filesystem::path& directory);

std::string hex(std::uint64_t value);  // 16 digits

// The files of a source: those directly in its folder, without temporary ones.
struct Folder {
  std::vector<FileView::Entry> entries;
  std::string state;  // names, sizes and times as one string
  const FileView::Entry* find(std::string_view name) const;
};

// Lists a source's folder. Errc::not_found when the folder does not exist or has no files.
Result<Folder> read_folder(const FileView& files, const std::string& path);

// Reads a listed file. Errc::busy when it has changed since the listing.
Result<std::string> read_whole(const FileView& files, const FileView::Entry& entry);

// Returns a file's name for the ledger, without ids.
std::string companion_name(std::string_view file_name);

// For a truncated document: appends the stored items after the truncation unchanged (version 0).
void append_stored_tail(std::span<const SourceItem> known, std::vector<SnapshotReader::Item>& items);

}  // namespace memd::cline
