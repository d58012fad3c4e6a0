#include "store/enrich/embedding/embedder.hpp"

#include "schemas/base/embedded.hpp"
#include "schemas/base/error.hpp"
#include "store/search/vectors/kernels.hpp"
#include "store/text/script.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace memd::embedding {
namespace {

static_assert(std::endian::native == std::endian::little, "the model is read where it lies");

constexpr std::string_view kMagic = "MEMDEMB1";
constexpr std::uint32_t kLowerCase = 1;
constexpr std::size_t kAlignment = 64;
constexpr std::uint32_t kMaxDimension = 4096;

struct Header {
  char magic[8];
  std::uint32_t dimension;
  std::uint32_t tokens;
  std::uint32_t name_bytes;
  std::uint32_t vocabulary_bytes;
  std::uint32_t flags;
  std::uint32_t reserved;
};
static_assert(sizeof(Header) == 32);

std::uint64_t aligned(std::uint64_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

Error damaged(std::string what) { return {Errc::store_corrupt, "embedding model is damaged: " + std::move(what)}; }

}  // namespace

Result<StaticModel> StaticModel::load(std::span<const std::byte> file) {
  Header h;
  if (file.size() < sizeof h) return damaged("shorter than its header");
  std::memcpy(&h, file.data(), sizeof h);
  if (std::string_view(h.magic, sizeof h.magic) != kMagic)
    return Error(Errc::unsupported, "not an embedding model: it does not begin with MEMDEMB1");
  if (h.flags != kLowerCase || h.reserved != 0)
    return Error(Errc::unsupported, "embedding model of a kind this version does not know");
  if (h.dimension == 0 || h.dimension > kMaxDimension) return damaged("dimension " + std::to_string(h.dimension));
  if (reinterpret_cast<std::uintptr_t>(file.data()) % alignof(float) != 0)
    return Error(Errc::invalid_argument, "embedding model does not lie at a multiple of 4");

  const std::uint64_t vocabulary_at = sizeof h + std::uint64_t{h.name_bytes};
  const std::uint64_t scale_at = aligned(vocabulary_at + h.vocabulary_bytes);
  const std::uint64_t table_at = aligned(scale_at + std::uint64_t{h.tokens} * sizeof(float));
  const std::uint64_t end = table_at + std::uint64_t{h.tokens} * h.dimension;
  if (end != file.size())
    return damaged(std::to_string(file.size()) + " bytes, its header says " + std::to_string(end));

  const auto* const bytes = reinterpret_cast<const char*>(file.data());
  const std::string_view name(bytes + sizeof h, h.name_bytes);
  const std::string_view vocabulary(bytes + vocabulary_at, h.vocabulary_bytes);
  const auto lines = static_cast<std::uint64_t>(std::count(vocabulary.begin(), vocabulary.end(), '\n'));
  if (lines != h.tokens || (!vocabulary.empty() && vocabulary.back() != '\n'))
    return damaged(std::to_string(lines) + " lines of vocabulary for " + std::to_string(h.tokens) + " tokens");
  const auto* const scale = reinterpret_cast<const float*>(bytes + scale_at);
  if (!std::all_of(scale, scale + h.tokens, [](float s) { return std::isfinite(s); }))
    return damaged("a weight is not a number");
  return StaticModel(name, h.dimension, vocabulary, scale, reinterpret_cast<const std::int8_t*>(bytes + table_at));
}

std::vector<std::uint32_t> StaticModel::ids(std::string_view text) const {
  std::vector<std::uint32_t> out;
  out.reserve(text.size() / 4 + 8);
  tokenizer_.tokenize(text, out);
  return out;
}

void StaticModel::sum(const vectors::Kernels& kernels, std::span<const std::uint32_t> ids, std::span<float> sum) const {
  kernels.weighted_sum(table_, dimension_, scale_, ids, sum.data());
}

Vector StaticModel::vector_of(std::span<const std::uint32_t> ids) const {
  Vector out(dimension_);
  sum(vectors::kernels(), ids, out);
  double square = 0;
  for (const float v : out)
    square += double{v} * double{v};
  if (square == 0) return out;
  const double inverse = 1 / std::sqrt(square);
  for (float& v : out)
    v = static_cast<float>(v * inverse);
  return out;
}

namespace {

// The model has kana as single characters alone, which mean nothing.
bool has_kana(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto script = tokenizer::script_of(tokenizer::next_character(text, at));
    if (script == tokenizer::Script::hiragana || script == tokenizer::Script::katakana) return true;
  }
  return false;
}

constexpr std::size_t kHashDigits = 8;

std::string builtin_name() {
  const embedded::EmbeddedBinary file = embedded::builtin_model();
  return "builtin/" + std::string(file.name.substr(0, file.name.rfind('.'))) + "-" +
         std::string(file.sha256.substr(0, kHashDigits));
}

}  // namespace

BuiltinEmbedder::BuiltinEmbedder()
    : BuiltinEmbedder(StaticModel::load(embedded::builtin_model().bytes).value(), builtin_name()) {}

Result<std::vector<Vector>> BuiltinEmbedder::embed(std::span<const std::string_view> texts, Purpose purpose,
                                                   std::stop_token stop) {
  std::vector<Vector> out;
  out.reserve(texts.size());
  for (const std::string_view text : texts) {
    if (stop.stop_requested()) return Error(Errc::cancelled, "embedding was cancelled");
    std::vector<std::uint32_t> ids;
    if (purpose != Purpose::query || !has_kana(text)) ids = model_.ids(text);
    // All unknown words have the same vector, which would match texts full of any unknown words.
    if (purpose == Purpose::query)
      std::erase_if(ids, [this](std::uint32_t id) { return model_.tokenizer().is_unknown(id); });
    out.push_back(model_.vector_of(ids));
  }
  return out;
}

BuiltinEmbedder& builtin_embedder() {
  static BuiltinEmbedder embedder;
  return embedder;
}

}  // namespace memd::embedding
