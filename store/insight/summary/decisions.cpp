#include "store/insight/summary/decisions.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/event.hpp"
#include "store/insight/summary/salience.hpp"
#include "store/text/code_names.hpp"
#include "store/text/cue_matcher.hpp"
#include "store/text/plain_text.hpp"
#include "store/text/text_units.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace memd {
namespace {

constexpr CueSet kStated = Cue::decided | Cue::settled | Cue::declined | Cue::taken_back;
constexpr CueSet kSigns = kStated | Cue::contrast | Cue::decisions_told;
constexpr CueSet kDirections = Cue::chooses | Cue::directs;  // of a person
constexpr std::size_t kShortestDecision = 16;                // bytes
constexpr std::size_t kPartBytes = 160;                      // of the chosen and the rejected option, and of the reason
constexpr std::size_t kLongestLine = 16 * 1024;              // a longer line is no prose

bool asks(std::string_view sentence) {
  return sentence.find('?') != std::string_view::npos || sentence.find("？") != std::string_view::npos;
}

// Returns the text after the marker of a list item such as "1. Text"; empty if the line is no list item.
std::string_view list_item(std::string_view line) {
  line = ascii::trimmed(line);
  if (line.starts_with("- ") || line.starts_with("* ") || line.starts_with("+ ")) return line.substr(2);
  if (line.starts_with("• ")) return line.substr(std::string_view("• ").size());
  const std::size_t digits = line.find_first_not_of("0123456789");
  if (digits == 0 || digits > 3 || digits + 1 >= line.size()) return {};
  return (line[digits] == '.' || line[digits] == ')') && line[digits + 1] == ' ' ? line.substr(digits + 2)
                                                                                 : std::string_view{};
}

bool states_decision(std::string_view sentence) {
  // Skips an item's number, because some cues must start the sentence.
  if (const std::string_view item = list_item(sentence); !item.empty()) sentence = item;
  if (sentence.size() < kShortestDecision || asks(sentence)) return false;
  const CueSet found = cues().find(sentence, kStated | Cue::contrast | Cue::choosing | Cue::undecided);
  if (found.has(Cue::undecided)) return false;
  return !(found & kStated).empty() || (found.has(Cue::contrast) && found.has(Cue::choosing));
}

DecisionKind kind_of_statement(std::string_view sentence) {
  const CueSet found = cues().find(sentence, Cue::declined | Cue::taken_back);
  if (found.has(Cue::taken_back)) return DecisionKind::reversal;
  return found.has(Cue::declined) ? DecisionKind::rejection : DecisionKind::choice;
}

std::string presented(std::string_view sentence) { return shortened(plain_sentence(sentence), kDecisionBytes); }

// ---- The parts of a sentence.

// Removes surrounding blanks and punctuation. Keeps quotes and backticks, which mark names.
std::string part_of(std::string_view text) {
  constexpr std::string_view kAround = " \t.,:;*-";
  const std::size_t begin = text.find_first_not_of(kAround);
  if (begin == std::string_view::npos) return {};
  return shortened(std::string(text.substr(begin, text.find_last_not_of(kAround) + 1 - begin)), kPartBytes);
}

// Returns the end of the clause at the start of `text`.
std::size_t clause_end(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    if (text[i] == ',' || text[i] == ';' || text[i] == '(' || rest.starts_with("—") || rest.starts_with("–") ||
        rest.starts_with(" - "))
      return i;
    if (may_end_sentence(text[i]) && sentence_end_at(text, i) != 0) return i;
  }
  return text.size();
}

// Returns the text after "I'll" or "let's"; "let's drop" keeps its verb.
std::string_view behind_lead(std::string_view text) {
  constexpr std::size_t kLatest = 16;
  for (const CueSet leads : {Cue::choosing | Cue::directs, CueSet(Cue::chooses)}) {
    const auto lead = cues().next(text, leads);
    if (lead && lead->begin < kLatest && !ascii::trimmed(text.substr(lead->end)).empty()) return text.substr(lead->end);
  }
  return text;
}

void take_apart(Decision& d) {
  std::string_view said = d.sentence;
  if (const auto why = cues().next(said, Cue::reason); why && why->begin > 0) {
    d.reason = part_of(said.substr(why->end));
    said = said.substr(0, why->begin);
  }
  if (const auto against = cues().next(said, Cue::contrast)) {
    const std::string_view before = said.substr(0, against->begin);
    const std::string_view after = said.substr(against->end);
    const std::size_t end = clause_end(after);
    d.rejected = part_of(after.substr(0, end));
    d.chosen = part_of(part_of(before).empty() ? after.substr(end) : behind_lead(before));
  } else if (d.kind == DecisionKind::rejection) {
    d.rejected = part_of(behind_lead(said));
  } else {
    d.chosen = part_of(behind_lead(said));
  }
}

Decision stated(std::string sentence, DecidedBy by, DecisionKind kind) {
  Decision d;
  d.kind = kind;
  d.by = by;
  d.sentence = std::move(sentence);
  take_apart(d);
  return d;
}

void keep(std::vector<Decision>& found, Decision d) {
  const auto same = [&](const Decision& other) { return other.sentence == d.sentence; };
  if (d.sentence.empty() || found.size() >= kDecisionsPerText || std::any_of(found.begin(), found.end(), same)) return;
  found.push_back(std::move(d));
}

// ---- Texts of agents.

// Tracks the line that contains a position. Positions must be queried in ascending order.
class LineWalk {
 public:
  explicit LineWalk(std::string_view text) : text_(text), end_(std::min(text.find('\n'), text.size())) {}

  void go_to(std::size_t at) {
    while (end_ < at) {
      fences_.line(line());
      begin_ = end_ + 1;
      end_ = std::min(text_.find('\n', begin_), text_.size());
    }
  }

  std::string_view line() const { return text_.substr(begin_, end_ - begin_); }
  std::size_t begin() const { return begin_; }
  std::size_t end() const { return end_; }
  bool in_code() const { return fences_.is_open(); }
  bool in_table() const { return ascii::trimmed(line()).starts_with('|'); }

 private:
  std::string_view text_;
  FenceTracker fences_;
  std::size_t begin_ = 0;
  std::size_t end_;
};

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Returns the sentence around `at`. `begin` is the start of a sentence; the sentence ends at the end of the line at the
// latest.
Span sentence_around(std::string_view text, std::size_t begin, std::size_t at, std::size_t line_end) {
  text = text.substr(0, line_end);
  for (std::size_t i = begin; i < text.size();) {
    const std::size_t end = may_end_sentence(text[i]) ? sentence_end_at(text, i) : 0;
    if (end == 0) {
      ++i;
    } else if (end > at) {
      return {begin, end};
    } else {
      begin = i = end;
    }
  }
  return {begin, text.size()};
}

bool is_heading(std::string_view line) { return ascii::trimmed(line).starts_with('#'); }

// Collects the items of the list below the line at `at`; one line of introduction may come between. Returns the
// position after the list.
std::size_t take_list(std::string_view text, std::size_t at, std::vector<Decision>& found) {
  at = std::min(text.find('\n', at), text.size());
  bool introduced = false;
  bool items = false;
  while (at < text.size()) {
    const std::size_t begin = at + 1;
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const std::string_view item = list_item(line);
    if (!item.empty()) {
      items = true;
      if (item.size() >= kShortestDecision && !asks(item))
        keep(found, stated(presented(item), DecidedBy::agent, kind_of_statement(item)));
    } else if (!ascii::trimmed(line).empty()) {
      if (items || introduced || is_heading(line) || !ascii::trimmed(line).ends_with(':')) break;
      introduced = true;
    }
    at = end;
  }
  return at;
}

// ---- Messages of users.

constexpr std::size_t kLongestMessage = 2000;  // bytes; a longer one is a paste
constexpr std::size_t kLongestReply = 300;
constexpr std::size_t kLongestDirection = 600;
constexpr std::size_t kLongestChoice = 160;  // of the sentence with the choice
constexpr std::size_t kShortestReply = 40;   // of a reply with more content than yes
constexpr std::size_t kOfferReach = 2000;    // bytes at the end of the agent's text that are searched
constexpr std::size_t kOfferUnits = 6;

struct Part {
  std::string text;  // on one line
  bool heading = false;
  bool item = false;
};

std::vector<Part> parts_of(std::string_view text) {
  std::vector<Part> out;
  for (const TextUnit& unit : split_units(text)) {
    if (unit.kind == UnitKind::code || unit.kind == UnitKind::table) continue;
    out.push_back({ascii::one_line(unit.text), unit.kind == UnitKind::heading, unit.kind == UnitKind::bullet});
  }
  return out;
}

// Returns the text from its first letter or digit on, without a leading emoji.
std::string_view from_spoken_word(std::string_view text) {
  constexpr std::string_view kShownInColour = "\xEF\xB8\x8F";  // variation selector that turns a sign into an emoji
  std::size_t i = 0;
  while (i < text.size() && !ascii::is_alnum(text[i])) {
    if (text.substr(i).starts_with(kShownInColour)) {
      i += kShownInColour.size();
      continue;
    }
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0xC0 && byte < 0xF0 && byte != 0xE2) break;  // a letter of another script
    ++i;
  }
  return text.substr(i);
}

bool is_numbered(const Part& part) { return part.item && ascii::is_digit(part.text.front()); }

// "1. yes, drop it  2. how is that possible?  3. let's keep it"
bool is_list_of_replies(const std::vector<Part>& parts) {
  std::size_t numbered = 0;
  std::size_t replies = 0;
  for (const Part& part : parts) {
    if (!is_numbered(part)) continue;
    ++numbered;
    if (cues().opening(from_spoken_word(list_item(part.text)), Cue::reply | Cue::denial | kDirections)) ++replies;
  }
  return numbered >= 3 && replies * 4 >= numbered;
}

struct Offer {
  std::string question;            // the agent's last question or offer
  std::vector<std::string> items;  // list items with their numbers
};

// Returns the end of the agent's text. A cut inside a code block would swap code and prose; the end of an agent's text
// is prose, so it starts after the first fence.
std::string_view end_of(std::string_view said) {
  if (said.size() > kOfferReach) said.remove_prefix(said.size() - kOfferReach);
  while (!said.empty() && is_utf8_tail(said, 0))
    said.remove_prefix(1);
  FenceTracker fences;
  std::size_t behind_fence = 0;  // after the first fence
  for (std::size_t at = 0; at < said.size();) {
    const std::size_t end = std::min(said.find('\n', at), said.size());
    fences.line(said.substr(at, end - at));
    at = std::min(end + 1, said.size());
    if (behind_fence == 0 && fences.is_open()) behind_fence = at;
  }
  return fences.is_open() ? said.substr(behind_fence) : said;
}

std::optional<Offer> offer_of(std::string_view said) {
  said = end_of(said);
  const std::vector<Part> parts = parts_of(said);
  Offer out;
  for (const Part& part : parts)
    if (part.item) out.items.push_back(part.text);
  const std::size_t first = parts.size() - std::min(parts.size(), kOfferUnits);
  bool lists = false;  // the options are in a list after the question
  for (std::size_t i = first; i < parts.size(); ++i) {
    if (lists && parts[i].item) {
      out.question += " " + parts[i].text;
    } else if (asks(parts[i].text) || cues().has(parts[i].text, Cue::offer)) {
      out.question = parts[i].text;
      lists = out.question.ends_with(':');
    }
  }
  if (out.question.empty()) return std::nullopt;
  return out;
}

// Returns the number or letter at the start of a reply: "2", "b) …"; empty if there is none.
std::string_view option_named(std::string_view reply) {
  const std::size_t digits = std::min(reply.find_first_not_of("0123456789"), reply.size());
  const bool number = digits > 0 && digits <= 2;
  const bool letter = !reply.empty() && ascii::is_letter(reply.front()) && (reply.size() == 1 || reply[1] == ')');
  const std::size_t length = number ? digits : letter ? 1 : 0;
  if (length == 0) return {};
  if (length < reply.size() && (ascii::is_word(reply[length]) || reply[length] == '/')) return {};
  return reply.substr(0, length);
}

std::string item_of(const Offer& offer, std::string_view option) {
  for (const std::string& item : offer.items)
    if (item.size() > option.size() && ascii::starts_nocase(item, option) && !ascii::is_word(item[option.size()]))
      return item;
  return {};
}

// Returns whether the words after a number belong to it: "3 tests fail", "10% is fine".
bool goes_on(std::string_view behind) {
  if (behind.starts_with('%')) return true;
  return behind.size() > 1 && behind[0] == ' ' && (ascii::is_word(behind[1]) || ascii::is_non_ascii(behind[1]));
}

// Handles "yes", "do option 1", "3, but enabled by default" after an offer.
std::optional<Decision> reply_to(const Offer& offer, std::string_view reply) {
  const std::string_view words = from_spoken_word(reply);
  const bool denied = cues().opening(words, Cue::denial).has_value();
  const std::string_view option = option_named(words);
  const std::string item = option.empty() ? std::string() : item_of(offer, option);
  const bool chooses = !item.empty() || (!option.empty() && !goes_on(words.substr(option.size())));
  const bool picks = words.size() <= kLongestChoice && cues().has(offer.question, Cue::alternatives);
  if (!denied && !chooses && !picks && !cues().opening(words, Cue::reply)) return std::nullopt;
  if (words.size() < kShortestReply && cues().has(picks ? words : offer.question, Cue::routine)) return std::nullopt;
  Decision d;
  d.kind = DecisionKind::answer;
  d.by = DecidedBy::user;
  d.sentence = shortened(shortened(offer.question, kPartBytes) + ": " + std::string(reply), kDecisionBytes);
  std::string& meant = denied ? d.rejected : d.chosen;
  meant = part_of(!item.empty() ? std::string_view(item) : picks ? words : std::string_view(offer.question));
  return d;
}

bool directs(const Part& part) {
  constexpr std::ptrdiff_t kMostOfGoAhead = 7;  // words
  const bool quoted = part.text.starts_with('>');
  if (part.heading || quoted || part.text.size() > kLongestDirection || asks(part.text) || part.text.ends_with(':'))
    return false;
  const CueSet found = cues().find(part.text, kDirections | Cue::talks | Cue::decided | Cue::settled | Cue::go_ahead);
  const bool goes_on = found.has(Cue::go_ahead) && std::count(part.text.begin(), part.text.end(), ' ') < kMostOfGoAhead;
  return !(found & (kDirections | Cue::decided | Cue::settled)).empty() && !found.has(Cue::talks) && !goes_on;
}

}  // namespace

std::vector<Decision> find_decisions(std::string_view text) {
  std::vector<Decision> found;
  LineWalk walk(text);
  std::size_t from = 0;
  while (found.size() < kDecisionsPerText) {
    const auto sign = cues().next(text, kSigns, from);
    if (!sign) break;
    walk.go_to(sign->begin);
    const std::string_view line = walk.line();
    if (walk.in_code() || walk.in_table() || line.size() > kLongestLine) {
      from = walk.end();
      continue;
    }
    if (sign->cue == Cue::decisions_told && list_item(line).empty() &&
        (is_heading(line) || ascii::trimmed(line).ends_with(':'))) {
      from = take_list(text, sign->end, found);
      continue;
    }
    const Span span = sentence_around(text, std::max(from, walk.begin()), sign->begin, walk.end());
    const std::string_view sentence = text.substr(span.begin, span.end - span.begin);
    const bool is_quoted = sign->end - span.begin <= kDecisionBytes;
    if (is_quoted && states_decision(sentence))
      keep(found, stated(presented(sentence), DecidedBy::agent, kind_of_statement(sentence)));
    from = span.end;
  }
  return found;
}

namespace {

constexpr std::string_view kProposedPlan = "<proposed_plan>";  // Codex: precedes a plan that it offers

bool is_proposed(std::string_view offered) { return offered.find(kProposedPlan) != std::string_view::npos; }

// Handles "Implement the plan" after a plan.
Decision accepted_offer(std::string_view message, std::string_view offered) {
  Decision d = accepted_plan(offered.substr(offered.rfind(kProposedPlan) + kProposedPlan.size()));
  d.sentence = shortened(shortened(d.sentence, kPartBytes) + ": " + ascii::one_line(message), kDecisionBytes);
  return d;
}

}  // namespace

std::vector<Decision> find_decisions_of_person(std::string_view message, std::string_view offered) {
  std::vector<Decision> found;
  if (cues().opening(ascii::trimmed(message), Cue::plan_told)) {
    keep(found, is_proposed(offered) ? accepted_offer(message, offered) : accepted_plan(message));
    return found;
  }
  if (message.size() > kLongestMessage) return found;
  const std::vector<Part> parts = parts_of(message);
  if (parts.empty()) return found;
  const bool replies = is_list_of_replies(parts);
  std::size_t first = 0;
  if (!replies && !asks(parts.front().text) && message.size() <= kLongestReply)
    if (const auto offer = offer_of(offered))
      if (auto reply = reply_to(*offer, parts.front().text)) {
        keep(found, std::move(*reply));
        first = 1;
      }
  for (const Part& part : std::span(parts).subspan(first)) {
    if (replies && is_numbered(part)) {
      if (cues().opening(from_spoken_word(list_item(part.text)), Cue::asking)) continue;
      keep(found, stated(presented(list_item(part.text)), DecidedBy::user, DecisionKind::answer));
    } else if (directs(part)) {
      keep(found, stated(presented(part.text), DecidedBy::user, kind_of_statement(part.text)));
    }
  }
  return found;
}

Decision accepted_plan(std::string_view plan) {
  Decision d;
  d.kind = DecisionKind::plan;
  d.by = DecidedBy::user;
  std::string first;
  for (const Part& part : parts_of(utf8_prefix(plan, kLongestMessage))) {
    if (part.heading) {
      first = part.text;
      break;
    }
    if (first.empty()) first = part.text;
  }
  d.sentence = presented(first.substr(0, first.find(" ## ")));  // a plan on a single line
  d.chosen = shortened(d.sentence, kPartBytes);
  return d;
}

namespace {

// Splits lines of "question: answer". If questions end with a question mark, they may contain colons and their answers
// may span lines. If questions are only names, each line is one pair.
std::vector<std::pair<std::string, std::string>> questions_and_answers(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> out;
  const bool marked = text.substr(0, text.find('\n')).find("?: ") != std::string_view::npos;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string line = ascii::one_line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    std::size_t mark = line.find("?: ");
    if (mark == std::string::npos && line.ends_with("?:")) mark = line.size() - 2;
    const std::size_t colon = mark != std::string::npos ? mark + 1 : line.find(": ");
    if (colon != std::string::npos && (mark != std::string::npos || !marked)) {
      out.emplace_back(line.substr(0, colon), line.substr(std::min(colon + 2, line.size())));
    } else if (!out.empty() && !line.empty()) {
      std::string& answer = out.back().second;
      answer += (answer.empty() ? "" : " ") + line;
    }
  }
  return out;
}

}  // namespace

std::vector<Decision> read_choices(std::string_view text) {
  std::vector<Decision> found;
  if (text.starts_with(kPlanAccepted)) {
    keep(found, accepted_plan(text.substr(kPlanAccepted.size())));
    return found;
  }
  for (const auto& [question, answer] : questions_and_answers(text)) {
    if (answer.empty() || ends_in_question_mark(answer)) continue;
    Decision d;
    d.kind = DecisionKind::answer;
    d.by = DecidedBy::user;
    d.sentence = shortened(shortened(question, kPartBytes) + ": " + answer, kDecisionBytes);
    d.chosen = shortened(answer, kPartBytes);
    keep(found, std::move(d));
  }
  return found;
}

namespace {

struct Shared {
  std::size_t terms = 0;
  double share = 0;  // of the terms of the shorter text
};

Shared shared_terms(std::string_view a, std::string_view b) {
  std::vector<std::uint64_t> of_a = content_terms(a);
  std::vector<std::uint64_t> of_b = content_terms(b);
  for (auto* terms : {&of_a, &of_b}) {
    std::sort(terms->begin(), terms->end());
    terms->erase(std::unique(terms->begin(), terms->end()), terms->end());
  }
  if (of_a.empty() || of_b.empty()) return {};
  std::vector<std::uint64_t> both;
  std::set_intersection(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), std::back_inserter(both));
  return {both.size(), static_cast<double>(both.size()) / static_cast<double>(std::min(of_a.size(), of_b.size()))};
}

}  // namespace

namespace {

bool has_code_name(std::string_view text) {
  bool found = text.find('`') != std::string_view::npos || text.find('"') != std::string_view::npos;
  continuity::for_each_code_name(text, [&](std::string_view) { found = true; });
  return found;
}

// Whether a later reader knows what was chosen: the sentence is whole, was written and not pasted from a screen, names
// what it is about, and holds beyond the agent's next work.
bool tells_choice(std::string_view sentence) {
  constexpr std::size_t kFewestWords = 3;
  constexpr std::array<std::string_view, 6> kOfScreens{"⏺", "⎿", "│", "└", "❯", "➜"};
  const auto shows = [&](std::string_view sign) { return sentence.find(sign) != std::string_view::npos; };
  if (sentence.ends_with("…") || std::any_of(kOfScreens.begin(), kOfScreens.end(), shows)) return false;
  const CueSet found = cues().find(sentence, Cue::chooses | Cue::points | Cue::momentary);
  if (found != CueSet(Cue::chooses)) return false;
  return telling_words(sentence) >= kFewestWords || has_code_name(sentence);
}

}  // namespace

bool is_shown(const Decision& d) {
  if (!d.judged_by.empty()) return true;
  const bool own = d.by == DecidedBy::user && d.kind != DecisionKind::answer && d.kind != DecisionKind::plan;
  return own && tells_choice(d.sentence);
}

bool reverses(const Decision& later, const Decision& earlier) {
  constexpr double kLeastShare = 0.6;
  if (!later.rejected.empty() && !earlier.chosen.empty()) {
    const Shared shared = shared_terms(later.rejected, earlier.chosen);
    if (shared.share >= kLeastShare && (shared.terms >= 2 || shared.share == 1)) return true;
  }
  if (later.kind != DecisionKind::reversal) return false;
  const Shared shared = shared_terms(later.sentence, earlier.sentence);
  return shared.terms >= 2 && shared.share >= kLeastShare / 2;
}

}  // namespace memd
