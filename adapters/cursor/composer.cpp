#include "adapters/cursor/composer.hpp"

#include "adapters/cursor/file_uri.hpp"
#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"

#include <algorithm>
#include <unordered_set>

namespace memd::cursor {

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

namespace {

enum : std::size_t {
  kName,
  kSubtitle,
  kStatus,
  kUnifiedMode,
  kForceMode,
  kBranch,
  kComposerText,
  kState,
  kCreated,
  kUpdated,
  kContextTokens,
  kAdded,
  kRemoved,
  kArchived,
  kScalars
};
constexpr KeyTable<kScalars> kScalarTable{{"name", "subtitle", "status", "unifiedMode", "forceMode", "createdOnBranch",
                                           "text", "conversationState", "createdAt", "lastUpdatedAt",
                                           "contextTokensUsed", "totalLinesAdded", "totalLinesRemoved", "isArchived"}};

std::string text_of(std::string_view token) {
  std::string out;
  append_unescaped(string_body(token), out);
  return out;
}

class Reader {
 public:
  Reader(const char* base, Composer& composer) : base_(base), composer_(composer) {}

  bool field(std::string_view key, od::value& value) {
    const auto token = token_of(value);
    if (key == "fullConversationHeadersOnly" && token.starts_with('[')) return entries(value, false);
    if (key == "conversation" && token.starts_with('[')) return entries(value, true);
    if (key == "modelConfig" && token.starts_with('{'))
      return each(value, [&](std::string_view name, std::string_view text, od::value&) {
        if (name == "modelName") composer_.model = text_of(text);
        return true;
      });
    if (key == "subagentInfo" && token.starts_with('{'))
      return each(value, [&](std::string_view name, std::string_view text, od::value&) {
        if (name == "parentComposerId") composer_.parent_id = text_of(text);
        if (name == "toolCallId") composer_.parent_call_id = text_of(text);
        if (name == "subagentTypeName") composer_.agent_name = text_of(text);
        return true;
      });
    if (key == "usageData" && token.starts_with('{'))
      return each(value, [&](std::string_view, std::string_view text, od::value& model) {
        if (!text.starts_with('{')) return true;
        return each(model, [&](std::string_view name, std::string_view cents, od::value&) {
          if (name == "costInCents") composer_.cost_cents += integer(cents);
          return true;
        });
      });
    if (key == "allAttachedFileCodeChunksUris" && token.starts_with('[')) return uris(value);
    if (key == "codeBlockData" && token.starts_with('{'))
      return each(value, [&](std::string_view uri, std::string_view, od::value&) {
        std::string text;
        append_unescaped(uri, text);
        add_file(text);
        return true;
      });
    return true;
  }

 private:
  // visit(key, token, value) for the fields of an object.
  template <class Visit>
  bool each(od::value& value, Visit&& visit) {
    od::object object;
    if (value.get_object().get(object)) return false;
    return for_each_field(object, [&](std::string_view key, od::value& field) {
      const auto token = token_of(field);
      return visit(key, token, field);
    });
  }

  bool entries(od::value& value, bool is_inline) {
    od::array array;
    if (value.get_array().get(array)) return false;
    if (!is_inline && !composer_.entries.empty()) return true;  // the bubbles themselves were there
    return for_each_element(array, [&](od::value& element, std::size_t) {
      if (!token_of(element).starts_with('{')) return true;
      od::object object;
      std::string_view raw;
      if (element.get_object().get(object) || object.raw_json().get(raw) || object.reset().error()) return false;
      Composer::Entry entry;
      const bool whole = for_each_field(object, [&](std::string_view key, od::value& field) {
        if (key == "bubbleId") entry.id = text_of(token_of(field));
        if (key == "type") entry.user = token_of(field) == "1";
        return true;
      });
      if (!whole) return false;
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
      add_file(text_of(token_of(element)));
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

void take_scalars(const Tokens<kScalars>& tokens, Composer& composer) {
  composer.name = text_of(tokens[kName]);
  composer.subtitle = text_of(tokens[kSubtitle]);
  composer.status = text_of(tokens[kStatus]);
  composer.mode = text_of(is_string(tokens[kUnifiedMode]) ? tokens[kUnifiedMode] : tokens[kForceMode]);
  composer.branch = text_of(tokens[kBranch]);
  composer.state = text_of(tokens[kState]);
  composer.created = integer(tokens[kCreated]);
  composer.updated = integer(tokens[kUpdated]);
  composer.context_tokens = integer(tokens[kContextTokens]);
  composer.lines_added = integer(tokens[kAdded]);
  composer.lines_removed = integer(tokens[kRemoved]);
  composer.archived = is_true(tokens[kArchived]);
  composer.has_draft = !trimmed(text_of(tokens[kComposerText])).empty();
}

}  // namespace

std::optional<Composer> parse_composer(std::string_view value) {
  std::string padded(value);
  padded.resize(value.size() + simdjson::SIMDJSON_PADDING, ' ');
  od::parser parser;
  od::document document;
  od::object root;
  if (parser.iterate(padded.data(), value.size(), padded.size()).get(document) || document.get_object().get(root))
    return std::nullopt;
  Composer composer;
  Reader reader(padded.data(), composer);
  Tokens<kScalars> tokens{};
  const bool whole = for_each_field(root, [&](std::string_view key, od::value& field) {
    if (const auto i = kScalarTable.find(key); i < kScalars) tokens[i] = token_of(field);
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
    if (value.get_object().get(object) || object.raw_json().get(raw) || object.reset().error()) return false;
    Element element;
    raw = trimmed(raw);
    element.begin = static_cast<std::size_t>(raw.data() - padded.data());
    element.end = element.begin + raw.size();
    const bool whole = for_each_field(object, [&](std::string_view key, od::value& field) {
      if (key == id_key) element.id = text_of(token_of(field));
      return true;
    });
    if (whole) elements.push_back(std::move(element));
    return whole;
  });
  return elements;
}

namespace {

// The meaning of the token of one field.
template <class Take>
auto with_field(std::string_view text, std::string_view name, Take take) -> decltype(take(std::string_view())) {
  std::string padded(text);
  padded.resize(text.size() + simdjson::SIMDJSON_PADDING, ' ');
  od::parser parser;
  od::document document;
  od::object object;
  od::value value;
  if (parser.iterate(padded.data(), text.size(), padded.size()).get(document) || document.get_object().get(object) ||
      !seek(object, name, value))
    return take({});
  return take(token_of(value));
}

}  // namespace

std::string text_field(std::string_view object, std::string_view name) {
  return with_field(object, name, [](std::string_view token) { return text_of(token); });
}

std::int64_t number_field(std::string_view object, std::string_view name) {
  return with_field(object, name, [](std::string_view token) { return integer(token); });
}

std::string common_folder(const std::vector<std::string>& files) {
  std::string folder;
  for (const auto& file : files) {
    // A path pasted behind a folder ("/proj/c:\…") says nothing beyond the folder.
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

}  // namespace memd::cursor
