#include "adapters/gemini/prompt_log_reader.hpp"

#include "adapters/json/json_text.hpp"
#include "adapters/json/json_writer.hpp"
#include "adapters/json/value_scanner.hpp"
#include "adapters/snapshot/document.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <set>

namespace memd::gemini {

Result<void> PromptLogReader::read() {
  MEMD_TRY_ASSIGN(std::string text, files_.read(path_));
  const snapshot::Document document = snapshot::split_document(std::move(text), {}, "sessionId");
  const std::string root = find_project_root(files_, place_);
  size_ = document.size;
  std::uint64_t taken = document.torn;
  note("(structure)", Disposition::indexed, {}, 0);
  note("(damaged)", Disposition::skipped, "damaged", 0, 0);  // elements that name no session
  note("(unfinished)", Disposition::skipped, "unfinished", document.torn, document.torn > 0 ? 1 : 0);
  for (const auto& element : document.elements) {
    const auto bytes = document.bytes(element);
    taken += bytes.size();
    std::string session;
    std::string number;
    json::ValueScanner scanner(bytes);
    scanner.members([&](std::string_view key, std::string_view value) {
      if (key == "sessionId") session = json::unescaped(value);
      if (key == "messageId" && json::is_number(value)) number = value;
    });
    if (element.damaged || session.empty()) {
      note("(damaged)", Disposition::skipped, "damaged", bytes.size());
      continue;
    }
    // A log that was begun anew counts from 0 again.
    std::string entry = json::compacted(bytes);
    const std::string key = number + "." + std::to_string(hash64(entry));
    if (!root.empty()) entry = json::with_members(std::move(json::ObjectWriter().text("cwd", root)), entry);
    add_session(session, make_session_uid(Platform::gemini, session)).add(key, std::move(entry), bytes.size());
  }
  note("(structure)", Disposition::indexed, {}, size_ - taken, 0);
  return {};
}

void PromptLogReader::compare(std::span<const SourceItem> known, Session& session) const {
  const std::vector<Item> entries = std::exchange(session.items, {});
  std::set<std::string_view> stored;
  for (const SourceItem& item : known) {
    const auto entry = std::ranges::find(entries, item.key, &Item::key);
    stored.insert(item.key);
    if (entry != entries.end())
      session.items.push_back(*entry);
    else if (!item.gone)
      session.items.push_back({item.key, 0, 0});
  }
  for (const Item& entry : entries)
    if (!stored.contains(entry.key)) session.items.push_back(entry);
}

}  // namespace memd::gemini
