#pragma once

#include "schemas/error.hpp"

#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace memd::embedding {

struct ModelId {
  std::string name;   // with its provider: "builtin/…", "ollama/nomic-embed-text"
  int dimension = 0;  // 0: not known before the first answer
  bool operator==(const ModelId&) const = default;
};

// Some models want to be told what a text is for.
enum class Purpose { document, query };

using Vector = std::vector<float>;  // of unit length, or all zero when the text says nothing

// Makes vectors of texts. Thread-safe.
class Embedder {
 public:
  virtual ~Embedder() = default;
  virtual ModelId model() const = 0;
  // One vector per text, in order. May go over a network, within its own time-outs; ends early when `stop` is asked.
  // Errors: unavailable (down, too slow, refused), protocol (nonsense came back), cancelled.
  virtual Result<std::vector<Vector>> embed(std::span<const std::string_view> texts, Purpose purpose,
                                            std::stop_token stop) = 0;
};

}  // namespace memd::embedding
