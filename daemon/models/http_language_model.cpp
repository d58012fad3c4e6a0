#include "daemon/models/http_language_model.hpp"

#include "protocol/models/model_api.hpp"

#include <utility>

namespace memd::llm {
namespace {

// Of JSON for each token of an answer: escapes, and thoughts of models that do not count them.
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
