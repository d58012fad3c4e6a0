#include "daemon/tools/summary_source.hpp"

#include "daemon/tools/answer.hpp"

namespace memd::tools {
namespace {

// A message beyond this is a paste; its beginning says what it is.
constexpr std::size_t kReadOfMessage = 32 * 1024;

std::int64_t sampled_tokens(std::string_view text) {
  constexpr std::size_t kSample = 64 * 1024;
  if (text.size() <= kSample) return static_cast<std::int64_t>(estimate_tokens(text));
  const double ratio = static_cast<double>(text.size()) / kSample;
  return static_cast<std::int64_t>(static_cast<double>(estimate_tokens(text.substr(0, kSample))) * ratio);
}

}  // namespace

SummarySource::SummarySource(std::span<const ExchangeRow> exchanges,
                             std::span<const std::vector<std::string>> modified) {
  labels_.reserve(exchanges.size());
  for (const ExchangeRow& row : exchanges) {
    labels_.push_back(format_exchange_id(row.id) + " " + short_time(row.started_at));
    SummaryInput in;
    in.label = labels_.back();
    in.user_message = std::string_view(row.user_message).substr(0, kReadOfMessage);
    in.interventions = std::string_view(row.interventions).substr(0, kReadOfMessage);
    // The end of the work is what counts: the final answer and as much before it as fits.
    const std::string_view response = row.assistant_response;
    const std::size_t offset =
        std::min(static_cast<std::size_t>(std::max<std::int64_t>(row.answer_offset, 0)), response.size());
    std::size_t begin = offset > kReadOfMessage ? offset - kReadOfMessage : 0;
    while (begin < response.size() && (static_cast<unsigned char>(response[begin]) & 0xC0U) == 0x80U)
      ++begin;
    in.assistant_response = response.substr(begin, offset - begin + kReadOfMessage);
    in.answer_offset = offset - begin;
    in.tool_calls = row.tool_calls;
    in.tool_errors = row.tool_errors;
    if (!modified.empty()) in.files_modified.assign(modified[inputs_.size()].begin(), modified[inputs_.size()].end());
    inputs_.push_back(std::move(in));
  }
}

SummarySource::SummarySource(std::span<const SearchHit* const> hits) {
  labels_.reserve(hits.size());
  for (const SearchHit* hit : hits) {
    labels_.push_back(format_exchange_id(hit->exchange_id) + " " + short_time(hit->time));
    SummaryInput in;
    in.label = labels_.back();
    in.user_message = std::string_view(hit->user_message).substr(0, kReadOfMessage);
    in.assistant_response = std::string_view(hit->assistant_response).substr(0, kReadOfMessage);
    inputs_.push_back(std::move(in));
  }
}

std::int64_t full_text_tokens(const ExchangeRow& row) {
  return sampled_tokens(row.user_message) + sampled_tokens(row.interventions) + sampled_tokens(row.assistant_response);
}

}  // namespace memd::tools
