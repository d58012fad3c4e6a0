#include "daemon/tools/session_outline.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/time.hpp"
#include "store/insight/summary/gist.hpp"
#include "store/text/token_budget.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace memd::tools {
namespace {

constexpr std::size_t kSubjectTokens = 16;

// Returns "#7". The URL is in the list of pull requests.
std::string number_of(const std::string& url) { return "#" + url.substr(url.rfind('/') + 1); }

constexpr std::size_t kReadOfSession = 768 * 1024;  // bytes read of all its messages of one kind, about
constexpr std::size_t kLeastOfMessage = 4 * 1024;
constexpr std::size_t kLeastOfChunk = 40;  // tokens of its summary

std::size_t read_of_message(std::size_t exchanges) {
  return std::clamp(kReadOfSession / std::max<std::size_t>(exchanges, 1), kLeastOfMessage,
                    SummarySource::kReadOfMessage);
}

std::vector<std::vector<std::string>> modified_by_exchange(const SessionDigest& digest) {
  std::vector<std::vector<std::string>> out(digest.exchanges.size());
  std::size_t i = 0;
  for (const ExchangeFile& file : digest.files) {
    while (i < out.size() && digest.exchanges[i].number < file.exchange_number)
      ++i;
    if (i < out.size() && digest.exchanges[i].number == file.exchange_number) out[i].push_back(file.path);
  }
  return out;
}

// Returns the weight of a decision. A reason, a rejected alternative, the user as its author, length and inline code
// raise it; a reversal lowers it.
double weight_of_decision(const Observation& o) {
  double weight = o.content.size() >= 40 ? 0.5 : 0;
  if (o.content.find('`') != std::string::npos) weight += 0.5;
  if (!o.decision) return weight;
  if (!o.decision->reason.empty()) weight += 1;
  if (!o.decision->rejected.empty()) weight += 1;
  if (o.decision->by == DecidedBy::user) weight += 1;
  return o.reversed_by ? weight - 2 : weight;
}

// Returns the latest decision and the weightiest ones that fit `tokens`, in the order of `all`.
std::vector<DecisionOut> best_decisions(const std::vector<DecisionOut>& all, const std::vector<double>& weights,
                                        std::size_t tokens) {
  std::vector<std::size_t> order(all.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  // Among equals the newer one comes first, because it may have replaced the older.
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return std::pair(weights[a], a) > std::pair(weights[b], b); });
  // The latest decision describes the current state.
  const auto latest = std::find(order.begin(), order.end(), all.size() - 1);
  if (latest != order.end()) std::rotate(order.begin(), latest, latest + 1);
  TokenBudget budget(tokens);
  std::vector<std::size_t> taken;
  for (const std::size_t i : order) {
    if (!budget.take_text(mcp::to_json(all[i]))) continue;
    taken.push_back(i);
  }
  std::sort(taken.begin(), taken.end());
  std::vector<DecisionOut> out;
  for (const std::size_t i : taken)
    out.push_back(all[i]);
  return out;
}

template <class T>
std::vector<T> first_that_fit(const std::vector<T>& all, std::size_t tokens) {
  TokenBudget budget(tokens);
  std::vector<T> out;
  for (const T& one : all) {
    if (!budget.take_text(mcp::to_json(one))) break;
    out.push_back(one);
  }
  return out;
}

}  // namespace

SessionCommits::SessionCommits(const SessionDigest& digest) {
  for (auto it = digest.commits.rbegin(); it != digest.commits.rend(); ++it) {
    SessionCommitOut one;
    one.sha = it->sha;
    one.exchange_id = it->exchange_id != 0 ? format_exchange_id(it->exchange_id) : std::string();
    one.subject = short_line(it->subject, kSubjectTokens);
    if (!it->pull_request.empty()) one.pull_request = number_of(it->pull_request);
    commits_.push_back(std::move(one));
  }
  for (auto it = digest.pull_requests.rbegin(); it != digest.pull_requests.rend(); ++it)
    pull_requests_.push_back(it->url);
}

void SessionCommits::describe(SessionSummaryAnswer& out) const {
  out.commits_total = static_cast<std::int64_t>(commits_.size());
  out.pull_requests_total = static_cast<std::int64_t>(pull_requests_.size());
}

std::size_t SessionCommits::add(SessionSummaryAnswer& out, std::size_t tokens) const {
  TokenBudget budget(tokens);
  out.commits.clear();
  out.pull_requests.clear();
  for (const std::string& url : pull_requests_) {
    if (!budget.take(estimate_tokens(url) + 3)) break;
    out.pull_requests.push_back(url);
  }
  for (const SessionCommitOut& commit : commits_) {
    if (!budget.take_text(mcp::to_json(commit))) break;
    out.commits.push_back(commit);
  }
  return budget.used();
}

SessionOutline::SessionOutline(SessionRow session, SessionDigest digest, std::vector<std::string> topics)
    : session_(std::move(session)),
      digest_(std::move(digest)),
      topics_(std::move(topics)),
      modified_(modified_by_exchange(digest_)),
      source_(digest_.exchanges, modified_, read_of_message(digest_.exchanges.size())),
      commits_(digest_) {
  source_.count_tokens();
  for (const SummaryInput& in : source_.inputs()) {
    source_tokens_ += in.tokens;
    has_texts_ = has_texts_ || !in.user_message.empty() || !in.assistant_response.empty();
  }
  for (const Observation& o : digest_.observations) {
    if (o.type != ObservationType::decision) continue;
    DecisionOut decision = decision_out(o, 0);
    decision.exchange_id = id_of(o.exchange_number);
    decision.chosen = decision.rejected = decision.reason = std::nullopt;  // the sentence contains them
    if (o.reversed_by) decision.reversed_by = unless_empty(id_of(o.reversed_by));
    decisions_.push_back(std::move(decision));
    decision_weights_.push_back(weight_of_decision(o));
  }
  for (const OpenEnd& end : find_open_ends(source_.inputs()))
    open_ends_.push_back({std::string(source_.inputs()[end.exchange].id), end.text});

  struct ChangeCount {
    std::int64_t touches = 0;
    ChangedFileOut out;
  };
  std::map<std::string, ChangeCount> files;
  for (const ExchangeFile& file : digest_.files) {
    ChangeCount& change = files[file.path];
    change.touches += file.touches;
    change.out.path = file.path;
    change.out.last_exchange_id = id_of(file.exchange_number);
    change.out.lines_added += file.lines_added;
    change.out.lines_removed += file.lines_removed;
  }
  std::vector<ChangeCount> by_touches;
  for (auto& [path, change] : files)
    by_touches.push_back(std::move(change));
  std::stable_sort(by_touches.begin(), by_touches.end(),
                   [](const ChangeCount& a, const ChangeCount& b) { return a.touches > b.touches; });
  for (ChangeCount& change : by_touches)
    files_.push_back(std::move(change.out));
  of_chunks_.resize(static_cast<std::size_t>(chunk_count()));
}

std::string SessionOutline::id_of(std::optional<std::int64_t> number) const {
  const auto& rows = digest_.exchanges;
  const auto at = std::lower_bound(rows.begin(), rows.end(), number.value_or(0),
                                   [](const ExchangeRow& row, std::int64_t n) { return row.number < n; });
  return at == rows.end() ? std::string() : format_exchange_id(at->id);
}

std::size_t SessionOutline::days() const {
  std::set<std::int64_t> days;
  for (const ExchangeRow& row : digest_.exchanges)
    days.insert(local_day(row.started_at));
  return std::max<std::size_t>(days.size(), 1);
}

void SessionOutline::describe(SessionSummaryAnswer& out) const {
  static_cast<SessionFactsOut&>(out) = session_facts(session_);
  static_cast<SessionRefOut&>(out) = session_ref(session_.uid, session_.title, session_.platform, 40);
  out.project = cut_to_tokens(session_.project_name, 20).text;
  out.data_completeness = to_string(least_complete(digest_.exchanges));
  out.outcome = to_string(session_.outcome);
  out.outcome_reasons = sign_names(session_.outcome_reasons, session_.outcome_reasons.size());
  out.time_range = to_out(range_of(digest_.exchanges));
  out.total_exchanges = session_.exchanges;
  out.source_tokens = static_cast<std::int64_t>(source_tokens());
  out.chunks_total = chunk_count();
  out.key_decisions_total = static_cast<std::int64_t>(decisions_.size());
  out.files_modified_total = static_cast<std::int64_t>(files_.size());
  commits_.describe(out);
  for (const ObservationType type : kAllObservationTypes) {
    const auto n = std::count_if(digest_.observations.begin(), digest_.observations.end(),
                                 [&](const Observation& o) { return o.type == type; });
    if (n > 0) out.observation_counts.emplace_back(to_string(type), n);
  }
  const auto inputs = source_.inputs();
  out.provenance.inputs = counted(std::ssize(inputs), "turn");
  if (!inputs.empty())
    out.provenance.inputs +=
        ", " + std::string(inputs.front().id) + (inputs.size() > 1 ? " to " + std::string(inputs.back().id) : "");
}

void SessionOutline::add_facts(SessionSummaryAnswer& out, std::size_t tokens) const {
  tokens -= commits_.add(out, tokens * 2 / 10);
  out.key_decisions = best_decisions(decisions_, decision_weights_, tokens * 4 / 10);
  std::reverse(out.key_decisions.begin(), out.key_decisions.end());
  out.files_modified = first_that_fit(files_, tokens * 3 / 10);
  out.open_ends = first_that_fit(open_ends_, tokens * 2 / 10);
  TokenBudget budget(tokens / 10);
  out.topics.clear();
  for (const std::string& topic : topics_)
    if (budget.take(estimate_tokens(topic) + 3)) out.topics.push_back(topic);
}

Extract& SessionOutline::extract_of(std::optional<Extract>& kept, Span span, std::string_view focus) {
  if (!kept) kept.emplace(source_.inputs().subspan(span.first, span.count), focus);
  return *kept;
}

const Chronicle& SessionOutline::story() {
  if (!story_) story_.emplace(source_.inputs());
  return *story_;
}

// Returns the summary that was made of the whole texts before retention dropped them.
std::string SessionOutline::kept_summary() const {
  const KeptDigest& kept = *digest_.kept;
  std::string out = kept.abstract;
  for (const std::string& line : {kept.request, kept.result})
    if (!line.empty() && out.find(line) == std::string::npos) out.append(out.empty() ? "" : "\n").append(line);
  if (!kept.errors.empty()) out += "\n\nThe last errors:";
  for (const ErrorSnippet& e : kept.errors)
    out += "\n- " + (e.tool.empty() ? std::string() : e.tool + ": ") + ascii::one_line(e.text);
  return out;
}

ExtractiveSummary SessionOutline::summary(const Form& form, std::size_t max_tokens) {
  if (digest_.kept && has_texts_) {
    ExtractiveSummary out;
    const std::string text = kept_summary();
    CutText cut = cut_to_tokens(text, max_tokens);
    out.capped = cut.text.size() < text.size();
    out.text = std::move(cut.text);
    out.tokens = cut.tokens;
    out.source_tokens = source_tokens_;
    return out;
  }
  if (!has_texts_) {
    ExtractiveSummary out;
    CutText cut = cut_to_tokens(summary_without_texts(session_, digest_.exchanges), max_tokens);
    out.text = std::move(cut.text);
    out.tokens = cut.tokens;
    return out;
  }
  const auto inputs = source_.inputs();
  if (form.strategy == SummaryStrategy::chronological) return story().by_phase(form.ratio, max_tokens);
  if (form.strategy == SummaryStrategy::hierarchical && form.level == 2) return by_chunks(form.ratio, max_tokens);
  if (form.strategy == SummaryStrategy::hierarchical) {
    std::vector<std::string> decisions;
    for (const DecisionOut& d : best_decisions(decisions_, decision_weights_, 200))
      decisions.push_back(d.text.value_or(""));
    return story().abstract(decisions, form.ratio, max_tokens);
  }
  return extract_of(whole_, {0, inputs.size()}, form.focus).summary(form.ratio, max_tokens);
}

// Gives each chunk a share, so that a long session is summarised from start to end.
ExtractiveSummary SessionOutline::by_chunks(double ratio, std::size_t max_tokens) {
  const auto by_ratio = static_cast<std::size_t>(static_cast<double>(source_tokens()) * ratio);
  const std::size_t allowed = std::min(max_tokens, std::max(by_ratio, kLeastSummaryTokens));
  const auto chunks = static_cast<std::size_t>(chunk_count());
  if (chunks <= 1 || allowed / chunks < kLeastSummaryTokens) {
    if (chunks > 1) return story().by_phase(ratio, max_tokens);
    return extract_of(whole_, {0, source_.inputs().size()}, {}).summary(ratio, max_tokens);
  }
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < chunks; ++i) {
    const Extract& chunk_text = extract_of(of_chunks_[i], chunk(static_cast<std::int64_t>(i)), {});
    wanted.push_back(std::max(static_cast<std::size_t>(static_cast<double>(chunk_text.source_tokens()) * ratio),
                              kLeastSummaryTokens));
  }
  const auto shares = fair_shares(allowed - chunks, wanted);
  ExtractiveSummary out;
  for (std::size_t i = 0; i < chunks; ++i) {
    const ExtractiveSummary part = of_chunks_[i]->summary(ratio, shares[i]);
    if (part.text.empty()) continue;
    if (!out.text.empty() && !out.text.ends_with('\n')) out.text += '\n';
    out.text += part.text;
    out.exchanges_mentioned += part.exchanges_mentioned;
  }
  CutText cut = cut_to_tokens(out.text, allowed);
  out.text = std::move(cut.text);
  out.tokens = cut.tokens;
  out.source_tokens = source_tokens();
  out.capped = max_tokens < by_ratio;
  return out;
}

std::int64_t SessionOutline::chunk_count() const {
  if (digest_.exchanges.empty()) return 0;
  return digest_.exchanges.back().number / kChunkExchanges - digest_.exchanges.front().number / kChunkExchanges + 1;
}

// `index` counts from the first chunk of the digest.
SessionOutline::Span SessionOutline::chunk(std::int64_t index) const {
  const auto& rows = digest_.exchanges;
  const std::int64_t number = (rows.front().number / kChunkExchanges + index) * kChunkExchanges;
  const auto at = [&](std::int64_t n) {
    return static_cast<std::size_t>(
        std::lower_bound(rows.begin(), rows.end(), n,
                         [](const ExchangeRow& row, std::int64_t wanted) { return row.number < wanted; }) -
        rows.begin());
  };
  return {at(number), at(number + kChunkExchanges) - at(number)};
}

std::int64_t SessionOutline::add_chunks(SessionSummaryAnswer& out, int level, std::int64_t first, std::size_t tokens) {
  const std::int64_t chunks = chunk_count();
  if (chunks == 0) return 0;
  const std::int64_t first_chunk = digest_.exchanges.front().number / kChunkExchanges;
  TokenBudget budget(tokens);
  std::int64_t i = std::min(first, chunks);
  for (; i < chunks; ++i) {
    const Span span = chunk(i);
    if (span.count == 0) continue;
    const auto rows = std::span(digest_.exchanges).subspan(span.first, span.count);
    SummaryChunkOut one{first_chunk + i,
                        format_exchange_id(rows.front().id),
                        format_exchange_id(rows.back().id),
                        static_cast<std::int64_t>(rows.size()),
                        to_out(range_of(rows)),
                        {},
                        {}};
    // A page has at least one chunk, so that paging advances.
    const bool must = level == 1 && out.chunks.empty();
    if (level == 1) {
      const std::size_t frame = estimate_tokens(mcp::to_json(one));
      if (!must && budget.remaining() < frame + kLeastOfChunk) break;
      // Shares the rest among the remaining chunks, but gives this one enough for a few sentences.
      const std::size_t fair = budget.remaining() / static_cast<std::size_t>(chunks - i);
      const std::size_t most = budget.remaining() - std::min(budget.remaining(), frame);
      const std::size_t share = std::min(std::max(fair - std::min(fair, frame), 2 * kLeastOfChunk), most);
      Extract& text = extract_of(of_chunks_[static_cast<std::size_t>(i)], span, {});
      if (has_texts_) one.summary = text.summary(kLevelRatios[1], share).text;
    } else {
      one.summary = request_gist(source_.inputs()[span.first].user_message, 90);
    }
    const bool fits = budget.take_text(mcp::to_json(one));
    if (!fits && !must) break;
    out.chunks.push_back(std::move(one));
  }
  return i;
}

}  // namespace memd::tools
