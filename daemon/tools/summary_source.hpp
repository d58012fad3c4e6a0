#pragma once

#include "schemas/exchange_row.hpp"
#include "store/insight/summary/extractive.hpp"

#include <span>
#include <string>
#include <vector>

namespace memd {
struct SearchHit;
struct SessionRow;
}  // namespace memd

namespace memd::tools {

// Exchanges in the form that the summarizer reads. Borrows their texts, so the exchanges must outlive it. One thread.
class SummarySource {
 public:
  // Bytes read of a message. A longer one is a paste; its beginning says what it is.
  static constexpr std::size_t kReadOfMessage = 32 * 1024;

  // `modified`: files each exchange changed; empty, or as long as `exchanges`.
  explicit SummarySource(std::span<const ExchangeRow> exchanges,
                         std::span<const std::vector<std::string>> modified = {},
                         std::size_t read_of_message = kReadOfMessage);
  explicit SummarySource(std::span<const SearchHit* const> hits);
  SummarySource(const SummarySource&) = delete;
  SummarySource& operator=(const SummarySource&) = delete;

  // Counts tokens once for all summaries made from it. From 64 KiB of texts on, only every n-th exchange is counted;
  // the others are estimated from their bytes.
  void count_tokens();
  // Returns full_text_tokens() of the row that input `i` was made from. Stores it if the input has the whole texts.
  std::int64_t count_row(std::size_t i, const ExchangeRow& row);
  std::span<const SummaryInput> inputs() const { return inputs_; }

 private:
  std::vector<std::string> labels_;  // reserved before views of it are taken, so it never reallocates
  std::vector<SummaryInput> inputs_;
};

// Returns a summary of exchanges whose texts are unknown.
std::string summary_without_texts(const SessionRow& session, std::span<const ExchangeRow> exchanges);

DataCompleteness least_complete(std::span<const ExchangeRow> exchanges);
TimeRange range_of(std::span<const ExchangeRow> exchanges);

// Returns the tokens of an exchange as get_exchange gives it without tools. A text above 64 KiB is estimated from its
// first 64 KiB.
std::int64_t full_text_tokens(const ExchangeRow& row);

}  // namespace memd::tools
