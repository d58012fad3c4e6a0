#include "daemon/models/language_models.hpp"

#include "daemon/models/http_language_model.hpp"

namespace memd::llm {
namespace {

using model_api::Dialect;

RemoteLanguageModel remote_model(const SummariesConfig& config, const SummaryModelChoice& choice) {
  RemoteLanguageModel out;
  out.dialect = choice.provider == SummaryProvider::ollama ? Dialect::ollama : Dialect::openai;
  out.model = choice.model;
  std::string endpoint(provider::usual_endpoint(out.dialect));
  out.key.section = "summaries";
  if (choice.provider == config.choice.provider) {
    // Address and key are those of the preferred model's provider: no key goes to another one.
    if (!config.endpoint.empty()) endpoint = config.endpoint;
    out.key.variable = config.api_key_env;
    out.key.file = config.api_key_file;
  }
  out.base = http::parse_url(endpoint).value();  // the configuration has been checked
  out.connect_timeout = std::chrono::milliseconds(config.connect_timeout_ms);
  out.timeout = std::chrono::milliseconds(config.timeout_ms);
  out.context_tokens = static_cast<std::size_t>(config.context_tokens);
  return out;
}

}  // namespace

std::vector<LanguageModelChoice> make_language_models(const SummariesConfig& config) {
  std::vector<LanguageModelChoice> out;
  if (config.choice.provider == SummaryProvider::disabled) return out;
  const auto client = std::make_shared<http::Client>();
  const auto add = [&](const SummaryModelChoice& choice) {
    if (choice.provider == SummaryProvider::client) {
      out.push_back({});
      return;
    }
    const auto remote = std::make_shared<HttpLanguageModel>(remote_model(config, choice), client);
    const auto left_alone = [remote] {
      const auto open = remote->left_alone();
      return open ? open->reason : std::string();
    };
    out.push_back({remote, left_alone});
  };
  add(config.choice);
  for (const auto& fallback : config.fallbacks)
    add(fallback);
  return out;
}

}  // namespace memd::llm
