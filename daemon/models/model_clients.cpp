#include "daemon/models/model_clients.hpp"

#ifdef MEMD_WITH_MODELS
#include "daemon/models/http_models.hpp"
#else
#include "schemas/base/error.hpp"
#endif

namespace memd {

#ifdef MEMD_WITH_MODELS

namespace {

// Sets the fields common to both kinds of client. Address and key apply only to the preferred model's provider: no
// other provider gets the key.
template <class Config, class Choice>
void set_server(provider::ServedModel& out, const Config& config, const Choice& choice, std::string section) {
  out.dialect =
      choice.provider == decltype(choice.provider)::ollama ? model_api::Dialect::ollama : model_api::Dialect::openai;
  out.model = choice.model;
  out.key.section = std::move(section);
  std::string endpoint(provider::usual_endpoint(out.dialect));
  if (choice.provider == config.choice.provider) {
    if (!config.endpoint.empty()) endpoint = config.endpoint;
    out.key.variable = config.api_key_env;
    out.key.file = config.api_key_file;
  }
  out.base = http::parse_url(endpoint).value();  // the configuration has been checked
  out.connect_timeout = std::chrono::milliseconds(config.connect_timeout_ms);
}

}  // namespace

bool ModelClients::available() { return true; }

ModelClients::ModelClients() : http_(std::make_shared<http::Client>()) {}

std::shared_ptr<embedding::RemoteEmbedder> ModelClients::embedder(const EmbeddingConfig& config,
                                                                  const EmbeddingModelChoice& choice) {
  embedding::RemoteModel model;
  set_server(model, config, choice, "embedding");
  if (choice.provider == config.choice.provider) model.dimensions = config.dimensions;
  model.batch_size = static_cast<std::size_t>(config.batch_size);
  model.timeout = std::chrono::milliseconds(config.timeout_ms);
  model.query_timeout = std::chrono::milliseconds(config.query_timeout_ms);
  return std::make_shared<embedding::HttpEmbedder>(std::move(model), http_);
}

llm::LanguageModelChoice ModelClients::language_model(const SummariesConfig& config, const SummaryModelChoice& choice) {
  llm::RemoteLanguageModel model;
  set_server(model, config, choice, "summaries");
  model.timeout = std::chrono::milliseconds(config.timeout_ms);
  model.context_tokens = static_cast<std::size_t>(config.context_tokens);
  const auto remote = std::make_shared<llm::HttpLanguageModel>(std::move(model), http_);
  const auto left_alone = [remote] {
    const auto open = remote->left_alone();
    return open ? open->reason : std::string();
  };
  return {remote, left_alone};
}

#else

namespace {

[[noreturn]] void refuse_server() {
  throw ErrorException(Error(Errc::unsupported, "this memd was built without clients of model servers"));
}

}  // namespace

bool ModelClients::available() { return false; }
ModelClients::ModelClients() = default;
std::shared_ptr<embedding::RemoteEmbedder> ModelClients::embedder(const EmbeddingConfig&, const EmbeddingModelChoice&) {
  refuse_server();
}
llm::LanguageModelChoice ModelClients::language_model(const SummariesConfig&, const SummaryModelChoice&) {
  refuse_server();
}

#endif

ModelClients::~ModelClients() = default;

}  // namespace memd
