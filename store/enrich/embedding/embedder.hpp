#pragma once

#include "schemas/base/result.hpp"
#include "store/enrich/embedding/wordpiece.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace memd::vectors {
struct Kernels;
}

namespace memd::embedding {

struct ModelId {
  std::string name;   // including the provider: "builtin/…", "ollama/nomic-embed-text"
  int dimension = 0;  // 0: unknown before the first response
  bool operator==(const ModelId&) const = default;
};

// The use of a text; some models distinguish it.
enum class Purpose { document, query };

using Vector = std::vector<float>;  // of unit length, or all zero when the text has no known token

// Computes vectors of texts. Thread-safe.
class Embedder {
 public:
  virtual ~Embedder() = default;
  virtual ModelId model() const = 0;
  // Returns one vector per text, in order. May use the network, with its own time-outs; ends early when `stop` is
  // requested. Errors: unavailable (down, too slow, refused), protocol (invalid response), cancelled.
  virtual Result<std::vector<Vector>> embed(std::span<const std::string_view> texts, Purpose purpose,
                                            std::stop_token stop) = 0;
};

// A table of token vectors; the vector of a text is their weighted sum, normalised. Immutable, so thread-safe. The
// result is bit-identical on every processor.
//
// File (little endian): "MEMDEMB1", u32 dimension, tokens, name bytes, vocabulary bytes, flags (1: lower case, the only
// kind), 0; name; vocabulary, a token a line; zeros to a multiple of 64; float32 scale[tokens]; zeros to a multiple of
// 64; int8 table[tokens][dimension].
class StaticModel {
 public:
  // `file` must outlive the model. Returns unsupported for another format, store_corrupt for a damaged file.
  static Result<StaticModel> load(std::span<const std::byte> file);

  std::string_view name() const { return name_; }
  int dimension() const { return static_cast<int>(dimension_); }
  const Wordpiece& tokenizer() const { return tokenizer_; }

  // Returns all zeros when no token of the text is known.
  Vector embed(std::string_view text) const { return vector_of(ids(text)); }
  std::vector<std::uint32_t> ids(std::string_view text) const;
  Vector vector_of(std::span<const std::uint32_t> ids) const;
  // Adds the vector of vector_of() before normalisation to `sum` (dimension() numbers), with the given kernels.
  void sum(const vectors::Kernels& kernels, std::span<const std::uint32_t> ids, std::span<float> sum) const;
  float token_weight(std::uint32_t id) const { return scale_[id]; }
  // Returns its row of the table: dimension() numbers, unweighted.
  const std::int8_t* token_codes(std::uint32_t id) const { return table_ + std::size_t{id} * dimension_; }

 private:
  StaticModel(std::string_view name, std::uint32_t dimension, std::string_view vocabulary, const float* scale,
              const std::int8_t* table)
      : name_(name), dimension_(dimension), tokenizer_(vocabulary), scale_(scale), table_(table) {}

  std::string_view name_;
  std::uint32_t dimension_;
  Wordpiece tokenizer_;
  const float* scale_;
  const std::int8_t* table_;
};

// The model in the binary. Its name, "builtin/<name>-<hash>", changes with it, so that vectors of different models are
// not mixed. Owns its immutable table; thread-safe.
class BuiltinEmbedder : public Embedder {
 public:
  BuiltinEmbedder();
  explicit BuiltinEmbedder(StaticModel model, std::string name) : name_(std::move(name)), model_(std::move(model)) {}

  ModelId model() const override { return {name_, model_.dimension()}; }
  Result<std::vector<Vector>> embed(std::span<const std::string_view> texts, Purpose purpose,
                                    std::stop_token stop) override;

  const StaticModel& table() const { return model_; }

 private:
  std::string name_;
  StaticModel model_;
};

// Returns the instance of this process, created on first use (a millisecond).
BuiltinEmbedder& builtin_embedder();

}  // namespace memd::embedding
