#include "daemon/tools/summary_source.hpp"

#include "daemon/tools/answer.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/utf8.hpp"
#include "schemas/search.hpp"
#include "schemas/session_row.hpp"

namespace memd::tools {
namespace {

std::int64_t sampled_tokens(std::string_view text) {
  constexpr std::size_t kSample = 64 * 1024;
  if (text.size() <= kSample) return static_cast<std::int64_t>(estimate_tokens(text));
  const double ratio = static_cast<double>(text.size()) / kSample;
  return static_cast<std::int64_t>(static_cast<double>(estimate_tokens(text.substr(0, kSample))) * ratio);
}

std::size_t bytes_of(const SummaryInput& in) {
  return in.user_message.size() + in.interventions.size() + in.assistant_response.size();
}

}  // namespace

SummarySource::SummarySource(std::span<const ExchangeRow> exchanges, std::span<const std::vector<std::string>> modified,
                             std::size_t read_of_message) {
  labels_.reserve(exchanges.size());
  for (const ExchangeRow& row : exchanges) {
    labels_.push_back(format_exchange_id(row.id) + " " + short_time(row.started_at));
    SummaryInput in;
    in.label = labels_.back();
    in.id = in.label.substr(0, in.label.find(' '));
    in.started_at = row.started_at;
    in.ended_at = row.ended_at;
    in.user_message = std::string_view(row.user_message).substr(0, read_of_message);
    in.interventions = std::string_view(row.interventions).substr(0, read_of_message);
    // Takes up to read_of_message bytes of the final answer, and as many of the text before it.
    const std::string_view response = row.assistant_response;
    const std::size_t offset = row.answer_begin();
    std::size_t begin = offset > read_of_message ? offset - read_of_message : 0;
    while (is_utf8_tail(response, begin))
      ++begin;
    in.assistant_response = response.substr(begin, offset - begin + read_of_message);
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
    labels_.push_back(format_exchange_id(hit->id) + " " + short_time(hit->started_at));
    SummaryInput in;
    in.label = labels_.back();
    in.user_message = std::string_view(hit->user_message).substr(0, kReadOfMessage);
    in.assistant_response = std::string_view(hit->assistant_response).substr(0, kReadOfMessage);
    inputs_.push_back(std::move(in));
  }
}

void SummarySource::count_tokens() {
  constexpr std::size_t kCounted = 64 * 1024;  // bytes of texts, about
  std::size_t bytes = 0;
  for (const SummaryInput& in : inputs_)
    bytes += bytes_of(in);
  const std::size_t each = bytes / kCounted + 1;
  std::size_t counted_bytes = 0;
  std::size_t counted_tokens = 0;
  for (std::size_t i = 0; i < inputs_.size(); i += each) {
    inputs_[i].tokens = source_tokens(inputs_[i]);
    counted_bytes += bytes_of(inputs_[i]);
    counted_tokens += inputs_[i].tokens;
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (i % each != 0)
      inputs_[i].tokens = bytes_of(inputs_[i]) * counted_tokens / std::max<std::size_t>(counted_bytes, 1);
}

std::int64_t SummarySource::count_row(std::size_t i, const ExchangeRow& row) {
  const std::int64_t tokens = full_text_tokens(row);
  SummaryInput& in = inputs_[i];
  if (bytes_of(in) == row.user_message.size() + row.interventions.size() + row.assistant_response.size())
    in.tokens = static_cast<std::size_t>(tokens);
  return tokens;
}

DataCompleteness least_complete(std::span<const ExchangeRow> exchanges) {
  DataCompleteness worst = DataCompleteness::full;
  for (const ExchangeRow& row : exchanges)
    worst = std::max(worst, row.completeness);
  return worst;
}

TimeRange range_of(std::span<const ExchangeRow> exchanges) {
  TimeRange range;
  for (const ExchangeRow& row : exchanges) {
    if (row.started_at != 0 && (range.start == 0 || row.started_at < range.start)) range.start = row.started_at;
    range.end = std::max({range.end, row.started_at, row.ended_at});
  }
  return range;
}

std::string summary_without_texts(const SessionRow& session, std::span<const ExchangeRow> exchanges) {
  const TimeRange range = range_of(exchanges);
  std::int64_t calls = 0;
  std::int64_t added = 0;
  std::int64_t removed = 0;
  for (const ExchangeRow& row : exchanges) {
    calls += row.tool_calls;
    added += row.lines_added;
    removed += row.lines_removed;
  }
  std::string out = "Only metadata is known of this session: \"" + ascii::one_line(session.title) + "\", " +
                    std::to_string(exchanges.size()) + " turns";
  if (range.start != 0) out += " from " + short_time(range.start) + " to " + short_time(range.end);
  if (calls > 0) out += ", " + std::to_string(calls) + " tool calls";
  if (added + removed > 0)
    out += ", " + std::to_string(added) + " lines added, " + std::to_string(removed) + " removed";
  if (!session.model.empty()) out += ", model " + session.model;
  if (!session.git_branch.empty()) out += ", branch " + session.git_branch;
  return out + ".";
}

std::int64_t full_text_tokens(const ExchangeRow& row) {
  return sampled_tokens(row.user_message) + sampled_tokens(row.interventions) + sampled_tokens(row.assistant_response);
}

}  // namespace memd::tools
