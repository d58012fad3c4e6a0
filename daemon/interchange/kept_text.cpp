#include "daemon/interchange/kept_text.hpp"

#include <algorithm>
#include <string_view>

namespace memd::interchange {
namespace {

constexpr std::string_view kBetween = "\n\n";

// Bytes of the text at the start of `rest` whose row says `tokens`; npos when no cut fits.
std::size_t piece_length(std::string_view rest, std::int64_t tokens) {
  const auto most = static_cast<std::size_t>(tokens * 4);
  for (std::size_t n = most < 3 ? 0 : most - 3; n <= most && n <= rest.size(); ++n)
    if (n == rest.size() || rest.substr(n, kBetween.size()) == kBetween) return n;
  return std::string_view::npos;
}

}  // namespace

KeptTexts::KeptTexts(const StoredSession& session, const std::vector<ExchangeRow>& exchanges) {
  const bool own_words_only = session.facts.kind == SessionKind::main;
  auto event = session.events.begin();
  for (const ExchangeRow& exchange : exchanges) {
    while (event != session.events.end() && event->seq < exchange.first_seq)
      ++event;
    std::vector<const StoredEvent*> answers;
    std::vector<const StoredEvent*> interventions;
    for (; event != session.events.end() && event->seq <= exchange.last_seq; ++event) {
      const bool words = event->kind == EventKind::user_msg || event->kind == EventKind::human_intervention;
      const bool sidechain = (event->flags & kFlagSidechain) != 0;
      if (event->kind == EventKind::user_msg && event->seq == exchange.first_seq)
        by_seq_[event->seq] = exchange.user_message;
      else if (words && !sidechain && (event->flags & kFlagSuperseded) == 0)
        interventions.push_back(&*event);
      else if (event->kind == EventKind::assistant_msg && !(own_words_only && sidechain))
        answers.push_back(&*event);
    }
    split(exchange.assistant_response, answers);
    split(exchange.interventions, interventions);
  }
}

void KeptTexts::split(std::string_view rest, const std::vector<const StoredEvent*>& messages) {
  for (const StoredEvent* message : messages) {
    const std::size_t n = piece_length(rest, message->tokens);
    if (n == std::string_view::npos) {  // cut, or masked after it was counted: all that is left, rather than nothing
      by_seq_[message->seq] = rest;
      return;
    }
    by_seq_[message->seq] = rest.substr(0, n);
    rest.remove_prefix(std::min(n + kBetween.size(), rest.size()));
  }
}

const std::string* KeptTexts::find(std::int64_t seq) const {
  const auto it = by_seq_.find(seq);
  return it == by_seq_.end() ? nullptr : &it->second;
}

}  // namespace memd::interchange
