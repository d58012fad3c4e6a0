#include "daemon/models/vector_maker.hpp"

#include "schemas/base/error.hpp"
#include "store/search/vectors/codes.hpp"
#include "store/text/text_chunks.hpp"

#include <algorithm>
#include <unordered_set>

namespace memd {
namespace {

// Texts between two checks of the stop token. Vectors made so far are kept when the next request fails.
constexpr std::size_t kTextsAtOnce = 64;
// Maximum number of vectors kept from an interrupted run.
constexpr std::size_t kMostKept = 20'000;
// Consecutive refusals after which the model itself is checked: it may refuse everything.
constexpr int kRefusesAll = 8;

using enrichment::TextChunk;

}  // namespace

Result<std::vector<ExchangeVectors>> VectorMaker::make(const embedding::ModelChoice& model,
                                                       std::span<const PendingExchange* const> exchanges,
                                                       std::span<const ExchangeVectors> stored, std::stop_token stop) {
  const std::string name = model.embedder->model().name;
  if (made_by_ != name || made_.size() > kMostKept) made_.clear();
  made_by_ = name;
  std::vector<std::vector<TextChunk>> chunks;
  std::unordered_set<std::uint64_t> wanted;
  std::vector<std::uint64_t> hashes;
  std::vector<std::string_view> texts;
  int dimension = 0;
  for (std::size_t i = 0; i < exchanges.size(); ++i) {
    const ExchangeVectors& old = stored[i];
    if (old.dimension > 0) dimension = old.dimension;
    for (std::size_t c = 0; c < old.chunk_hashes.size(); ++c) {
      const auto* begin = old.vectors.data() + c * static_cast<std::size_t>(old.dimension);
      made_.try_emplace(old.chunk_hashes[c], begin, begin + old.dimension);
    }
    chunks.push_back(enrichment::chunks_of(*exchanges[i]));
  }
  for (const auto& of_one : chunks)
    for (const TextChunk& chunk : of_one)
      if (!made_.contains(chunk.hash) && wanted.insert(chunk.hash).second) {
        hashes.push_back(chunk.hash);
        texts.push_back(chunk.text);
      }
  const std::size_t at_once = model.remote ? model.remote->batch_size() : kTextsAtOnce;
  for (std::size_t at = 0; at < texts.size(); at += at_once) {
    const std::size_t count = std::min(at_once, texts.size() - at);
    MEMD_TRY(embed(model, std::span(hashes).subspan(at, count), std::span(texts).subspan(at, count), stop));
  }

  const embedding::ModelId id = model.embedder->model();
  if (id.dimension > 0) dimension = id.dimension;
  std::vector<ExchangeVectors> out(exchanges.size());
  for (std::size_t i = 0; i < exchanges.size(); ++i) {
    out[i].model = id.name;
    out[i].dimension = dimension;
    for (const TextChunk& chunk : chunks[i]) {
      Bytes& bytes = made_[chunk.hash];
      bytes.resize(static_cast<std::size_t>(dimension));  // zeros for a refused text: similar to nothing
      out[i].chunk_hashes.push_back(chunk.hash);
      out[i].vectors.insert(out[i].vectors.end(), bytes.begin(), bytes.end());
    }
    if (dimension == 0) out[i].chunk_hashes.clear();
  }
  made_.clear();
  return out;
}

Result<void> VectorMaker::embed(const embedding::ModelChoice& model, std::span<const std::uint64_t> hashes,
                                std::span<const std::string_view> texts, const std::stop_token& stop) {
  if (stop.stop_requested()) return Error(Errc::cancelled, "memd is stopping");
  auto vectors = model.embedder->embed(texts, embedding::Purpose::document, stop);
  if (!vectors && vectors.error().is(Errc::invalid_argument)) {
    if (texts.size() > 1) return embed_singly(model, hashes, texts, stop);
    ++texts_refused_;
    made_[hashes[0]] = {};  // remembered, so that each try makes progress
    if (++refused_in_a_row_ < kRefusesAll) return {};
    refused_in_a_row_ = 0;
    return Error(Errc::unavailable, vectors.error().context);
  }
  if (!vectors) return vectors.error();
  refused_in_a_row_ = 0;
  texts_embedded_ += texts.size();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    Bytes bytes;
    vectors::append_quantised((*vectors)[i], bytes);
    made_[hashes[i]] = std::move(bytes);
  }
  return {};
}

// Embeds texts one by one, so that one refused text does not affect the others.
Result<void> VectorMaker::embed_singly(const embedding::ModelChoice& model, std::span<const std::uint64_t> hashes,
                                       std::span<const std::string_view> texts, const std::stop_token& stop) {
  for (std::size_t i = 0; i < texts.size(); ++i)
    MEMD_TRY(embed(model, hashes.subspan(i, 1), texts.subspan(i, 1), stop));
  return {};
}

}  // namespace memd
