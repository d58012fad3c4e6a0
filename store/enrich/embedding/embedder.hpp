#pragma once

#include "schemas/error.hpp"
#include "store/enrich/embedding/wordpiece.hpp"
#include "store/search/vectors/kernels.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
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

// A table of vectors of tokens; the vector of a text is their weighted sum, made unit. Immutable, so thread-safe. The
// same text gives the same vector, to the bit, on every processor.
//
// File (little endian): "MEMDEMB1", u32 dimension, tokens, name bytes, vocabulary bytes, flags (1: lower case, the only
// kind), 0; name; vocabulary, a token a line; zeros to a multiple of 64; float32 scale[tokens]; zeros to a multiple of
// 64; int8 table[tokens][dimension].
class StaticModel {
 public:
  // `file` must outlive the model. unsupported: another format; store_corrupt: damaged.
  static Result<StaticModel> load(std::span<const std::byte> file);

  std::string_view name() const { return name_; }
  int dimension() const { return static_cast<int>(dimension_); }
  const Wordpiece& tokenizer() const { return tokenizer_; }

  // All zero when nothing of the text is known.
  Vector embed(std::string_view text) const { return vector_of(ids(text)); }
  std::vector<std::uint32_t> ids(std::string_view text) const;
  Vector vector_of(std::span<const std::uint32_t> ids) const;
  // Of one token, weighted as in a text.
  Vector token_vector(std::uint32_t id) const { return vector_of({&id, 1}); }
  // What vector_of() makes unit, added to `sum` (dimension() numbers), by the kernels given.
  void sum(const vectors::Kernels& kernels, std::span<const std::uint32_t> ids, std::span<float> sum) const;
  float token_weight(std::uint32_t id) const { return scale_[id]; }
  // Its row of the table: dimension() numbers, without its weight.
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

// The model in the binary. Its name, "builtin/<name>-<hash>", changes with it: vectors of another one are not mixed
// in. Owns its table, which never changes; every thread may embed.
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

// The one of this process, made when first asked for (a millisecond).
BuiltinEmbedder& builtin_embedder();

}  // namespace memd::embedding
