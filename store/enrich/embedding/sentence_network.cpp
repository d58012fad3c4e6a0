#include "store/enrich/embedding/sentence_network.hpp"

#include "schemas/base/embedded.hpp"
#include "schemas/base/error.hpp"
#include "schemas/instruction_sets.hpp"
#include "store/files/own_executable.hpp"
#include "store/search/vectors/codes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

namespace memd::embedding {
namespace {

static_assert(std::endian::native == std::endian::little, "the network is read where it lies");

constexpr std::string_view kMagic = "MEMDNET1";
constexpr std::size_t kAlignment = 64;
constexpr std::uint32_t kMostWidth = 4096;
constexpr std::uint32_t kHeadWidth = 32;  // two Lanes
constexpr float kNormEpsilon = 1e-12F;    // BERT's

struct Header {
  char magic[8];
  std::uint32_t width;
  std::uint32_t tokens;
  std::uint32_t positions;
  std::uint32_t layers;
  std::uint32_t heads;
  std::uint32_t inner;
  std::uint32_t first;
  std::uint32_t last;
  std::uint32_t name_bytes;
  std::uint32_t reserved;
};
static_assert(sizeof(Header) == 48);

Error damaged(std::string what) { return {Errc::store_corrupt, "sentence network is damaged: " + std::move(what)}; }

// Takes the arrays of a file one after the other. After the end of the file, arrays are null and failed() is true.
class Arrays {
 public:
  Arrays(std::span<const std::byte> file, std::size_t at) : file_(file), at_(at) {}

  bool failed() const { return failed_; }
  bool at_end() const { return !failed_ && at_ == file_.size(); }

  template <class T>
  const T* take(std::uint64_t count) {
    const std::uint64_t begin = (at_ + kAlignment - 1) / kAlignment * kAlignment;
    const std::uint64_t bytes = count * sizeof(T);
    if (failed_ || begin > file_.size() || bytes > file_.size() - begin) {
      failed_ = true;
      return nullptr;
    }
    at_ = begin + bytes;
    return reinterpret_cast<const T*>(file_.data() + begin);
  }

  // A matrix without bias.
  LinearWeights matrix(std::uint32_t outputs, std::uint32_t inputs) {
    LinearWeights out;
    out.outputs = outputs;
    out.inputs = inputs;
    out.scale = floats(outputs);
    out.codes = take<std::int8_t>(std::uint64_t{outputs} * inputs);
    return out;
  }
  LinearWeights linear(std::uint32_t outputs, std::uint32_t inputs) {
    LinearWeights out = matrix(outputs, inputs);
    out.bias = floats(outputs);
    return out;
  }
  NormWeights norm(std::uint32_t width) {
    NormWeights out;
    out.gain = floats(width);
    out.bias = floats(width);
    return out;
  }
  // Numbers, all finite.
  const float* floats(std::uint64_t count) {
    const float* out = take<float>(count);
    if (out != nullptr && !std::all_of(out, out + count, [](float f) { return std::isfinite(f); })) failed_ = true;
    return out;
  }

 private:
  std::span<const std::byte> file_;
  std::uint64_t at_;
  bool failed_ = false;
};

// The loops below are inlined into one function for each instruction set (SentenceNetwork::Forward), with vectors of
// the width of its registers. Sums have sixteen lanes in a fixed order, whatever that width, so that all give the same
// bits.
#define MEMD_INLINE [[gnu::always_inline]] inline

constexpr std::size_t kLanes = 16;

template <std::size_t kWidth>
using Floats [[gnu::vector_size(kWidth * sizeof(float))]] = float;
template <std::size_t kWidth>
using Ints [[gnu::vector_size(kWidth * sizeof(std::int32_t))]] = std::int32_t;

// Sixteen numbers.
template <std::size_t kWidth>
struct Lanes {
  static constexpr std::size_t kParts = kLanes / kWidth;
  Floats<kWidth> part[kParts]{};
};

template <class Vector, class Number>
MEMD_INLINE void load(const Number* from, Vector& out) {
  std::memcpy(&out, from, sizeof out);
}
template <class Vector>
MEMD_INLINE void store(const Vector& vector, float* to) {
  std::memcpy(to, &vector, sizeof vector);
}

template <std::size_t kWidth>
MEMD_INLINE float sum_of(const Lanes<kWidth>& lanes) {
  float halves[kLanes];
  std::memcpy(halves, lanes.part, sizeof halves);
  for (std::size_t width = kLanes / 2; width > 0; width /= 2)
    for (std::size_t i = 0; i < width; ++i)
      halves[i] += halves[i + width];
  return halves[0];
}

template <class Vector>
MEMD_INLINE float largest_of(const Vector& vector) {
  float out = vector[0];
  for (std::size_t i = 1; i < sizeof vector / sizeof out; ++i)
    out = out < vector[i] ? vector[i] : out;
  return out;
}

// Adding and subtracting it rounds a small number to the nearest integer.
constexpr float kRounding = 12'582'912.0F;  // 1.5 · 2^23

// e to the power of `x`, which becomes it; x ≤ 0. Relative error below 1e-6; 0 from −87 on.
template <std::size_t kWidth>
MEMD_INLINE void exponential(Floats<kWidth>& x) {
  using Vector = Floats<kWidth>;
  const Vector least = Vector{} - 87.0F;
  const Ints<kWidth> vanishes = x < least;
  x = vanishes ? least : x;
  const Vector power = x * 1.44269504F;
  const Vector rounded = (power + kRounding) - kRounding;
  const Vector f = power - rounded;
  Vector sum = f * 1.33335581e-3F + 9.61812911e-3F;
  sum = sum * f + 5.55041087e-2F;
  sum = sum * f + 2.40226507e-1F;
  sum = sum * f + 6.93147181e-1F;
  sum = sum * f + 1.0F;
  const Ints<kWidth> exponent = (__builtin_convertvector(rounded, Ints<kWidth>) + 127) << 23;
  Vector scale;
  std::memcpy(&scale, &exponent, sizeof scale);
  const Vector zero{};
  x = vanishes ? zero : sum * scale;
}

// x · Φ(x), Φ being the distribution function of the normal distribution, with the error function of Abramowitz and
// Stegun 7.1.26 (absolute error below 2e-7).
template <std::size_t kWidth>
MEMD_INLINE void gelu(Floats<kWidth>& x) {
  using Vector = Floats<kWidth>;
  const Vector zero{};
  const Ints<kWidth> negative = x < zero;
  const Vector z = (negative ? zero - x : x) * 0.707106781F;
  const Vector t = 1.0F / (1.0F + z * 0.3275911F);
  Vector tail = t * 1.061405429F - 1.453152027F;
  tail = tail * t + 1.421413741F;
  tail = tail * t - 0.284496736F;
  tail = (tail * t + 0.254829592F) * t;
  Vector e = zero - z * z;
  exponential<kWidth>(e);
  const Vector half = tail * e * 0.5F;  // 1 − Φ(|x|)
  x = x * (negative ? half : 1.0F - half);
}

// Memory of one text.
struct Activations {
  Activations(std::size_t tokens, std::size_t width, std::size_t inner)
      : count(tokens),
        padded((tokens + kLanes - 1) / kLanes * kLanes),
        hidden(tokens * width),
        mixed(tokens * width),
        queries_keys_values(tokens * 3 * width),
        wide(tokens * inner),
        codes(tokens * inner),
        scales(tokens),
        dots(tokens * kMostRows),
        keys(kHeadWidth * padded),
        values(padded * kHeadWidth),
        weights(kQueries * padded) {}

  static constexpr std::size_t kQueries = 4;    // attended at a time
  static constexpr std::size_t kMostRows = 64;  // of the weights at a time

  std::size_t count;                       // tokens
  std::size_t padded;                      // count, rounded up to whole Lanes
  std::vector<float> hidden;               // count × width, the state of the network
  std::vector<float> mixed;                // count × width
  std::vector<float> queries_keys_values;  // count × 3 · width
  std::vector<float> wide;                 // count × inner
  vectors::AlignedRow codes;               // the input of a linear layer: count × inputs
  std::vector<float> scales;               // of the rows of codes
  std::vector<std::int32_t> dots;          // count × kMostRows
  std::vector<float> keys;                 // of one head: kHeadWidth × padded
  std::vector<float> values;               // of one head: padded × kHeadWidth
  std::vector<float> weights;              // kQueries × padded
};

// Rounds rows to signed bytes, the largest component of each to ±127.
template <std::size_t kWidth>
MEMD_INLINE void quantise(const float* rows, std::size_t width, Activations& a) {
  using Vector = Floats<kWidth>;
  for (std::size_t t = 0; t < a.count; ++t) {
    const float* row = rows + t * width;
    Vector largest{};
    for (std::size_t i = 0; i < width; i += kWidth) {
      Vector x;
      load(row + i, x);
      const Vector size = x < Vector{} ? Vector{} - x : x;
      largest = size > largest ? size : largest;
    }
    const float top = largest_of(largest);
    a.scales[t] = top / 127;
    const float inverse = top > 0 ? 127 / top : 0;
    std::int8_t* codes = a.codes.data() + t * width;
    for (std::size_t i = 0; i < width; i += kLanes) {
      std::int32_t numbers[kLanes];
      for (std::size_t part = 0; part < kLanes; part += kWidth) {
        Vector x;
        load(row + i + part, x);
        const Ints<kWidth> rounded = __builtin_convertvector((x * inverse + kRounding) - kRounding, Ints<kWidth>);
        std::memcpy(numbers + part, &rounded, sizeof rounded);
      }
      for (std::size_t k = 0; k < kLanes; ++k)
        codes[i + k] = static_cast<std::int8_t>(numbers[k]);
    }
  }
}

// out = rows · weightsᵀ + bias, then GELU if wanted. Some rows of the weights at a time, so that they stay in the L1
// cache for all tokens.
template <std::size_t kWidth, bool kGelu>
MEMD_INLINE void linear(const vectors::Kernels& kernels, const LinearWeights& w, const float* rows, Activations& a,
                        float* out) {
  using Vector = Floats<kWidth>;
  constexpr std::size_t kCacheBytes = 24'576;
  constexpr std::size_t kMostRows = Activations::kMostRows;
  quantise<kWidth>(rows, w.inputs, a);
  const std::size_t tile = std::clamp<std::size_t>(kCacheBytes / w.inputs / kLanes * kLanes, kLanes, kMostRows);
  for (std::size_t o = 0; o < w.outputs; o += tile) {
    const std::size_t here = std::min<std::size_t>(tile, w.outputs - o);
    kernels.dots(a.codes.data(), a.count, w.codes + o * w.inputs, here, w.inputs, a.dots.data());
    for (std::size_t t = 0; t < a.count; ++t) {
      const std::int32_t* dots = a.dots.data() + t * here;
      const float scale = a.scales[t];
      float* to = out + t * w.outputs + o;
      for (std::size_t k = 0; k < here; k += kWidth) {
        Ints<kWidth> sum;
        Vector row_scale;
        Vector bias;
        load(dots + k, sum);
        load(w.scale + o + k, row_scale);
        load(w.bias + o + k, bias);
        Vector y = __builtin_convertvector(sum, Vector) * (row_scale * scale) + bias;
        if constexpr (kGelu) gelu<kWidth>(y);
        store(y, to + k);
      }
    }
  }
}

// rows = norm(rows + added), token by token; `added` may be null.
template <std::size_t kWidth>
MEMD_INLINE void add_and_norm(const NormWeights& w, const float* added, std::size_t count, std::size_t width,
                              float* rows) {
  using Vector = Floats<kWidth>;
  constexpr std::size_t kParts = Lanes<kWidth>::kParts;
  for (std::size_t t = 0; t < count; ++t) {
    float* row = rows + t * width;
    Lanes<kWidth> sum;
    for (std::size_t i = 0; i < width; i += kLanes) {
      for (std::size_t p = 0; p < kParts; ++p) {
        const std::size_t at = i + p * kWidth;
        Vector x;
        load(row + at, x);
        if (added != nullptr) {
          Vector y;
          load(added + t * width + at, y);
          x += y;
          store(x, row + at);
        }
        sum.part[p] += x;
      }
    }
    const float mean = sum_of(sum) / static_cast<float>(width);
    Lanes<kWidth> squares;
    for (std::size_t i = 0; i < width; i += kLanes) {
      for (std::size_t p = 0; p < kParts; ++p) {
        Vector x;
        load(row + i + p * kWidth, x);
        x -= mean;
        squares.part[p] += x * x;
      }
    }
    const float inverse = 1 / std::sqrt(sum_of(squares) / static_cast<float>(width) + kNormEpsilon);
    for (std::size_t i = 0; i < width; i += kWidth) {
      Vector x;
      Vector gain;
      Vector bias;
      load(row + i, x);
      load(w.gain + i, gain);
      load(w.bias + i, bias);
      store((x - mean) * inverse * gain + bias, row + i);
    }
  }
}

// Products of some queries and all keys of a head, into a.weights; their exponentials, relative to the largest, follow.
// Sets the inverse of the sum of each row.
template <std::size_t kWidth>
MEMD_INLINE void weigh(Activations& a, const float* const* query, float* inverse) {
  using Vector = Floats<kWidth>;
  constexpr std::size_t kQueries = Activations::kQueries;
  constexpr std::size_t kParts = Lanes<kWidth>::kParts;
  Vector largest[kQueries];
  for (Vector& l : largest)
    l = Vector{} - 1e30F;
  for (std::size_t s = 0; s < a.padded; s += kLanes) {
    Lanes<kWidth> score[kQueries];
    for (std::size_t d = 0; d < kHeadWidth; ++d) {
      for (std::size_t p = 0; p < kParts; ++p) {
        Vector key;
        load(a.keys.data() + d * a.padded + s + p * kWidth, key);
        for (std::size_t r = 0; r < kQueries; ++r)
          score[r].part[p] += key * query[r][d];
      }
    }
    for (std::size_t r = 0; r < kQueries; ++r) {
      float* weights = a.weights.data() + r * a.padded + s;
      store(score[r].part, weights);
      for (std::size_t k = a.count > s ? a.count - s : 0; k < kLanes; ++k)
        weights[k] = -1e30F;  // no token
      for (std::size_t p = 0; p < kParts; ++p) {
        Vector x;
        load(weights + p * kWidth, x);
        largest[r] = x > largest[r] ? x : largest[r];
      }
    }
  }
  for (std::size_t r = 0; r < kQueries; ++r) {
    float* weights = a.weights.data() + r * a.padded;
    const float top = largest_of(largest[r]);
    Lanes<kWidth> sum;
    for (std::size_t s = 0; s < a.padded; s += kLanes) {
      for (std::size_t p = 0; p < kParts; ++p) {
        Vector x;
        load(weights + s + p * kWidth, x);
        x -= top;
        exponential<kWidth>(x);
        sum.part[p] += x;
        store(x, weights + s + p * kWidth);
      }
    }
    inverse[r] = 1 / sum_of(sum);
  }
}

// Attention of one head, for the queries from `first` on; their results go to a.mixed.
template <std::size_t kWidth>
MEMD_INLINE void attend(Activations& a, std::size_t width, std::size_t head, std::size_t first) {
  using Vector = Floats<kWidth>;
  constexpr std::size_t kQueries = Activations::kQueries;
  constexpr std::size_t kParts = Lanes<kWidth>::kParts;
  const std::size_t here = std::min(kQueries, a.count - first);
  const float* query[kQueries];
  for (std::size_t r = 0; r < kQueries; ++r)
    query[r] = a.queries_keys_values.data() + (first + std::min(r, here - 1)) * 3 * width + head * kHeadWidth;
  float inverse[kQueries];
  weigh<kWidth>(a, query, inverse);
  for (std::size_t half = 0; half < kHeadWidth; half += kLanes) {
    Lanes<kWidth> sum[kQueries];
    for (std::size_t s = 0; s < a.count; ++s) {
      for (std::size_t p = 0; p < kParts; ++p) {
        Vector value;
        load(a.values.data() + s * kHeadWidth + half + p * kWidth, value);
        for (std::size_t r = 0; r < kQueries; ++r)
          sum[r].part[p] += value * a.weights[r * a.padded + s];
      }
    }
    for (std::size_t r = 0; r < here; ++r) {
      float* out = a.mixed.data() + (first + r) * width + head * kHeadWidth + half;
      for (std::size_t p = 0; p < kParts; ++p)
        store(sum[r].part[p] * inverse[r], out + p * kWidth);
    }
  }
}

template <std::size_t kWidth>
MEMD_INLINE void attention(Activations& a, std::size_t width, std::size_t heads) {
  for (std::size_t head = 0; head < heads; ++head) {
    for (std::size_t t = 0; t < a.count; ++t) {
      const float* key = a.queries_keys_values.data() + t * 3 * width + width + head * kHeadWidth;
      for (std::size_t d = 0; d < kHeadWidth; ++d)
        a.keys[d * a.padded + t] = key[d];
      std::copy_n(key + width, kHeadWidth, a.values.data() + t * kHeadWidth);
    }
    for (std::size_t first = 0; first < a.count; first += Activations::kQueries)
      attend<kWidth>(a, width, head, first);
  }
}

}  // namespace

struct SentenceNetwork::Forward {
  // Sets a.hidden to the last layer's tokens.
  template <std::size_t kWidth>
  MEMD_INLINE static void run(const SentenceNetwork& network, const vectors::Kernels& kernels,
                              std::span<const std::uint32_t> ids, Activations& a) {
    const std::size_t width = network.width_;
    for (std::size_t t = 0; t < ids.size(); ++t) {
      const std::int8_t* codes = network.words_.codes + ids[t] * width;
      for (std::size_t i = 0; i < width; ++i)
        a.hidden[t * width + i] =
            static_cast<float>(codes[i]) * network.words_.scale[ids[t]] + network.place_[t * width + i];
    }
    add_and_norm<kWidth>(network.input_norm_, nullptr, a.count, width, a.hidden.data());
    for (const EncoderLayer& layer : network.layers_) {
      linear<kWidth, false>(kernels, layer.query_key_value, a.hidden.data(), a, a.queries_keys_values.data());
      attention<kWidth>(a, width, network.heads_);
      std::vector<float>& attended = a.wide;  // not in use yet, and large enough
      linear<kWidth, false>(kernels, layer.attended, a.mixed.data(), a, attended.data());
      add_and_norm<kWidth>(layer.attention_norm, attended.data(), a.count, width, a.hidden.data());
      linear<kWidth, true>(kernels, layer.widened, a.hidden.data(), a, a.wide.data());
      linear<kWidth, false>(kernels, layer.narrowed, a.wide.data(), a, a.mixed.data());
      add_and_norm<kWidth>(layer.output_norm, a.mixed.data(), a.count, width, a.hidden.data());
    }
  }

  static void portable(const SentenceNetwork& network, const vectors::Kernels& kernels,
                       std::span<const std::uint32_t> ids, Activations& a) {
    run<4>(network, kernels, ids, a);
  }
#if defined(__x86_64__)
  MEMD_AVX2 static void avx2(const SentenceNetwork& network, std::span<const std::uint32_t> ids, Activations& a) {
    run<8>(network, vectors::kAvx2Kernels, ids, a);
  }
  MEMD_AVX512 static void avx512(const SentenceNetwork& network, std::span<const std::uint32_t> ids, Activations& a) {
    run<16>(network, vectors::kAvx512Kernels, ids, a);
  }
#endif

  // Runs the pass compiled for the instruction set of the kernels.
  static void dispatch(const SentenceNetwork& network, const vectors::Kernels& kernels,
                       std::span<const std::uint32_t> ids, Activations& a) {
#if defined(__x86_64__)
    if (&kernels == &vectors::kAvx512Kernels) return avx512(network, ids, a);
    if (&kernels == &vectors::kAvx2Kernels) return avx2(network, ids, a);
#endif
    portable(network, kernels, ids, a);
  }
};

Result<SentenceNetwork> SentenceNetwork::load(std::span<const std::byte> file, const Wordpiece& tokenizer) {
  Header h;
  if (file.size() < sizeof h) return damaged("shorter than its header");
  std::memcpy(&h, file.data(), sizeof h);
  if (std::string_view(h.magic, sizeof h.magic) != kMagic)
    return Error(Errc::unsupported, "not a sentence network: it does not begin with MEMDNET1");
  if (h.reserved != 0 || h.width != h.heads * kHeadWidth || h.width % kAlignment != 0 || h.inner % kAlignment != 0)
    return Error(Errc::unsupported, "sentence network of a kind this version does not know");
  if (h.width == 0 || h.width > kMostWidth || h.inner < h.width || h.inner > 4 * kMostWidth || h.positions < 3)
    return damaged("its sizes are impossible");
  if (h.tokens != tokenizer.size() || h.first >= h.tokens || h.last >= h.tokens)
    return damaged(std::to_string(h.tokens) + " tokens, the vocabulary has " + std::to_string(tokenizer.size()));
  if (reinterpret_cast<std::uintptr_t>(file.data()) % kAlignment != 0)
    return Error(Errc::invalid_argument, "sentence network does not lie at a multiple of 64");
  if (file.size() - sizeof h < h.name_bytes) return damaged("it ends early");

  SentenceNetwork out({reinterpret_cast<const char*>(file.data()) + sizeof h, h.name_bytes}, tokenizer);
  out.width_ = h.width;
  out.positions_ = h.positions;
  out.heads_ = h.heads;
  out.inner_ = h.inner;
  out.first_ = h.first;
  out.last_ = h.last;
  Arrays arrays(file, sizeof h + h.name_bytes);
  out.words_ = arrays.matrix(h.tokens, h.width);
  out.place_ = arrays.floats(std::uint64_t{h.positions} * h.width);
  out.input_norm_ = arrays.norm(h.width);
  for (std::uint32_t i = 0; i < h.layers && !arrays.failed(); ++i) {
    EncoderLayer layer;
    layer.query_key_value = arrays.linear(3 * h.width, h.width);
    layer.attended = arrays.linear(h.width, h.width);
    layer.attention_norm = arrays.norm(h.width);
    layer.widened = arrays.linear(h.inner, h.width);
    layer.narrowed = arrays.linear(h.width, h.inner);
    layer.output_norm = arrays.norm(h.width);
    out.layers_.push_back(layer);
  }
  if (!arrays.at_end()) return damaged("its size does not fit its header, or a number is not finite");
  return out;
}

Vector SentenceNetwork::embed(std::string_view text, const vectors::Kernels& kernels) const {
  // No token has more bytes than this, unless its word is so long that it is one unknown token.
  constexpr std::size_t kMostTokenBytes = 512;
  std::vector<std::uint32_t> ids{first_};
  tokenizer_->tokenize(text.substr(0, positions_ * kMostTokenBytes), ids);
  ids.resize(std::min<std::size_t>(ids.size(), positions_ - 1));
  ids.push_back(last_);
  Activations a(ids.size(), width_, inner_);
  Forward::dispatch(*this, kernels, ids, a);
  Vector out(width_);
  for (std::size_t t = 0; t < a.count; ++t)
    for (std::size_t i = 0; i < width_; ++i)
      out[i] += a.hidden[t * width_ + i];
  double square = 0;
  for (const float x : out)
    square += double{x} * double{x};
  const double inverse = square > 0 ? 1 / std::sqrt(square) : 0;
  for (float& x : out)
    x = static_cast<float>(x * inverse);
  return out;
}

namespace {

std::string short_hash() {
  constexpr std::size_t digits = 8;
  return std::string(embedded::sentence_network().sha256.substr(0, digits));
}

// Opened on first use, and again after a failure. Never closed: networks point into it.
class NetworkFile {
 public:
  Result<std::span<const std::byte>> bytes() {
    const std::lock_guard lock(mutex_);
    if (!file_) {
      MEMD_TRY_ASSIGN(files::MappedFile opened, open_network_of(files::own_executable()));
      file_.emplace(std::move(opened));
    }
    return file_->bytes();
  }
  void unmap_pages() {
    const std::lock_guard lock(mutex_);
    if (file_) file_->unmap_pages();
  }

 private:
  std::mutex mutex_;
  std::optional<files::MappedFile> file_;
};

NetworkFile& network_file() {
  static NetworkFile file;
  return file;
}

}  // namespace

Result<files::MappedFile> open_network_of(const std::filesystem::path& program) {
  const std::filesystem::path name = embedded::sentence_network().name;
  const auto file = name.stem().string() + "-" + short_hash() + name.extension().string();
  return files::MappedFile::open(program.parent_path().parent_path() / "lib/memd" / file);
}

void unmap_network_pages() { network_file().unmap_pages(); }

Result<BuiltinNetwork> BuiltinNetwork::load() {
  std::span<const std::byte> bytes = embedded::sentence_network().bytes;
  if (bytes.empty()) {
    MEMD_TRY_ASSIGN(bytes, network_file().bytes());
  }
  MEMD_TRY_ASSIGN(SentenceNetwork network, SentenceNetwork::load(bytes, builtin_embedder().table().tokenizer()));
  return BuiltinNetwork(std::move(network));
}

BuiltinNetwork::BuiltinNetwork(SentenceNetwork network)
    : name_("builtin/" + std::string(network.name()) + "-" + short_hash()), network_(std::move(network)) {}

Result<std::vector<Vector>> BuiltinNetwork::embed(std::span<const std::string_view> texts, Purpose,
                                                  std::stop_token stop) {
  std::vector<Vector> out;
  for (const std::string_view text : texts) {
    if (stop.stop_requested()) return Error(Errc::cancelled, "embedding was cancelled");
    out.push_back(network_.embed(text));
  }
  return out;
}

}  // namespace memd::embedding
