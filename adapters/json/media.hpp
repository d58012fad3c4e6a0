#pragma once

#include "adapters/json/json_access.hpp"

#include <string>
#include <string_view>

namespace memd::json {

// What a message tells of an image, a file or another block that is no text. Never what is in it. A value.
struct Media {
  std::string kind;  // image, file, document, …
  std::string name;  // as the agent wrote it
  std::string type;  // image/png; as written, else what the bytes of an image show
  std::string hash;  // the first twelve digits of the SHA-256 of its bytes, as sha256sum prints it; empty: not there

  // Takes a member if its key says what it is.
  void take(std::string_view key, std::string_view text);
  // "[image: receipt.png, image/png, sha256:1a2b3c4d5e6f]", as far as known.
  std::string mark() const;

 private:
  void take_data(std::string_view base64);
};

Media read_media(TextReader& reader, std::string_view kind, od::object& block);
Media read_media(std::string_view kind, const dom::object& block);

// Appends a mark to others.
void append_mark(std::string& marks, const Media& media);

}  // namespace memd::json
