#pragma once

#include "schemas/query.hpp"
#include "store/insight/summary/extractive.hpp"

#include <span>
#include <string>
#include <vector>

namespace memd::tools {

// Exchanges in the form that the summarizer reads. Borrows their texts: what it was made from must outlive it. One
// thread.
class SummarySource {
 public:
  // A message beyond this many bytes is a paste; its beginning says what it is.
  static constexpr std::size_t kReadOfMessage = 32 * 1024;

  // `modified`: files each exchange changed; empty, or as long as `exchanges`.
  explicit SummarySource(std::span<const ExchangeRow> exchanges,
                         std::span<const std::vector<std::string>> modified = {},
                         std::size_t read_of_message = kReadOfMessage);
  explicit SummarySource(std::span<const SearchHit* const> hits);
  SummarySource(const SummarySource&) = delete;
  SummarySource& operator=(const SummarySource&) = delete;

  // Counts tokens once for all summaries made from it. Of more than 64 KB only some exchanges are counted.
  void count_tokens();
  // Gives full_text_tokens() of the row that input `i` was made from, and keeps it if the input has the texts whole.
  std::int64_t count_row(std::size_t i, const ExchangeRow& row);
  std::span<const SummaryInput> inputs() const { return inputs_; }

 private:
  std::vector<std::string> labels_;  // never grows after the views were taken
  std::vector<SummaryInput> inputs_;
};

// A summary of exchanges whose texts are not known.
std::string summary_without_texts(const SessionRow& session, std::span<const ExchangeRow> exchanges);

DataCompleteness least_complete(std::span<const ExchangeRow> exchanges);
TimeRange range_of(std::span<const ExchangeRow> exchanges);

// Tokens of an exchange as get_exchange gives it without tools. Texts of megabytes are estimated from a part.
std::int64_t full_text_tokens(const ExchangeRow& row);

}  // namespace memd::tools
