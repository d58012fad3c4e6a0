#include "store/harvest/draft.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/time.hpp"
#include "store/harvest/suggestion_score.hpp"
#include "store/insight/summary/gist.hpp"
#include "store/text/cue_matcher.hpp"
#include "store/text/plain_text.hpp"
#include "store/text/script.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace memd::harvest {
namespace {

constexpr std::size_t kTitleBytes = 140;
constexpr std::size_t kShortAnswer = 40;  // bytes; a shorter answer needs its question to be understood
constexpr std::size_t kMostFiles = 8;
constexpr std::size_t kMostCommits = 4;
constexpr std::size_t kMostPatches = 8;
constexpr std::string_view kRecommended = " (Recommended)";

void drop_all(std::string& text, std::string_view part) {
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at))
    text.erase(at, part.size());
}

std::string cleaned(std::string_view text) {
  std::string out = plain_sentence(text);
  drop_all(out, kRecommended);
  drop_all(out, "**");
  return out;
}

std::string capitalised(std::string text) {
  if (!text.empty()) text[0] = ascii::upper(text[0]);
  return text;
}

// "The issue was that X." → "X", "Want me to do X?" → "do X".
std::string without_opening(std::string text, CueSet openings) {
  if (const auto hit = cues().opening(text, openings)) {
    std::string rest(ascii::trimmed(std::string_view(text).substr(hit->end)));
    for (const std::string_view filler : {":", "that ", "is ", "was ", "to "})
      if (rest.starts_with(filler)) rest = std::string(ascii::trimmed(std::string_view(rest).substr(filler.size())));
    if (rest.size() > 12) return rest;
  }
  return text;
}

// "Sure, but the CLI does it" → "the CLI does it".
std::string without_reply(std::string text) {
  constexpr std::size_t kLeft = 12;  // bytes
  while (const auto hit = cues().opening(text, Cue::answering | Cue::joint)) {
    const auto begin = text.find_first_not_of(",.!: ", hit->end);
    if (begin == std::string::npos || begin == hit->end || text.size() - begin < kLeft) break;
    if (text[hit->end] == ' ' && hit->cue != Cue::joint) break;
    if (std::string_view(text).substr(begin).starts_with("that ")) break;
    text.erase(0, begin);
  }
  return text;
}

// Removes leading emoji, dashes and other signs; keeps quotes and signs that start names.
std::string without_signs(std::string text) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t next = at;
    const std::uint32_t c = tokenizer::next_character(text, next);
    if (tokenizer::is_word_character(c) || std::string_view("`\"'([{<@#/.$").find(text[at]) != std::string_view::npos)
      break;
    at = next;
  }
  return at < text.size() ? text.substr(at) : text;
}

std::string title_of(std::string text) {
  text = without_signs(without_reply(without_signs(cleaned(text))));
  while (!text.empty() && (text.back() == '.' || text.back() == ':' || text.back() == '!' || text.back() == ',' ||
                           text.back() == '?' || text.back() == ' '))
    text.pop_back();
  return shortened(capitalised(std::move(text)), kTitleBytes);
}

// The decision in an answer: the answer itself, or the offer if the answer is only yes.
struct Answered {
  std::string question;
  std::string answer;
};
std::optional<Answered> answered(const Decision& decision) {
  if (decision.kind != DecisionKind::answer) return std::nullopt;
  std::size_t at = decision.sentence.rfind("?: ");
  if (at == std::string::npos) return std::nullopt;
  return Answered{decision.sentence.substr(0, at + 1), decision.sentence.substr(at + 3)};
}

bool only_agrees(const std::string& answer) {
  const auto reply = cues().opening(answer, Cue::reply | Cue::go_ahead);
  return answer.size() < 12 || (reply && answer.size() - reply->end < 16);
}

constexpr CueSet kProblemOpenings = Cue::problem | Cue::the_problem | Cue::discovery;
constexpr CueSet kFixOpenings = Cue::solution | Cue::bugfix;

std::string title_of_decision(const Decision& decision) {
  if (const auto said = answered(decision)) {
    if (said->answer.size() < kShortAnswer && !only_agrees(said->answer))
      return title_of(cleaned(said->question) + " " + cleaned(said->answer));
    if (!only_agrees(said->answer)) return title_of(said->answer);
    return title_of(without_opening(said->question, Cue::offering));
  }
  return title_of(decision.sentence);
}

MemoryType type_of(const Material& m, std::optional<std::size_t> told, MemoryDialect dialect) {
  const bool plugin = dialect == MemoryDialect::plugin;
  if (!told) return plugin ? MemoryType::learning : MemoryType::fact;
  switch (m.observations[*told].type) {
    case ObservationType::decision: return plugin ? MemoryType::decision : MemoryType::adr;
    case ObservationType::problem:
    case ObservationType::warning:
    case ObservationType::discovery:
    case ObservationType::solution:
    case ObservationType::bugfix: return plugin ? MemoryType::gotcha : MemoryType::fact;
    default: return plugin ? MemoryType::learning : MemoryType::fact;
  }
}

class Body {
 public:
  void paragraph(std::string_view label, std::string_view text) {
    if (text.empty()) return;
    if (!out_.empty()) out_ += '\n';
    if (!label.empty()) out_.append("**").append(label).append(":** ");
    out_.append(text).append("\n");
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

// In an old store, a decision has only its sentence.
Decision decision_of(const Observation& o) {
  Decision bare;
  bare.sentence = o.content;
  return o.decision.value_or(std::move(bare));
}

void tell_decision(const Observation& o, Body& body, bool& asked) {
  const Decision decision = decision_of(o);
  if (const auto said = answered(decision)) {
    body.paragraph("Question", cleaned(said->question));
    body.paragraph("Answer", cleaned(said->answer));
    asked = true;
  } else {
    body.paragraph({}, cleaned(decision.sentence));
  }
  // Skips parts that the sentence already contains.
  if (decision.reason.size() > 8 && decision.sentence.find(decision.reason) == std::string::npos)
    body.paragraph("Why", cleaned(decision.reason));
  body.paragraph("Decided by", decision.by == DecidedBy::user ? "a person" : "the agent");
}

std::string title_and_body(const Material& m, std::optional<std::size_t> told, Body& body) {
  bool asked = false;
  std::string title;
  if (!told) {
    title = title_of(request_gist(m.exchange.user_message));
    body.paragraph({}, result_gist(m.exchange.final_answer()));
  } else if (const Observation& o = m.observations[*told]; o.type == ObservationType::decision) {
    title = title_of_decision(decision_of(o));
    tell_decision(o, body, asked);
  } else if (const auto fix = fix_of(m, *told); fix) {
    title = title_of(without_opening(cleaned(o.content), kProblemOpenings));
    body.paragraph("Problem", cleaned(o.content));
    body.paragraph("Fix", cleaned(m.observations[*fix].content));
  } else if (const auto problem = problem_of(m, *told); problem) {
    title = title_of(without_opening(cleaned(m.observations[*problem].content), kProblemOpenings));
    body.paragraph("Problem", cleaned(m.observations[*problem].content));
    body.paragraph("Fix", cleaned(o.content));
  } else {
    title = title_of(without_opening(cleaned(o.content), kProblemOpenings | kFixOpenings));
    body.paragraph({}, cleaned(o.content));
  }
  if (!asked)
    if (std::string request = request_gist(m.exchange.user_message, 160); cleaned(request).find(title) != 0)
      body.paragraph("Asked for", request);
  return title;
}

std::string joined_files(const std::vector<std::string>& files) {
  std::string out;
  for (std::size_t i = 0; i < std::min(files.size(), kMostFiles); ++i)
    out.append(i == 0 ? "`" : ", `").append(files[i]).append("`");
  if (files.size() > kMostFiles) out += " and " + std::to_string(files.size() - kMostFiles) + " more";
  return out;
}

std::string joined_commits(const std::vector<CommitRow>& commits) {
  std::string out;
  for (std::size_t i = 0; i < std::min(commits.size(), kMostCommits); ++i) {
    out.append(i == 0 ? "`" : ", `").append(commits[i].sha).append("`");
    if (!commits[i].subject.empty()) out.append(" ").append(shortened(commits[i].subject, 72));
  }
  return out;
}

void add_id_once(std::vector<std::string>& ids, std::string id) {
  if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(std::move(id));
}

}  // namespace

MemoryProvenance provenance_of(const Material& m, std::optional<std::size_t> told,
                               const std::filesystem::path& project) {
  MemoryProvenance out;
  std::vector<std::size_t> observed;
  if (told) {
    observed.push_back(*told);
    for (const auto other : {fix_of(m, *told), problem_of(m, *told)})
      if (other) observed.push_back(*other);
  }
  for (const MaterialEvent& e : m.events) {
    const bool is_told = std::any_of(observed.begin(), observed.end(),
                                     [&](std::size_t i) { return m.observations[i].event_seq == e.seq; });
    if (is_told || e.seq == m.exchange.first_seq)
      add_id_once(out.events, e.log_id.empty() ? "evt_" + format_key(e.id) : e.log_id);
    // An edit of another program's log is a patch only if the log says so.
    const bool is_patch = e.is_edit && (e.log_id.empty() || !e.log_patch_id.empty());
    if (is_patch && out.patches.size() < kMostPatches)
      add_id_once(out.patches, e.log_id.empty() ? "patch_" + format_key(e.id) : e.log_patch_id);
  }
  out.session = m.exchange.session_uid;
  out.exchange = format_exchange_name(m.exchange.session_uid, m.exchange.number);
  out.files = relative_files(m.files, project, m.exchange.cwd);
  for (const CommitRow& commit : m.commits)
    if (out.commits.size() < kMostCommits) out.commits.push_back(commit.sha.substr(0, 40));
  return out;
}

Memory draft_of(const Material& m, const DraftOptions& options) {
  const auto told = m.told ? m.told : best_observation(m);
  Memory out;
  out.dialect = options.dialect;
  out.type = options.type.value_or(type_of(m, told, options.dialect));
  Body body;
  out.title = title_and_body(m, told, body);
  if (!options.title.empty()) out.title = options.title;
  if (out.title.empty()) out.title = shortened(m.exchange.session_title, kTitleBytes);
  out.provenance = provenance_of(m, told, options.project);
  body.paragraph("Tests", m.tests_passed ? "passed in the same turn" : "");
  body.paragraph("Files", joined_files(out.provenance.files));
  body.paragraph("Commits", joined_commits(m.commits));
  body.paragraph("From", format_rfc3339(m.exchange.started_at).substr(0, 10) + ", \"" +
                             shortened(ascii::one_line(m.exchange.session_title), 60) + "\" (" +
                             std::string(to_string(m.exchange.platform)) + ")");
  out.content = body.take();
  out.tags = {std::string(to_string(out.type))};
  return out;
}

}  // namespace memd::harvest
