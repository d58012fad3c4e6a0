#include "protocol/models/decision_answer.hpp"
#include "schemas/base/error.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <optional>

namespace memd::decisions_api {
namespace {

constexpr std::size_t kMostDecisions = 32;  // of one exchange

std::string text_of(const boost::json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::optional<DecidedBy> speaker(std::string_view by) {
  if (by == "person" || by == "user") return DecidedBy::user;
  if (by == "agent" || by == "assistant") return DecidedBy::agent;
  return std::nullopt;
}

std::optional<QuotedDecision> decision_of(const boost::json::value& item) {
  if (!item.is_object()) return std::nullopt;
  const auto& object = item.get_object();
  QuotedDecision out;
  const auto by = speaker(text_of(object, "by"));
  out.sentence = text_of(object, "sentence");
  if (!by || out.sentence.empty()) return std::nullopt;
  out.by = *by;
  const std::string kind = text_of(object, "kind");
  const auto known = std::ranges::find(kAllDecisionKinds, kind, [](DecisionKind k) { return to_string(k); });
  if (known != kAllDecisionKinds.end()) out.kind = *known;
  out.answers = text_of(object, "answers");
  out.chosen = text_of(object, "chosen");
  out.rejected = text_of(object, "rejected");
  out.reason = text_of(object, "why");
  return out;
}

}  // namespace

Result<Answer> parse_answer(std::string_view text) {
  const Error protocol_error(Errc::protocol, "the answer is no list of decisions");
  const auto begin = text.find('{');
  const auto end = text.rfind('}');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return protocol_error;
  boost::system::error_code ec;
  const auto document = boost::json::parse(text.substr(begin, end - begin + 1), ec);
  if (ec || !document.is_object()) return protocol_error;
  const auto* list = document.get_object().if_contains("decisions");
  if (list == nullptr || !list->is_array()) return protocol_error;
  Answer out;
  for (const auto& item : list->get_array()) {
    auto decision = decision_of(item);
    if (decision && out.decisions.size() < kMostDecisions)
      out.decisions.push_back(std::move(*decision));
    else
      ++out.unusable;
  }
  return out;
}

}  // namespace memd::decisions_api
