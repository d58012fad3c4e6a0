#include "adapters/json/media.hpp"

#include "adapters/json/base64.hpp"
#include "adapters/names.hpp"
#include "schemas/base/hash.hpp"

#include <utility>

namespace memd::json {
namespace {

constexpr Names kNames("filename fileName file_name displayName name title path");
constexpr Names kTypes("media_type mediaType mimeType mime_type mime");
constexpr Names kAddresses("url uri fileUri image_url image");
constexpr Names kData("data base64 b64 bytes");
constexpr std::size_t kLongestName = 120;
constexpr std::size_t kHashDigits = 12;

std::string hash_of(std::string_view base64) {
  const std::string bytes = base64_decoded(base64);
  return bytes.empty() ? bytes : sha256_hex(bytes).substr(0, kHashDigits);
}

// Takes the members of the block, and of the objects in it.
void take_members(TextReader& reader, od::object& object, Media& media) {
  for_each_field(object, [&](std::string_view key, od::value& value) {
    const auto token = token_of(value);
    od::object inner;
    if (is_string(token))
      media.take(key, token.find('\\') == token.npos ? string_body(token) : reader.text(token));
    else if (token.starts_with('{') && !value.get_object().get(inner))
      take_members(reader, inner, media);
    return true;
  });
}

void take_members(const dom::object& object, Media& media) {
  for (const auto [key, value] : object) {
    std::string_view text;
    dom::object inner;
    if (!value.get(text))
      media.take(key, text);
    else if (!value.get(inner))
      take_members(inner, media);
  }
}

// "image_url", "input_image" and files of such a type are images.
Media named(std::string_view kind, Media media) {
  const bool is_image =
      kind.find("image") != kind.npos || ((kind == "file" || kind == "media") && media.type.starts_with("image/"));
  media.kind = is_image ? "image" : is_identifier(kind) ? kind : "media";
  return media;
}

}  // namespace

void Media::take(std::string_view key, std::string_view text) {
  const auto keep = [&text](std::string& to) {
    if (to.empty() || to.find("://") != to.npos) to = one_line(text, kLongestName);
  };
  if (kNames.has(key)) return keep(name);
  if (kTypes.has(key)) return keep(type);
  if (kData.has(key) && hash.empty()) hash = hash_of(text);
  if (!kAddresses.has(key)) return;
  constexpr std::string_view kInline = "data:";
  if (!text.starts_with(kInline)) return keep(name);
  text.remove_prefix(kInline.size());
  const auto comma = text.find(',');
  if (comma == std::string_view::npos) return;
  const auto data = text.substr(comma + 1);
  text = text.substr(0, comma);
  if (text.ends_with(";base64")) hash = hash_of(data);
  text = text.substr(0, text.find(';'));
  keep(type);
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
  if (restart(block)) take_members(reader, block, media);
  return named(kind, std::move(media));
}

Media read_media(std::string_view kind, const dom::object& block) {
  Media media;
  take_members(block, media);
  return named(kind, std::move(media));
}

std::string media_mark(TextReader& reader, std::string_view kind, od::object& block) {
  return read_media(reader, kind, block).mark();
}

void append_mark(std::string& marks, const Media& media) {
  marks.append(marks.empty() ? "" : " ").append(media.mark());
}

}  // namespace memd::json
