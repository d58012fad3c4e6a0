#include "adapters/cline/folder.hpp"

#include "adapters/cline/paths.hpp"
#include "schemas/hash.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <set>

namespace memd::cline {

const FileView::Entry* Folder::find(std::string_view name) const {
  for (const auto& entry : entries)
    if (std::filesystem::path(entry.path).filename() == name) return &entry;
  return nullptr;
}

Result<Folder> read_folder(const FileView& files, const std::string& path) {
  Folder folder;
  std::uint64_t state = hash64("cline/1");
  for (auto& entry : files.list(path)) {
    const std::string name = std::filesystem::path(entry.path).filename().string();
    if (entry.is_directory || is_temporary(name)) continue;
    state = hash_combine(state, hash64(name));
    state = hash_combine(state, hash_combine(entry.size, static_cast<std::uint64_t>(entry.mtime_ns)));
    folder.entries.push_back(std::move(entry));
  }
  if (folder.entries.empty()) return Error(Errc::not_found, "nothing in " + path);
  char word[17];
  std::snprintf(word, sizeof word, "%016llx", static_cast<unsigned long long>(state));
  folder.state = word;
  return folder;
}

Result<std::string> read_whole(const FileView& files, const FileView::Entry& entry) {
  MEMD_TRY_ASSIGN(std::string text, files.read(entry.path));
  const auto after = files.stat(entry.path);
  if (!after || after->size != entry.size || after->mtime_ns != entry.mtime_ns || text.size() != entry.size)
    return Error(Errc::busy, entry.path + " is being written");
  return text;
}

std::string companion_name(std::string_view name) {
  static constexpr std::array<std::string_view, 12> kNames{"task_metadata.json",
                                                           "context_history.json",
                                                           "history_item.json",
                                                           "settings.json",
                                                           "ui_messages.json",
                                                           "claude_messages.json",
                                                           "api_conversation_history.json",
                                                           "README.md",
                                                           "hooks.jsonl",
                                                           ".messages.json",
                                                           ".compaction.json",
                                                           "focus_chain"};
  for (const auto known : kNames)
    if (name == known || name.ends_with(known) || name.starts_with(known)) return std::string(known);
  return name.ends_with(".json") ? "other.json" : "other file";
}

void add_behind_cut(std::span<const SourceItem> known, std::vector<SnapshotReader::Item>& items) {
  std::set<std::string_view> shown;
  for (const auto& item : items)
    shown.insert(item.key);
  std::size_t last = 0;
  for (std::size_t i = 0; i < known.size(); ++i)
    if (shown.contains(known[i].key)) last = i + 1;
  items.reserve(items.size() + known.size() - last);  // the keys must not move
  for (const SourceItem& k : known.subspan(last))
    if (!k.gone) items.push_back({k.key, 0, 0});
}

}  // namespace memd::cline
