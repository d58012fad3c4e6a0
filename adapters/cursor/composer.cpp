#include "adapters/cursor/composer.hpp"

#include "adapters/cursor/places.hpp"
#include "adapters/json/base64.hpp"
#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/names.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/time.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>

namespace memd::cursor {

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

namespace {

MEMD_KEYS(ScalarKeys, name, subtitle, status, unifiedMode, forceMode, createdOnBranch, text, conversationState,
          createdAt, lastUpdatedAt, contextTokensUsed, totalLinesAdded, totalLinesRemoved, isArchived);

MEMD_KEYS(ModelKeys, modelName);
MEMD_KEYS(SubagentKeys, parentComposerId, toolCallId, subagentTypeName);
MEMD_KEYS(CostKeys, costInCents);
MEMD_KEYS(EntryKeys, bubbleId, type);
MEMD_KEYS(TimingKeys, clientRpcSendTime, clientEndTime, clientSettleTime);

class Reader {
 public:
  Reader(const char* base, Composer& composer) : base_(base), composer_(composer) {}

  bool field(std::string_view key, od::value& value) {
    const auto token = token_of(value);
    if (token.starts_with('[')) {
      if (key == "fullConversationHeadersOnly") return entries(value, false);
      if (key == "conversation") return entries(value, true);
      if (key == "allAttachedFileCodeChunksUris") return uris(value);
    }
    od::object object;
    if (!token.starts_with('{') || !kObjects.has(key)) return true;
    if (value.get_object().get(object)) return false;
    if (key == "modelConfig") {
      ModelKeys keys;
      if (!collect(object, keys)) return false;
      composer_.model = unescaped(keys.modelName);
    } else if (key == "subagentInfo") {
      SubagentKeys keys;
      if (!collect(object, keys)) return false;
      composer_.parent_id = unescaped(keys.parentComposerId);
      composer_.parent_call_id = unescaped(keys.toolCallId);
      composer_.agent_name = unescaped(keys.subagentTypeName);
    } else {
      return for_each_field(object, [&](std::string_view name, od::value& inner) {
        return key == "usageData" ? cost(inner) : file(name);
      });
    }
    return true;
  }

 private:
  static constexpr Names kObjects{"modelConfig subagentInfo usageData codeBlockData"};

  // Adds what one model cost.
  bool cost(od::value& value) {
    od::object model;
    CostKeys keys;
    if (!token_of(value).starts_with('{')) return true;
    if (value.get_object().get(model) || !collect(model, keys)) return false;
    composer_.cost_cents += integer(keys.costInCents);
    return true;
  }

  bool file(std::string_view escaped_uri) {
    std::string uri;
    append_unescaped(escaped_uri, uri);
    add_file(uri);
    return true;
  }

  bool entries(od::value& value, bool is_inline) {
    od::array array;
    if (value.get_array().get(array)) return false;
    if (!is_inline && !composer_.entries.empty()) return true;  // the bubbles themselves were present
    return for_each_element(array, [&](od::value& element, std::size_t) {
      if (!token_of(element).starts_with('{')) return true;
      od::object object;
      std::string_view raw;
      EntryKeys keys;
      if (element.get_object().get(object) || object.raw_json().get(raw) || !collect(object, keys)) return false;
      Composer::Entry entry{unescaped(keys.bubbleId), keys.type == "1", 0, 0};
      if (is_inline) {
        raw = trimmed(raw);
        entry.begin = static_cast<std::size_t>(raw.data() - base_);
        entry.end = entry.begin + raw.size();
        if (entry.id.empty()) entry.id = "#" + std::to_string(composer_.entries.size());
      }
      if (!entry.id.empty() && seen_.insert(entry.id).second) composer_.entries.push_back(std::move(entry));
      return true;
    });
  }

  bool uris(od::value& value) {
    od::array array;
    if (value.get_array().get(array)) return false;
    return for_each_element(array, [&](od::value& element, std::size_t) {
      add_file(unescaped(token_of(element)));
      return true;
    });
  }

  void add_file(std::string_view uri) {
    if (auto path = path_of_uri(uri); !path.empty()) composer_.files.push_back(std::move(path));
  }

  const char* base_;
  Composer& composer_;
  std::unordered_set<std::string> seen_;
};

void take_scalars(const ScalarKeys& tokens, Composer& composer) {
  composer.title = unescaped(tokens.name);
  composer.description = unescaped(tokens.subtitle);
  composer.status = unescaped(tokens.status);
  composer.mode = unescaped(is_string(tokens.unifiedMode) ? tokens.unifiedMode : tokens.forceMode);
  composer.git_branch = unescaped(tokens.createdOnBranch);
  composer.state = unescaped(tokens.conversationState);
  composer.started_at = integer(tokens.createdAt);
  composer.ended_at = integer(tokens.lastUpdatedAt);
  composer.context_tokens = integer(tokens.contextTokensUsed);
  composer.lines_added = integer(tokens.totalLinesAdded);
  composer.lines_removed = integer(tokens.totalLinesRemoved);
  composer.archived = is_true(tokens.isArchived);
  composer.has_draft = !trimmed(unescaped(tokens.text)).empty();
}

}  // namespace

std::optional<Composer> parse_composer(std::string_view value) {
  InnerJson json;
  if (!json.open(value)) return std::nullopt;
  Composer composer;
  Reader reader(json.text(), composer);
  ScalarKeys tokens;
  const bool whole = for_each_field(json.root, [&](std::string_view key, od::value& field) {
    keep(tokens, key, field);
    return reader.field(key, field);
  });
  if (!whole) return std::nullopt;
  take_scalars(tokens, composer);
  return composer;
}

std::vector<Element> elements_of(std::string_view document_text, std::string_view list, std::string_view id_key) {
  std::vector<Element> elements;
  std::string padded(document_text);
  padded.resize(document_text.size() + simdjson::SIMDJSON_PADDING, ' ');
  od::parser parser;
  od::document document;
  od::array array;
  if (parser.iterate(padded.data(), document_text.size(), padded.size()).get(document)) return elements;
  if (list.empty()) {
    if (document.get_array().get(array)) return elements;
  } else {
    od::object root;
    od::value value;
    if (document.get_object().get(root) || root.find_field(list).get(value) || value.get_array().get(array))
      return elements;
  }
  for_each_element(array, [&](od::value& value, std::size_t) {
    od::object object;
    std::string_view raw;
    if (!token_of(value).starts_with('{')) return true;
    if (value.get_object().get(object) || object.raw_json().get(raw) || !restart(object)) return false;
    Element element;
    raw = trimmed(raw);
    element.begin = static_cast<std::size_t>(raw.data() - padded.data());
    element.end = element.begin + raw.size();
    const bool whole = for_each_field(object, [&](std::string_view key, od::value& field) {
      if (key == id_key) element.id = unescaped(token_of(field));
      return true;
    });
    if (whole) elements.push_back(std::move(element));
    return whole;
  });
  return elements;
}

// Single fields.

namespace {

// Returns the token of a field; valid while `json` is.
std::string_view field_of(InnerJson& json, std::string_view object, std::string_view name) {
  od::value value;
  return json.open(object) && seek(json.root, name, value) ? token_of(value) : std::string_view{};
}

}  // namespace

std::string text_field(std::string_view object, std::string_view name) {
  InnerJson json;
  return unescaped(field_of(json, object, name));
}

std::int64_t number_field(std::string_view object, std::string_view name) {
  InnerJson json;
  return integer(field_of(json, object, name));
}

std::string common_folder(const std::vector<std::string>& files) {
  std::string folder;
  for (const auto& file : files) {
    // A path pasted after a folder ("/proj/c:\…") is used only up to the folder.
    const std::string_view path = std::string_view(file).substr(0, file.find('\\'));
    if (folder.empty()) {
      folder = path.substr(0, path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1);
      continue;
    }
    const auto [mine, theirs] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    folder.erase(mine, folder.end());
    folder.resize(folder.rfind('/') == std::string::npos ? 0 : folder.rfind('/') + 1);
    if (folder.empty()) return {};
  }
  if (!folder.empty()) folder.pop_back();
  return folder.size() > 3 ? folder : std::string();
}

// Times.

namespace {

constexpr TimeMs kEarliest = 1'500'000'000'000;  // ms since 1970, in July 2017; smaller numbers are no absolute times

TimeMs time_of(std::string_view token) {
  if (!is_string(token)) return std::max<TimeMs>(integer(token), 0);
  std::string text;
  append_unescaped(string_body(token), text);
  return parse_rfc3339(text).value_or(0);
}

TimeMs epoch(std::string_view token) {
  const TimeMs time = time_of(token);
  return time < kEarliest ? 0 : time;
}

}  // namespace

OwnTime read_own_time(std::string_view bubble) {
  OwnTime own;
  InnerJson json;
  if (!json.open(bubble)) return own;
  for_each_field(json.root, [&](std::string_view key, od::value& value) {
    const auto token = token_of(value);
    if (key == "createdAt") own.created = epoch(token);
    if (key != "timingInfo" || !token.starts_with('{')) return true;
    od::object timing;
    TimingKeys keys;
    if (value.get_object().get(timing) || !collect(timing, keys)) return false;
    own.turn_started = epoch(keys.clientRpcSendTime);
    own.turn_ended = std::max(epoch(keys.clientEndTime), epoch(keys.clientSettleTime));
    return true;
  });
  return own;
}

std::vector<BubbleTime> bubble_times(std::span<const TimedBubble> bubbles, TimeMs created, TimeMs updated) {
  const std::size_t n = bubbles.size();
  std::vector<BubbleTime> times(n);
  std::vector<bool> known(n, false);
  const auto set = [&](std::size_t i, TimeMs time, bool estimated) {
    if (known[i] || time == 0) return;
    times[i] = {time, estimated};
    known[i] = true;
  };
  for (std::size_t i = 0; i < n; ++i)
    set(i, bubbles[i].own.created, false);
  for (std::size_t i = 0; i < n; ++i) {
    const OwnTime& own = bubbles[i].own;
    if (own.turn_started == 0) continue;
    set(i, own.turn_started, false);
    if (i > 0 && bubbles[i - 1].user) set(i - 1, own.turn_started, true);
    std::size_t last = i;
    while (last + 1 < n && !bubbles[last + 1].user)
      ++last;
    set(last, std::max(own.turn_ended, own.turn_started), true);
  }

  TimeMs before = created;
  for (std::size_t i = 0; i < n;) {
    if (known[i]) {
      before = std::max(before, times[i].time);
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < n && !known[end])
      ++end;
    TimeMs after = end < n ? times[end].time : updated;
    if (before == 0) before = after;
    after = std::max(after, before);
    // The bounds of the conversation are no bubbles: the first bubble starts at one, the last ends at the other.
    const auto steps = static_cast<TimeMs>(end - i) + (end < n ? (i > 0 ? 1 : 0) : (i > 0 ? 0 : -1));
    for (std::size_t j = i; j < end; ++j) {
      const auto step = static_cast<TimeMs>(j - i) + (i > 0 ? 1 : 0);
      times[j] = {steps > 0 ? before + (after - before) * step / steps : before, true};
    }
    before = after;
    i = end;
  }
  return times;
}

// Blobs of the agent back end.

namespace {

constexpr std::size_t kIdBytes = 32;

std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> child_ids(std::string_view bytes) {
  std::vector<std::string> ids;
  while (!bytes.empty()) {
    const auto tag = take_varint(bytes);
    if (!tag) break;
    std::uint64_t length = 0;
    switch (*tag & 7) {
      case 0:
        if (!take_varint(bytes)) return ids;
        continue;
      case 1: length = 8; break;
      case 5: length = 4; break;
      case 2:
        if (const auto n = take_varint(bytes))
          length = *n;
        else
          return ids;
        break;
      default: return ids;
    }
    if (length > bytes.size()) break;
    if ((*tag & 7) == 2 && *tag >> 3 == 1 && length == kIdBytes) {
      ids.push_back(hexadecimal(bytes.substr(0, kIdBytes)));
    }
    bytes.remove_prefix(length);
  }
  return ids;
}

std::string from_hex(std::string_view digits) {
  std::string bytes;
  if (digits.size() % 2 != 0) return bytes;
  bytes.reserve(digits.size() / 2);
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int high = ascii::hex_value(digits[i]);
    const int low = ascii::hex_value(digits[i + 1]);
    if (high < 0 || low < 0) return {};
    bytes.push_back(static_cast<char>(high << 4 | low));
  }
  return bytes;
}

std::string decode_state(std::string_view state) {
  if (!state.starts_with('~')) return {};
  state.remove_prefix(1);
  if (auto bytes = from_hex(state); !bytes.empty()) return bytes;
  return json::base64_decoded(state);
}

}  // namespace memd::cursor
