#include "daemon/embedding/http_embedder.hpp"

#include "daemon/embedding/purpose_prefix.hpp"
#include "daemon/embedding/retry_after.hpp"
#include "schemas/clock.hpp"

#include <algorithm>
#include <utility>

namespace memd::embedding {
namespace {

// Numbers of 4,096 dimensions, 32 characters each, for each text.
constexpr std::size_t kResponseBytesPerText = 4096 * 32;
constexpr std::size_t kResponseBytes = 64 << 10;

bool is_json(std::string_view content_type) {
  return content_type == "application/json" || content_type.ends_with("+json");
}

std::string without(std::string text, std::string_view secret) {
  for (std::size_t at = 0; !secret.empty() && (at = text.find(secret, at)) != std::string::npos;)
    text.replace(at, secret.size(), "…");
  return text;
}

}  // namespace

std::string name_of(const RemoteModel& m) {
  return (m.dialect == embeddings_api::Dialect::ollama ? "ollama/" : "openai/") + m.model +
         (m.dimensions ? "@" + std::to_string(*m.dimensions) : "");
}

struct HttpEmbedder::Outcome {
  std::vector<Vector> vectors;
  std::optional<Failure> failure;
};

HttpEmbedder::HttpEmbedder(RemoteModel model, std::shared_ptr<http::Client> client, CircuitBreaker::Options back_off)
    : remote_(std::move(model)),
      name_(name_of(remote_)),
      client_(std::move(client)),
      documents_(back_off),
      questions_(std::move(back_off)) {}

ModelId HttpEmbedder::model() const { return {name_, dimension_}; }

Error HttpEmbedder::say(Errc code, const std::string& what) const {
  return Error(code, name_ + " at " + remote_.base.text() + ": " + what);
}

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
  const auto key = read_api_key(remote_.key);
  if (!key) return {{}, Failure{key.error(), true, true, {}}};

  http::Request request;
  request.url = remote_.base;
  request.url.path += embeddings_api::path_of(remote_.dialect);
  if (!key->empty()) request.headers.emplace_back("Authorization", "Bearer " + *key);
  const std::string prefix(purpose_prefix(remote_.model, purpose));
  std::vector<std::string> prefixed;
  std::vector<std::string_view> inputs(texts.begin(), texts.end());
  if (!prefix.empty()) {
    for (const auto text : texts)
      prefixed.push_back(prefix + std::string(text));
    inputs.assign(prefixed.begin(), prefixed.end());
  }
  request.body = embeddings_api::request_body(remote_.dialect, remote_.model, inputs, remote_.dimensions);
  request.connect_timeout = remote_.connect_timeout;
  request.total_timeout = purpose == Purpose::query ? remote_.query_timeout : remote_.timeout;
  request.most_response_bytes = kResponseBytes + texts.size() * kResponseBytesPerText;

  const auto response = client_->post(request, stop);
  if (!response) {
    const Error& e = response.error();
    if (e.is(Errc::cancelled)) return {{}, Failure{e, false, false, {}}};
    const bool local = remote_.dialect == embeddings_api::Dialect::ollama;
    const std::string advice = e.is(Errc::protocol) ? "is embedding.endpoint right?"
                               : local              ? "is ollama running there? (ollama serve)"
                                                    : "is it running, and embedding.endpoint right?";
    const Errc code = e.is(Errc::protocol) ? Errc::protocol : Errc::unavailable;
    return {{}, Failure{say(code, e.context + "; " + advice), true, code == Errc::protocol, {}}};
  }
  if (response->status != 200) return {{}, refused(*response, *key)};
  if (!is_json(response->content_type))
    return {{},
            Failure{say(Errc::protocol,
                        "it answers with " +
                            (response->content_type.empty() ? "an unnamed type of content" : response->content_type) +
                            " instead of JSON: is embedding.endpoint the address of its API?"),
                    true,
                    true,
                    {}}};
  auto vectors = embeddings_api::parse_answer(remote_.dialect, response->body, texts.size());
  if (!vectors)
    return {{},
            Failure{say(Errc::protocol, vectors.error().context + "; is it a model for embeddings?"), true, true, {}}};
  const int got = static_cast<int>(vectors->front().size());
  int known = 0;
  const bool fits = dimension_.compare_exchange_strong(known, got) || known == got;
  if (!fits || (remote_.dimensions && got != *remote_.dimensions))
    return {{},
            Failure{say(Errc::protocol, "its vectors have " + std::to_string(got) + " numbers, not " +
                                            std::to_string(remote_.dimensions.value_or(known)) +
                                            " as before: with embedding.dimensions: " + std::to_string(got) +
                                            " all are made anew"),
                    true,
                    true,
                    {}}};
  return {std::move(*vectors), std::nullopt};
}

HttpEmbedder::Failure HttpEmbedder::refused(const http::Response& r, const std::string& key) const {
  const std::string status = "status " + std::to_string(r.status);
  std::string complaint = without(embeddings_api::parse_complaint(r.body), key);
  if (!complaint.empty()) complaint = " (" + complaint + ")";
  const auto retry_after = parse_retry_after(r.retry_after, system_clock().now());
  switch (r.status) {
    case 400:
    case 413:
    case 422: return {say(Errc::invalid_argument, "it refuses the text: " + status + complaint), false, false, {}};
    case 401:
    case 403:
      // What it says may repeat the key.
      return {say(Errc::unavailable, "it refuses the key: " + status + "; see embedding.api_key_env and api_key_file"),
              true, true, retry_after};
    case 404:
      return {say(Errc::unavailable, status + complaint +
                                         (remote_.dialect == embeddings_api::Dialect::ollama
                                              ? "; is the model there? (ollama pull " + remote_.model + ")"
                                              : "; are embedding.endpoint (with its /v1) and embedding.model right?")),
              true, true, retry_after};
    case 429:
      return {say(Errc::unavailable, "it is asked too much: " + status + complaint + "; memd waits"), true, false,
              retry_after};
    default: break;
  }
  if (r.status >= 300 && r.status < 400)
    return {
        say(Errc::protocol, "it sends memd elsewhere (" + status + "): put the final address into embedding.endpoint"),
        true,
        true,
        {}};
  return {say(Errc::unavailable, status + complaint + "; memd tries again"), true, r.status < 500, retry_after};
}

}  // namespace memd::embedding
