#include "store/enrich/embedding/builtin_embedder.hpp"

#include "schemas/embedded.hpp"

namespace memd::embedding {
namespace {

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
    std::vector<std::uint32_t> ids = model_.ids(text);
    // All unknown words have one vector: it would find texts that are full of any others.
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
