#pragma once

#include "schemas/query.hpp"
#include "store/summary/extractive.hpp"

#include <span>
#include <string>
#include <vector>

namespace memd::tools {

// Exchanges in the form the summarizer reads. The views point into what it was made from and into itself.
class SummarySource {
 public:
  // `modified`: files each exchange changed; empty, or as long as `exchanges`.
  explicit SummarySource(std::span<const ExchangeRow> exchanges,
                         std::span<const std::vector<std::string>> modified = {});
  explicit SummarySource(std::span<const SearchHit* const> hits);
  SummarySource(const SummarySource&) = delete;
  SummarySource& operator=(const SummarySource&) = delete;

  std::span<const SummaryInput> inputs() const { return inputs_; }

 private:
  std::vector<std::string> labels_;  // never grows after the views were taken
  std::vector<SummaryInput> inputs_;
};

// Tokens of an exchange as get_exchange gives it without tools. Texts of megabytes are estimated from a part.
std::int64_t full_text_tokens(const ExchangeRow& row);

}  // namespace memd::tools
