#include "adapters/gemini/prompt_log_reader.hpp"

#include "adapters/json/json_text.hpp"
#include "adapters/json/json_writer.hpp"
#include "adapters/json/value_scanner.hpp"
#include "adapters/snapshot/document.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <set>

namespace memd::gemini {

Result<void> PromptLogReader::load() {
  if (loaded_) return {};
  MEMD_TRY_ASSIGN(std::string text, files_.read(path_));
  const snapshot::Document document = snapshot::split_document(std::move(text), {}, "sessionId");
  const std::string root = find_project_root(files_, place_);
  size_ = document.size;
  torn_ = document.torn;
  for (const auto& element : document.elements) {
    const auto bytes = document.bytes(element);
    std::string session;
    std::string number;
    json::ValueScanner scanner(bytes);
    scanner.members([&](std::string_view key, std::string_view value) {
      if (key == "sessionId") session = json::unescaped(value);
      if (key == "messageId" && json::is_number(value)) number = value;
    });
    if (element.damaged || session.empty()) {
      ++damaged_;
      damaged_bytes_ += bytes.size();
      continue;
    }
    auto& [entries, held] = sessions_[session];
    if (entries.empty()) order_.push_back(session);
    // A log that was begun anew counts from 0 again.
    std::string entry = json::compacted(bytes);
    std::string key = number + "." + std::to_string(hash64(entry));
    const auto is_key = [&](const Item& e) { return e.key == key; };
    if (std::any_of(entries.begin(), entries.end(), is_key)) key += "#" + std::to_string(entries.size());
    if (!root.empty()) entry = json::with_members(std::move(json::ObjectWriter().text("cwd", root)), entry);
    entries.push_back(held.add(key, std::move(entry), bytes.size()));
  }
  loaded_ = true;
  return {};
}

Result<SnapshotReader::Plan> PromptLogReader::plan(const std::string& mark) {
  const auto file = files_.stat(path_);
  if (!file) return Error(Errc::not_found, path_);
  Plan plan;
  plan.mark = std::to_string(file->inode) + ":" + std::to_string(file->size) + "." + std::to_string(file->mtime_ns);
  plan.size = file->size;
  plan.unchanged = plan.mark == mark;
  if (plan.unchanged) return plan;
  MEMD_TRY(load());
  plan.size = size_;
  plan.sessions = order_;
  std::uint64_t taken = damaged_bytes_ + torn_;
  for (const auto& [id, session] : sessions_)
    for (const Item& entry : session.entries)
      taken += entry.ledger_bytes;
  plan.rest.push_back({"(structure)", Disposition::indexed, {}, 1, size_ - taken});
  plan.rest.push_back({"(damaged)", Disposition::skipped, "damaged", damaged_, damaged_bytes_});
  plan.rest.push_back({"(unfinished)", Disposition::skipped, "unfinished", torn_ > 0 ? 1U : 0U, torn_});
  return plan;
}

Result<std::optional<SnapshotReader::Session>> PromptLogReader::session(const std::string& session_key,
                                                                        std::span<const SourceItem> known) {
  MEMD_TRY(load());
  const auto it = sessions_.find(session_key);
  if (it == sessions_.end()) return std::optional<Session>();
  Session session;
  session.session_uid = make_session_uid(Platform::gemini, session_key);
  const std::vector<Item>& entries = it->second.entries;
  std::set<std::string_view> stored;
  for (const SourceItem& item : known) {
    const auto is_key = [&](const Item& e) { return e.key == item.key; };
    const auto entry = std::find_if(entries.begin(), entries.end(), is_key);
    stored.insert(item.key);
    if (entry != entries.end())
      session.items.push_back(*entry);
    else if (!item.gone)
      session.items.push_back({item.key, 0, 0});
  }
  for (const Item& entry : entries)
    if (!stored.contains(entry.key)) session.items.push_back(entry);
  return std::optional(std::move(session));
}

Result<std::string> PromptLogReader::item(const std::string& session_key, const std::string& item_key) {
  MEMD_TRY(load());
  if (const auto it = sessions_.find(session_key); it != sessions_.end()) return it->second.held.bytes(item_key);
  return Error(Errc::not_found, path_ + ": the prompt is gone");
}

}  // namespace memd::gemini
