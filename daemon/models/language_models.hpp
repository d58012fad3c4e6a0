#pragma once

#include "daemon/config/summaries_config.hpp"
#include "schemas/language_model.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace memd::llm {

// One of the configured models.
struct LanguageModelChoice {
  std::shared_ptr<LanguageModel> model;     // null: that of the client that calls
  std::function<std::string()> left_alone;  // why it is not to be asked now; empty: nothing keeps it

  bool is_client() const { return model == nullptr; }
  std::string name() const { return is_client() ? "client" : model->name(); }
};

// The preferred one first; empty: none is configured. Asks nobody anything.
std::vector<LanguageModelChoice> make_language_models(const SummariesConfig& config);

}  // namespace memd::llm
