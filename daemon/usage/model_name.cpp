#include "daemon/usage/model_name.hpp"

#include "adapters/names.hpp"
#include "schemas/base/ascii.hpp"

#include <algorithm>

namespace memd::usage {
namespace {

// Makers, and those who sell their models for the same price.
constexpr Names kSellers(
    "alibaba amazon amazon-bedrock anthropic aws azure azure-ai azure_ai bedrock cline copilot cursor deepseek gemini "
    "github-copilot github_copilot google google-vertex inception kilocode kwaipilot litellm meta minimax mistral "
    "mistralai models moonshot moonshotai nvidia openai opencode openrouter publishers qwen requesty stepfun vercel "
    "vertex vertex-ai vertex_ai x-ai xai xiaomi z-ai zai zai-org zhipuai");

// In names of Amazon Bedrock: "us.anthropic.claude-…".
constexpr Names kRegions("us eu apac ap global jp au us-gov ca");
constexpr Names kMakersAtBedrock("anthropic openai mistral deepseek qwen moonshot minimax zai google");

// Variants that cost what the model costs.
constexpr Names kVariants("thinking nitro online exacto floor beta");
constexpr Names kEnds("latest thinking minimal none low medium high xhigh max 1m default preview");

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), ascii::is_digit);
}

// Takes "us." and "anthropic." off.
void drop_bedrock(std::string& name) {
  std::string_view rest = name;
  if (const auto dot = rest.find('.'); dot != std::string_view::npos && kRegions.has(rest.substr(0, dot)))
    rest.remove_prefix(dot + 1);
  const auto dot = rest.find('.');
  if (dot != std::string_view::npos && kMakersAtBedrock.has(rest.substr(0, dot))) name = rest.substr(dot + 1);
}

// Takes ":0", ":thinking" off; "-v1" before a ":0" too.
void drop_variant(std::string& name, bool& is_free) {
  const auto colon = name.rfind(':');
  if (colon == std::string::npos) return;
  const std::string variant = name.substr(colon + 1);
  if (variant == "free") {
    is_free = true;
  } else if (all_digits(variant)) {
    const auto version = name.rfind("-v", colon);
    if (version == std::string::npos || !all_digits(std::string_view(name).substr(version + 2, colon - version - 2)))
      return;
    name.erase(version);
    return;
  } else if (!kVariants.has(variant)) {
    return;
  }
  name.erase(colon);
}

// Takes the last word off if it says nothing about the price. "-fast" says something.
bool drop_end(ModelName& at) {
  std::string_view name = at.name;
  const auto ends_with_digits = [&](std::size_t digits) {
    return name.size() > digits + 1 && name[name.size() - digits - 1] == '-' &&
           all_digits(name.substr(name.size() - digits));
  };
  const auto cut = [&](std::size_t bytes) {
    at.name.resize(name.size() - bytes);
    return true;
  };
  if (ends_with_digits(8)) return cut(9);  // -20250929
  constexpr std::size_t kDate = 11;        // -2025-09-29
  if (name.size() > kDate && name[name.size() - kDate] == '-' && name[name.size() - 6] == '-' &&
      name[name.size() - 3] == '-' && all_digits(name.substr(name.size() - 10, 4)) && ends_with_digits(2))
    return cut(kDate);
  if (ends_with_digits(3)) return cut(4);  // -001
  const auto dash = name.rfind('-');
  if (dash == std::string_view::npos) return false;
  const std::string_view word = name.substr(dash + 1);
  if (word == "fast" && !at.is_fast)
    at.is_fast = true;
  else if (!kEnds.has(word))
    return false;
  return cut(word.size() + 1);
}

// Returns "claude-sonnet-4-5" for "claude-4-5-sonnet".
std::string in_newer_order(const std::string& name) {
  constexpr std::string_view kClaude = "claude-";
  if (!name.starts_with(kClaude)) return name;
  const auto family = name.find_first_not_of("0123456789-", kClaude.size());
  if (family == std::string::npos || family == kClaude.size() || name.find('-', family) != std::string::npos)
    return name;
  return std::string(kClaude) + name.substr(family) + "-" + name.substr(kClaude.size(), family - kClaude.size() - 1);
}

}  // namespace

std::string plain_name(std::string_view name) {
  std::string out = ascii::lowered(name);
  std::replace(out.begin(), out.end(), '.', '-');
  return out;
}

ModelReading read_model_name(std::string_view written) {
  ModelReading out;
  const auto add = [&](ModelName name) {
    const auto same = [&](const ModelName& n) { return n.name == name.name && n.is_fast == name.is_fast; };
    if (!name.name.empty() && std::none_of(out.names.begin(), out.names.end(), same))
      out.names.push_back(std::move(name));
  };
  std::string name = ascii::lowered(written);
  add({plain_name(name)});
  if (const auto bracket = name.find_first_of("[("); bracket != std::string::npos) {
    const bool is_fast = name.find("fast=true", bracket) != std::string::npos;
    name.erase(name.find_last_not_of(' ', bracket == 0 ? 0 : bracket - 1) + 1);
    if (is_fast) name += "-fast";
  }
  for (auto slash = name.find('/'); slash != std::string::npos && kSellers.has(name.substr(0, slash));
       slash = name.find('/'))
    name.erase(0, slash + 1);
  if (name.find('/') != std::string::npos) return out;
  drop_bedrock(name);
  drop_variant(name, out.is_free);
  std::replace(name.begin(), name.end(), '@', '-');
  if (name.find(':') != std::string::npos) return out;
  ModelName at{plain_name(name)};
  do {
    add(at);
    add({in_newer_order(at.name), at.is_fast});
  } while (drop_end(at));
  return out;
}

}  // namespace memd::usage
