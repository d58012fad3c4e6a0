#include "daemon/models/http_models.hpp"

#include "protocol/models/model_api.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace memd::embedding {
namespace {

struct Prefixes {
  std::string_view part_of_name;  // in lower case
  std::string_view query;
  std::string_view document;
};

// Taken from the model cards.
constexpr std::array<Prefixes, 6> kPrefixes{{
    {"nomic-embed", "search_query: ", "search_document: "},
    {"embeddinggemma", "task: search result | query: ", "title: none | text: "},
    {"mxbai-embed", "Represent this sentence for searching relevant passages: ", ""},
    {"snowflake-arctic-embed", "Represent this sentence for searching relevant passages: ", ""},
    {"multilingual-e5", "query: ", "passage: "},
    {"/e5-", "query: ", "passage: "},
}};

// Per text: 4,096 dimensions of 32 characters each.
constexpr std::size_t kResponseBytesPerText = 4096 * 32;
constexpr std::size_t kResponseBytes = 64 << 10;

}  // namespace

std::string_view purpose_prefix(std::string_view model, Purpose purpose) {
  const std::string name = "/" + ascii::lowered(model);
  for (const auto& p : kPrefixes)
    if (name.find(p.part_of_name) != std::string::npos) return purpose == Purpose::query ? p.query : p.document;
  return {};
}

std::string name_of(const RemoteModel& m) {
  return std::string(to_string(m.dialect)) + "/" + m.model + (m.dimensions ? "@" + std::to_string(*m.dimensions) : "");
}

struct HttpEmbedder::Outcome {
  std::vector<Vector> vectors;
  std::optional<Failure> failure;
};

HttpEmbedder::HttpEmbedder(RemoteModel model, std::shared_ptr<http::Client> client, CircuitBreaker::Options back_off)
    : remote_(std::move(model)),
      server_(remote_, name_of(remote_), std::move(client)),
      documents_(back_off),
      questions_(std::move(back_off)) {}

ModelId HttpEmbedder::model() const { return {server_.name(), dimension_}; }

Result<std::vector<Vector>> HttpEmbedder::embed(std::span<const std::string_view> texts, Purpose purpose,
                                                std::stop_token stop) {
  CircuitBreaker& breaker = purpose == Purpose::query ? questions_ : documents_;
  if (const auto open = breaker.open()) return Error(Errc::unavailable, open->reason);
  std::vector<Vector> out;
  out.reserve(texts.size());
  while (out.size() < texts.size()) {
    const std::size_t first = out.size();
    std::size_t count = 0;
    for (std::size_t bytes = 0; count < remote_.batch_size && first + count < texts.size(); ++count) {
      bytes += texts[first + count].size();
      if (count > 0 && bytes > remote_.batch_bytes) break;
    }
    Outcome outcome = ask(texts.subspan(first, count), purpose, stop);
    if (outcome.failure) {
      Failure& f = *outcome.failure;
      if (f.of_server) breaker.failed(f.error.context, f.hopeless, f.retry_after);
      return std::move(f.error);
    }
    std::move(outcome.vectors.begin(), outcome.vectors.end(), std::back_inserter(out));
  }
  breaker.succeeded();
  return out;
}

HttpEmbedder::Outcome HttpEmbedder::ask(std::span<const std::string_view> texts, Purpose purpose,
                                        const std::stop_token& stop) {
  const std::string prefix(purpose_prefix(remote_.model, purpose));
  std::vector<std::string> prefixed;
  std::vector<std::string_view> inputs(texts.begin(), texts.end());
  if (!prefix.empty()) {
    for (const auto text : texts)
      prefixed.push_back(prefix + std::string(text));
    inputs.assign(prefixed.begin(), prefixed.end());
  }
  provider::ModelServer::Question question;
  question.path = embeddings_api::path_of(remote_.dialect);
  question.body = embeddings_api::request_body(remote_.dialect, remote_.model, inputs, remote_.dimensions);
  question.timeout = purpose == Purpose::query ? remote_.query_timeout : remote_.timeout;
  question.most_response_bytes = kResponseBytes + texts.size() * kResponseBytesPerText;
  auto answer = server_.ask(std::move(question), stop);
  if (answer.failure) return {{}, std::move(answer.failure)};
  auto vectors = embeddings_api::parse_answer(remote_.dialect, answer.body, texts.size());
  if (!vectors)
    return {
        {},
        Failure{
            server_.say(Errc::protocol, vectors.error().context + "; is it a model for embeddings?"), true, true, {}}};
  const int got = static_cast<int>(vectors->front().size());
  int known = 0;
  const bool fits = dimension_.compare_exchange_strong(known, got) || known == got;
  if (!fits || (remote_.dimensions && got != *remote_.dimensions))
    return {{},
            Failure{server_.say(Errc::protocol, "its vectors have " + std::to_string(got) + " numbers, not " +
                                                    std::to_string(remote_.dimensions.value_or(known)) +
                                                    " as before: with embedding.dimensions: " + std::to_string(got) +
                                                    " all are rebuilt"),
                    true,
                    true,
                    {}}};
  return {std::move(*vectors), std::nullopt};
}

}  // namespace memd::embedding

namespace memd::llm {
namespace {

// Bytes of JSON for each token of an answer. Covers escapes, and thoughts that some models do not count as tokens.
constexpr std::size_t kResponseBytesPerToken = 64;
constexpr std::size_t kResponseBytes = 256 << 10;

}  // namespace

HttpLanguageModel::HttpLanguageModel(RemoteLanguageModel model, std::shared_ptr<http::Client> client,
                                     provider::CircuitBreaker::Options back_off)
    : remote_(std::move(model)),
      server_(remote_, std::string(to_string(remote_.dialect)) + "/" + remote_.model, std::move(client)),
      breaker_(std::move(back_off)) {}

Result<std::vector<Completion>> HttpLanguageModel::complete(std::span<const CompletionRequest> requests,
                                                            std::stop_token stop) {
  std::vector<Completion> out;
  for (const auto& request : requests) {
    if (const auto open = breaker_.open()) return Error(Errc::unavailable, open->reason);
    MEMD_TRY_ASSIGN(auto completion, ask(request, stop));
    out.push_back(std::move(completion));
  }
  return out;
}

Result<Completion> HttpLanguageModel::ask(const CompletionRequest& request, const std::stop_token& stop) {
  const completions_api::RequestOptions options{remote_.context_tokens, remote_.base.host == "api.openai.com"};
  provider::ModelServer::Question question;
  question.path = completions_api::path_of(remote_.dialect);
  question.body = completions_api::request_body(remote_.dialect, remote_.model, request, options);
  question.timeout = remote_.timeout;
  question.most_response_bytes = kResponseBytes + request.max_tokens * kResponseBytesPerToken;
  auto answer = server_.ask(std::move(question), stop);
  if (answer.failure) {
    auto& f = *answer.failure;
    if (f.of_server) breaker_.failed(f.error.context, f.hopeless, f.retry_after);
    return std::move(f.error);
  }
  auto completion = completions_api::parse_answer(remote_.dialect, answer.body);
  if (!completion) {
    Error error = server_.say(Errc::protocol, completion.error().context + "; is it a model that chats?");
    breaker_.failed(error.context, false, {});
    return error;
  }
  breaker_.succeeded();
  if (completion->model.empty()) completion->model = remote_.model;
  return completion;
}

}  // namespace memd::llm
