#pragma once

#include "schemas/base/timestamp.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// What responses of models used. All values; copyable.
namespace memd {

// Tokens of one response, or of several.
struct TokenUsage {
  std::int64_t input = 0;  // without what came from the cache, and without what was written to it
  std::int64_t output = 0;
  std::int64_t cache_read = 0;
  std::int64_t cache_creation = 0;
  std::int64_t cache_creation_1h = 0;  // part of cache_creation that is kept for an hour instead of five minutes
  std::int64_t reasoning = 0;          // part of output; 0: the agent does not say

  std::int64_t prompt() const { return input + cache_read + cache_creation; }  // size of the prompt of one response
  std::int64_t total() const { return prompt() + output; }
  TokenUsage& operator+=(const TokenUsage& o);
  TokenUsage operator-(const TokenUsage& o) const;
  bool operator==(const TokenUsage&) const = default;
};

// Returns `from` without `taken`, where each part is at least 0.
TokenUsage excess(const TokenUsage& from, const TokenUsage& taken);

// What a provider charges a response by. Stored as numbers: append, never renumber.
enum class ServiceTier : std::uint8_t { standard = 0, batch = 1, priority = 2, flex = 3 };
std::string_view to_string(ServiceTier tier);
ServiceTier parse_service_tier(std::string_view text);  // standard for an unknown one

// What an agent asked for. Stored as numbers: append, never renumber.
enum class ResponsePurpose : std::uint8_t { turn = 0, compaction = 1, title = 2, other = 3 };
std::string_view to_string(ResponsePurpose purpose);

// What is known about a response besides its tokens, time and model.
struct ResponseFacts {
  ServiceTier tier = ServiceTier::standard;
  bool is_fast = false;  // a mode in which the provider answers faster for a higher price
  ResponsePurpose purpose = ResponsePurpose::turn;
  // False: the record that ends the response never came, so that its output is a lower bound.
  bool is_finished = true;
  std::int64_t web_searches = 0;
  std::optional<double> cost_usd;  // as calculated by the agent

  bool operator==(const ResponseFacts&) const = default;
};
std::int64_t response_flags(const ResponseFacts& facts);  // all but the numbers, as the store keeps it
ResponseFacts facts_of_flags(std::int64_t flags);

// What is known of one response when several records tell about it, in any order: the largest output, with the prompt
// that was reported with it.
void merge_usage(TokenUsage& known, const TokenUsage& told);
void merge_facts(ResponseFacts& known, const ResponseFacts& told);

// Ids of responses that are no unique names: servers behind other addresses number their responses anew in each
// process, and a record may lack the id of the request that the response's other records have. The upper bits of the
// key are the id's, the lower ones tell requests, or else times and figures, apart.
inline constexpr std::uint64_t kResponseVariants = 0xffff;
std::uint64_t response_key_of_request(std::uint64_t id, std::uint64_t request);
std::uint64_t response_key_of_figures(std::uint64_t id, TimeMs time, const TokenUsage& usage);
bool has_request(std::uint64_t response_key);  // of a key made by one of these two functions

// A response as an export tells it.
struct RecordedResponse {
  std::uint64_t key = 0;
  TimeMs time = 0;
  std::string model;
  TokenUsage usage;
  ResponseFacts facts;

  bool operator==(const RecordedResponse&) const = default;
};

// The account that an agent itself keeps of a session and a model (Claude Code's cost-state). It includes the requests
// that no transcript shows: compactions, titles, retries.
struct ModelAccount {
  std::string model;
  TimeMs counted_from = 0;
  TimeMs time = 0;  // of the account
  TokenUsage tokens;
  std::int64_t web_searches = 0;
  double cost_usd = 0;

  bool operator==(const ModelAccount&) const = default;
};

// How much of a limit of the account is used, as a provider last reported it.
struct RateLimit {
  std::string name;                 // as the provider calls it: "codex"
  double used_percent = 0;          // 0 … 100
  std::int64_t window_minutes = 0;  // 300: five hours; 10,080: a week; 0: not told
  TimeMs resets_at = 0;             // 0: not told
  TimeMs reported_at = 0;

  bool operator==(const RateLimit&) const = default;
};

}  // namespace memd
