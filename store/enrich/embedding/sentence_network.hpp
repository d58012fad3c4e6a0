#pragma once

#include "schemas/base/result.hpp"
#include "store/enrich/embedding/embedder.hpp"
#include "store/enrich/embedding/wordpiece.hpp"
#include "store/files/mapped_file.hpp"
#include "store/search/vectors/kernels.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd::embedding {

// A linear layer, as it lies in the file: outputs × inputs.
struct LinearWeights {
  const float* scale = nullptr;        // of each row
  const std::int8_t* codes = nullptr;  // rows, aligned to 64 bytes
  const float* bias = nullptr;         // of each row
  std::uint32_t outputs = 0;
  std::uint32_t inputs = 0;  // a multiple of 64
};

struct NormWeights {
  const float* gain = nullptr;
  const float* bias = nullptr;
};

struct EncoderLayer {
  LinearWeights query_key_value;  // one below the other; queries divided by the root of a head's width
  LinearWeights attended;
  NormWeights attention_norm;
  LinearWeights widened;
  LinearWeights narrowed;
  NormWeights output_norm;
};

// A BERT encoder with int8 weights; the vector of a text is the mean of its tokens in the last layer. Activations are
// rounded to int8 before each linear layer, everything else is float32. Immutable, so thread-safe. The result is
// bit-identical on every processor.
//
// File (little endian): "MEMDNET1", u32 width, tokens, positions, layers, heads, inner width, first token ([CLS]), last
// token ([SEP]), name bytes, 0; name; then arrays, each after zeros to a multiple of 64. A matrix is float32
// scale[rows] and int8 codes[rows][columns], a linear layer a matrix and float32 bias[rows], a norm float32 gain[width]
// and bias[width]. They are: matrix of tokens; float32 positions[positions][width]; norm; and of each layer the members
// of EncoderLayer. packaging/model/network.py writes it.
class SentenceNetwork {
 public:
  // `file` and `tokenizer` must outlive the network. The tokenizer's vocabulary is the network's. Returns unsupported
  // for another format, store_corrupt for a damaged file.
  static Result<SentenceNetwork> load(std::span<const std::byte> file, const Wordpiece& tokenizer);

  std::string_view name() const { return name_; }
  int dimension() const { return static_cast<int>(width_); }
  // Returns the vector of the beginning of the text, as many tokens as the network has positions. Takes a millisecond
  // for a question, 30 for a long text.
  Vector embed(std::string_view text, const vectors::Kernels& kernels = vectors::kernels()) const;

 private:
  struct Forward;
  SentenceNetwork(std::string_view name, const Wordpiece& tokenizer) : name_(name), tokenizer_(&tokenizer) {}

  std::string_view name_;
  const Wordpiece* tokenizer_;
  std::uint32_t width_ = 0;
  std::uint32_t positions_ = 0;
  std::uint32_t heads_ = 0;
  std::uint32_t inner_ = 0;
  std::uint32_t first_ = 0;
  std::uint32_t last_ = 0;
  LinearWeights words_;  // without bias
  const float* place_ = nullptr;
  NormWeights input_norm_;
  std::vector<EncoderLayer> layers_;
};

// Opens the file of a network that `program` does not contain: ../lib/memd/<name>-<hash>.memdnet beside it. Errors:
// not_found, io.
Result<files::MappedFile> open_network_of(const std::filesystem::path& program);

// Takes the pages of that file out of this process, if it is open. Thread-safe.
void unmap_network_pages();

// The network of this program. Its name, "builtin/<name>-<hash>", changes with it. Thread-safe.
class BuiltinNetwork final : public Embedder {
 public:
  // Returns unsupported or store_corrupt for a damaged file, and the errors of open_network_of().
  static Result<BuiltinNetwork> load();
  ModelId model() const override { return {name_, network_.dimension()}; }
  Result<std::vector<Vector>> embed(std::span<const std::string_view> texts, Purpose purpose,
                                    std::stop_token stop) override;

 private:
  explicit BuiltinNetwork(SentenceNetwork network);

  std::string name_;
  SentenceNetwork network_;
};

}  // namespace memd::embedding
