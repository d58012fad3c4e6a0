#include "schemas/usage.hpp"

#include "schemas/base/hash.hpp"
#include "schemas/base/reflected_name.hpp"

#include <algorithm>

namespace memd {
namespace {

// Bits of response_flags(). 0 for most responses, which then takes no space in a row.
constexpr std::int64_t kTier = 0x3;
constexpr std::int64_t kFast = 0x4;
constexpr std::int64_t kUnfinished = 0x8;
constexpr int kPurposeShift = 4;

constexpr std::uint64_t kHasRequest = 0x2;

std::uint64_t variant_of(std::uint64_t id, std::uint64_t variant, std::uint64_t request) {
  return (id & ~kResponseVariants) | (variant & kResponseVariants & ~kHasRequest) | request;
}

}  // namespace

TokenUsage& TokenUsage::operator+=(const TokenUsage& o) {
  input += o.input;
  output += o.output;
  cache_read += o.cache_read;
  cache_creation += o.cache_creation;
  cache_creation_1h += o.cache_creation_1h;
  reasoning += o.reasoning;
  return *this;
}

TokenUsage TokenUsage::operator-(const TokenUsage& o) const {
  return {input - o.input,
          output - o.output,
          cache_read - o.cache_read,
          cache_creation - o.cache_creation,
          cache_creation_1h - o.cache_creation_1h,
          reasoning - o.reasoning};
}

TokenUsage excess(const TokenUsage& from, const TokenUsage& taken) {
  TokenUsage out = from - taken;
  for (auto* part :
       {&out.input, &out.output, &out.cache_read, &out.cache_creation, &out.cache_creation_1h, &out.reasoning})
    *part = std::max<std::int64_t>(*part, 0);
  out.cache_creation_1h = std::min(out.cache_creation_1h, out.cache_creation);
  out.reasoning = std::min(out.reasoning, out.output);
  return out;
}

std::string_view to_string(ServiceTier tier) { return reflect::enum_name(tier, "standard"); }

ServiceTier parse_service_tier(std::string_view text) {
  return reflect::enum_of<ServiceTier>(text).value_or(ServiceTier::standard);
}

std::string_view to_string(ResponsePurpose purpose) { return reflect::enum_name(purpose, "other"); }

std::int64_t response_flags(const ResponseFacts& facts) {
  return static_cast<std::int64_t>(facts.tier) | (facts.is_fast ? kFast : 0) | (facts.is_finished ? 0 : kUnfinished) |
         static_cast<std::int64_t>(facts.purpose) << kPurposeShift;
}

ResponseFacts facts_of_flags(std::int64_t flags) {
  ResponseFacts out;
  out.tier = static_cast<ServiceTier>(flags & kTier);
  out.is_fast = (flags & kFast) != 0;
  out.is_finished = (flags & kUnfinished) == 0;
  out.purpose = static_cast<ResponsePurpose>(flags >> kPurposeShift & kTier);
  return out;
}

void merge_usage(TokenUsage& known, const TokenUsage& told) {
  // Later records usually repeat the prompt, and the output grows. Some first records say nothing of the prompt.
  const bool newer = told.output != known.output ? told.output > known.output : told.prompt() > known.prompt();
  const TokenUsage& best = newer ? told : known;
  const TokenUsage& other = newer ? known : told;
  TokenUsage out = best;
  if (out.prompt() == 0) {
    out.input = other.input;
    out.cache_read = other.cache_read;
    out.cache_creation = other.cache_creation;
  }
  if (out.cache_creation == other.cache_creation)
    out.cache_creation_1h = std::max(out.cache_creation_1h, other.cache_creation_1h);
  out.reasoning = std::max(out.reasoning, other.reasoning);
  known = out;
}

void merge_facts(ResponseFacts& known, const ResponseFacts& told) {
  if (known.tier == ServiceTier::standard) known.tier = told.tier;
  known.is_fast = known.is_fast || told.is_fast;
  if (known.purpose == ResponsePurpose::turn) known.purpose = told.purpose;
  known.is_finished = known.is_finished || told.is_finished;
  known.web_searches = std::max(known.web_searches, told.web_searches);
  if (told.cost_usd) known.cost_usd = std::max(known.cost_usd.value_or(*told.cost_usd), *told.cost_usd);
}

std::uint64_t response_key_of_request(std::uint64_t id, std::uint64_t request) {
  return variant_of(id, request, kHasRequest);
}

std::uint64_t response_key_of_figures(std::uint64_t id, TimeMs time, const TokenUsage& usage) {
  std::uint64_t hash = static_cast<std::uint64_t>(time);
  for (const std::int64_t part : {usage.input, usage.cache_read, usage.cache_creation})
    hash = hash_combine(hash, static_cast<std::uint64_t>(part));
  return variant_of(id, hash, 0);
}

bool has_request(std::uint64_t key) { return (key & kHasRequest) != 0; }

}  // namespace memd
