#include "store/insight/continuity/working_state.hpp"

#include "schemas/base/utf8.hpp"
#include "store/insight/continuity/evidence.hpp"
#include "store/insight/continuity/sentences.hpp"

#include <algorithm>
#include <cstddef>

namespace memd::continuity {

ExchangeId id_of(const SessionPast& past, std::size_t exchange) {
  return exchange < past.exchanges.size() ? past.exchanges[exchange].id : 0;
}

std::string shortened(std::string_view text, std::size_t bytes) {
  std::string out;
  if (const auto begin = text.find_first_not_of("-*• \t\r\n");
      begin != std::string_view::npos && begin > 0 && text[begin - 1] == ' ')
    text.remove_prefix(begin);  // a list number
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || static_cast<unsigned char>(c) < 0x20;
    if (blank && (out.empty() || out.back() == ' ')) continue;
    out += blank ? ' ' : c;
    if (out.size() > bytes + 4) break;
  }
  while (out.ends_with(' '))
    out.pop_back();
  if (out.size() <= bytes) return out;
  std::size_t end = bytes;
  if (const auto blank = out.rfind(' ', end); blank != std::string::npos && blank > bytes / 2) end = blank;
  return std::string(utf8_prefix(out, end)) + "…";
}

std::string plain_sentence(std::string_view text, std::size_t bytes) {
  const auto number = text.find_first_not_of("0123456789");
  if (number != std::string_view::npos && number > 0 && number <= 2 &&
      (text.substr(number).starts_with(". ") || text.substr(number).starts_with(") ")))
    text.remove_prefix(number + 2);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool bold = text.substr(i, 2) == "**" && text.substr(i + 2, 1) != "/" && (i == 0 || text[i - 1] != '/');
    if (bold)
      ++i;
    else
      out += text[i];
  }
  return shortened(out, bytes);
}

void keep_best(std::vector<ExtractedSentence>& list, std::size_t most) {
  std::stable_sort(list.begin(), list.end(),
                   [](const ExtractedSentence& a, const ExtractedSentence& b) { return a.score > b.score; });
  std::vector<std::string> known;
  std::erase_if(list, [&](const ExtractedSentence& t) {
    std::string normalized = normalized_sentence(t.text);
    const bool doubled = known.size() == most || std::any_of(known.begin(), known.end(), [&](const std::string& k) {
                           return k.find(normalized) != std::string::npos || normalized.find(k) != std::string::npos;
                         });
    if (!doubled) known.push_back(std::move(normalized));
    return doubled;
  });
}

void drop_contained_in(std::vector<ExtractedSentence>& list, std::string_view text) {
  const std::string said = normalized_sentence(text);
  std::erase_if(
      list, [&](const ExtractedSentence& t) { return said.find(normalized_sentence(t.text)) != std::string::npos; });
}

std::vector<std::int64_t> texts_to_fetch(const SessionPast& past) {
  constexpr std::size_t kEdits = 60;
  constexpr std::size_t kErrors = 4;
  constexpr std::size_t kResults = 40;
  std::vector<std::int64_t> out;
  std::size_t edits = 0;
  std::size_t errors = 0;
  std::size_t results = 0;
  bool edited = false;  // by the next call (iterating backwards)
  for (auto e = past.events.rbegin(); e != past.events.rend(); ++e) {
    const bool result = e->kind == EventKind::tool_result;
    const bool call = e->kind == EventKind::tool_call;
    if (e->kind == EventKind::edit) edited = true;
    if (!result && !(call && (e->modifies || edited))) continue;
    if (call) edited = false;
    const bool among_latest = !result ? edits++ < kEdits : e->has_failed() ? errors++ < kErrors : results++ < kResults;
    if (among_latest && !(result && e->is_complete_in_summary())) out.push_back(e->seq);
  }
  return out;
}

namespace {

// Removes the last words if they only repeat a problem or a next step, and removes problems that the last words
// contain.
void say_last_words_once(WorkingState& out) {
  const std::string normalized = normalized_sentence(out.last_words->text);
  for (const auto* list : {&out.problems, &out.next_steps})
    for (const ExtractedSentence& sentence : *list)
      if (normalized_sentence(sentence.text) == normalized) return out.last_words.reset();
  drop_contained_in(out.problems, out.last_words->text);
  drop_contained_in(out.next_steps, out.last_words->text);
}

}  // namespace

WorkingState recover_state(const SessionPast& past) {
  WorkingState out;
  out.cwd = past.cwd;
  out.branch = past.branch;
  find_goal(past, out);
  find_constraints(past, out);
  find_statements(past, out);
  find_commands(past, out);
  find_last_error(past, out);
  find_problems(past, out);
  find_next_steps(past, out);
  if (out.last_words) say_last_words_once(out);
  if (out.last_words) prepend_context_to_last_words(past, out);
  if (out.last_words) drop_contained_in(out.said, out.last_words->text);
  find_files(past, out);
  find_names(past, out);
  return out;
}

bool is_refusal(std::string_view result) {
  constexpr std::array<std::string_view, 4> kRefusals{"The user doesn't want", "[Request interrupted", "User rejected",
                                                      "The tool use was rejected"};
  return std::any_of(kRefusals.begin(), kRefusals.end(),
                     [&](std::string_view r) { return result.find(r) != std::string_view::npos; });
}

}  // namespace memd::continuity
