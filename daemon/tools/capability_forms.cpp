#include "daemon/tools/capability_forms.hpp"

#include "store/text/token_estimate.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace memd::tools {
namespace {

bool has_history(const PlatformOut& p) { return p.sources > 0 || p.sessions > 0 || p.subagent_sessions > 0; }

enum class Of { without_history, all };

template <class T>
void drop(CapabilitiesAnswer& answer, Of which, std::optional<T> PlatformOut::*detail) {
  for (auto& [name, p] : answer.platforms)
    if (which == Of::all || !has_history(p)) (p.*detail).reset();
}

struct Step {
  std::string_view left_out;
  std::string_view instead_of;  // what an earlier step left out and this one's words say, too
  std::function<void(CapabilitiesAnswer&)> apply;
};

constexpr std::string_view kSomeLimitations = "limitations of agents without history here";
constexpr std::string_view kMoreLimitations = "limitations of agents less used here";

// Of agents with history: those with the fewest exchanges first.
std::vector<std::string> least_used_first(const CapabilitiesAnswer& whole) {
  std::vector<std::pair<std::int64_t, std::string>> used;
  for (const auto& [name, p] : whole.platforms)
    if (has_history(p)) used.emplace_back(p.exchanges, name);
  std::sort(used.begin(), used.end());
  std::vector<std::string> out;
  for (auto& [exchanges, name] : used)
    out.push_back(std::move(name));
  return out;
}

std::vector<Step> steps_for(const CapabilitiesAnswer& whole) {
  std::vector<Step> out{
      {kSomeLimitations, "", [](auto& a) { drop(a, Of::without_history, &PlatformOut::limitations); }},
      {"storage locations of agents without history here", "",
       [](auto& a) { drop(a, Of::without_history, &PlatformOut::storage_location); }},
      {"capability_matrix", "", [](auto& a) { a.capability_matrix.reset(); }},
      {"capabilities of agents without history here", "",
       [](auto& a) { drop(a, Of::without_history, &PlatformOut::capabilities); }},
      {"storage locations", "storage locations of agents without history here",
       [](auto& a) { drop(a, Of::all, &PlatformOut::storage_location); }}};
  std::string_view before = kSomeLimitations;
  const auto names = least_used_first(whole);
  for (const std::string& name : names) {
    const bool last = name == names.back();
    const std::string_view words = last ? "limitations" : kMoreLimitations;
    out.push_back({words, before, [name](auto& a) {
                     for (auto& [platform, p] : a.platforms)
                       if (platform == name) p.limitations.reset();
                   }});
    before = words;
  }
  out.insert(
      out.end(),
      {{"freshness of what is read to its end", "",
        [](auto& a) { std::erase_if(a.freshness, [](const FreshnessOut& f) { return f.sources_behind == 0; }); }},
       {"capabilities of agents", "capabilities of agents without history here",
        [](auto& a) { drop(a, Of::all, &PlatformOut::capabilities); }},
       {"agents without history here", "",
        [](auto& a) { std::erase_if(a.platforms, [](const auto& one) { return !has_history(one.second); }); }},
       {"agents", "agents without history here", [](auto& a) { a.platforms.clear(); }},
       {"freshness", "freshness of what is read to its end", [](auto& a) { a.freshness.clear(); }}});
  return out;
}

CapabilitiesForm form_of(CapabilitiesAnswer& answer) {
  CapabilitiesForm out;
  answer.est_tokens = 9999;  // as many digits as the number to come
  answer.est_tokens = static_cast<std::int64_t>(estimate_tokens(mcp::to_json(answer)));
  out.json = mcp::to_json(answer);
  out.text = render_text(answer);
  out.tokens = std::max(static_cast<std::size_t>(answer.est_tokens), estimate_tokens(out.text));
  return out;
}

std::string call_for(std::size_t tokens, std::int64_t most) {
  constexpr std::size_t kStep = 50;
  const auto rounded = static_cast<std::int64_t>((tokens / kStep + 2) * kStep);  // the store grows meanwhile
  return "capabilities(max_tokens=" + std::to_string(std::min(rounded, most)) + ")";
}

std::string listed(const std::vector<std::string_view>& names) {
  std::string out;
  for (const auto name : names)
    out.append(out.empty() ? "" : ", ").append(name);
  return out;
}

}  // namespace

std::vector<CapabilitiesForm> capability_forms(const CapabilitiesAnswer& whole) {
  CapabilitiesAnswer answer = whole;
  std::vector<CapabilitiesForm> out{form_of(answer)};
  answer.more = call_for(out.front().tokens, whole.server.most_max_tokens);
  std::vector<std::string_view> left_out;
  for (const Step& step : steps_for(whole)) {
    step.apply(answer);
    std::erase(left_out, step.instead_of);
    left_out.push_back(step.left_out);
    answer.notice = "No room for: " + listed(left_out) + ". " + whole.notice;
    CapabilitiesForm form = form_of(answer);
    if (form.tokens < out.back().tokens) out.push_back(std::move(form));
  }
  return out;
}

}  // namespace memd::tools
