#include "adapters/json/media.hpp"

#include "adapters/json/base64.hpp"
#include "adapters/names.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/hash.hpp"

#include <utility>

namespace memd::json {
namespace {

// In small letters.
constexpr Names kNames("filename file_name displayname name title path");
constexpr Names kTypes("media_type mediatype mimetype mime_type mime");
constexpr Names kAddresses("url uri fileuri image_url image_urls image");
constexpr Names kData("data base64 b64 bytes");
constexpr std::size_t kLongestName = 120;
constexpr std::size_t kHashDigits = 12;

// Returns the type of an image by its first bytes; empty: it is none of those that programs show.
std::string_view type_of(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG")) return "image/png";
  if (bytes.starts_with("\xff\xd8\xff")) return "image/jpeg";
  if (bytes.starts_with("GIF8")) return "image/gif";
  return bytes.starts_with("RIFF") && bytes.substr(0, 12).ends_with("WEBP") ? "image/webp" : "";
}

// Takes the members of the block, and of the objects and lists in it.
void take_value(TextReader& reader, std::string_view key, od::value& value, Media& media) {
  const auto token = token_of(value);
  od::object object;
  od::array list;
  if (is_string(token))
    media.take(key, token.find('\\') == token.npos ? string_body(token) : reader.text(token));
  else if (token.starts_with('{') && !value.get_object().get(object))
    for_each_field(object, [&](std::string_view inner, od::value& field) { take_value(reader, inner, field, media); });
  else if (token.starts_with('[') && !value.get_array().get(list))
    for_each_element(list, [&](od::value& element, std::size_t) { take_value(reader, key, element, media); });
}

void take_value(std::string_view key, dom::element value, Media& media) {
  std::string_view text;
  dom::object object;
  dom::array list;
  if (!value.get(text))
    media.take(key, text);
  else if (!value.get(object))
    for (const auto [inner, field] : object)
      take_value(inner, field, media);
  else if (!value.get(list))
    for (const dom::element element : list)
      take_value(key, element, media);
}

// "image_url", "input_image" and files of such a type are images.
Media named(std::string_view kind, Media media) {
  const bool is_image =
      kind.find("image") != kind.npos || ((kind == "file" || kind == "media") && media.type.starts_with("image/"));
  media.kind = is_image ? "image" : is_identifier(kind) ? kind : "media";
  return media;
}

}  // namespace

void Media::take(std::string_view written, std::string_view text) {
  const std::string key = ascii::lowered(written);
  const auto keep = [&text](std::string& to) {
    if (to.empty() || to.find("://") != to.npos) to = one_line(text, kLongestName);
  };
  if (kNames.has(key)) return keep(name);
  if (kTypes.has(key)) return keep(type);
  const bool is_data = kData.has(key) || (key == "source" && text.size() > kLongestName);
  if (is_data) take_data(text);
  if (!kAddresses.has(key)) return;
  constexpr std::string_view kInline = "data:";
  if (!text.starts_with(kInline)) return keep(name);
  text.remove_prefix(kInline.size());
  const auto comma = text.find(',');
  if (comma == std::string_view::npos) return;
  const auto data = text.substr(comma + 1);
  text = text.substr(0, comma);
  if (text.ends_with(";base64")) take_data(data);
  text = text.substr(0, text.find(';'));
  keep(type);
}

void Media::take_data(std::string_view base64) {
  const std::string bytes = base64_decoded(base64);
  if (bytes.empty() || !hash.empty()) return;
  hash = sha256_hex(bytes).substr(0, kHashDigits);
  if (type.empty()) type = type_of(bytes);
}

std::string Media::mark() const {
  std::string out = "[" + kind;
  std::string_view between = ": ";
  for (const std::string& fact : {name, type, hash.empty() ? hash : "sha256:" + hash}) {
    if (fact.empty()) continue;
    out.append(between).append(fact);
    between = ", ";
  }
  return out + "]";
}

Media read_media(TextReader& reader, std::string_view kind, od::object& block) {
  Media media;
  const auto take = [&](std::string_view key, od::value& value) {
    take_value(reader, key, value, media);
    return true;
  };
  if (restart(block)) for_each_field(block, take);
  return named(kind, std::move(media));
}

Media read_media(std::string_view kind, const dom::object& block) {
  Media media;
  for (const auto [key, value] : block)
    take_value(key, value, media);
  return named(kind, std::move(media));
}

std::string media_mark(TextReader& reader, std::string_view kind, od::object& block) {
  return read_media(reader, kind, block).mark();
}

void append_mark(std::string& marks, const Media& media) {
  marks.append(marks.empty() ? "" : " ").append(media.mark());
}

}  // namespace memd::json
