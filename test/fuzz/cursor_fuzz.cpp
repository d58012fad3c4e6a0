#include "adapters/adapter.hpp"
#include "adapters/cursor/composer.hpp"
#include "adapters/cursor/item_json.hpp"
#include "adapters/cursor/places.hpp"
#include "test/fuzz/fuzz_target.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace memd;

void decode(const std::string& item) {
  static const Adapter& adapter = *find_adapter(Platform::cursor);
  Source source;
  source.platform = Platform::cursor;
  source.session_uid = "cursor:11111111-1111-4111-8111-111111111111";
  std::string bytes = item;
  bytes.resize(item.size() + kRecordPadding, ' ');
  const std::string_view text(bytes.data(), item.size());
  EventBatch batch;
  adapter.open(source)->decode({text, 1, false}, batch);
  if (batch.coverage.size() != 1 || batch.coverage.front().bytes != text.size()) std::abort();
  for (const Event& e : batch.events) {
    if (e.raw.offset != 1 || e.raw.length != text.size()) std::abort();
    (void)adapter.event_text(text, e.kind, e.raw.block);
  }
}

}  // namespace

// Reads any bytes as a value of Cursor's databases: no crash, and each item is one line in the ledger. The first byte
// selects the kind of value.
MEMD_FUZZ_TARGET(cursor) {
  if (size == 0) return 0;
  constexpr std::array kinds{cursor::item_kind::kBubble, cursor::item_kind::kTab,  cursor::item_kind::kMessage,
                             cursor::item_kind::kHead,   cursor::item_kind::kText, cursor::item_kind::kPrompt};
  const std::string_view value(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto kind = kinds[data[0] % kinds.size()];

  cursor::ItemJson json(kind);
  json.text("id", "x").time(1'760'000'000'000, true);
  const std::string item = std::move(json).finish(value);
  if (item.find('\n') != std::string::npos || !cursor::is_json_object(item)) std::abort();
  decode(item);
  cursor::ItemJson words(kind);
  words.text("id", "x").text("role", "user").text("text", value);
  const std::string said = std::move(words).finish();
  if (said.find('\n') != std::string::npos || !cursor::is_json_object(said)) std::abort();
  decode(said);
  decode(std::string(value));

  if (const auto composer = cursor::parse_composer(value)) {
    for (const auto& entry : composer->entries)
      if (entry.end > value.size() || entry.begin > entry.end) std::abort();
    (void)cursor::common_folder(composer->files);
  }
  for (const char* list : {"", "tabs", "allComposers"})
    for (const auto& element : cursor::elements_of(value, list, "id"))
      if (element.end > value.size() || element.begin > element.end) std::abort();
  (void)cursor::read_own_time(value);
  (void)cursor::child_ids(value);
  (void)cursor::child_ids(cursor::decode_state(value));
  (void)cursor::path_of_uri(value);
  return 0;
}
