#include "daemon/tools/session_summary.hpp"

#include "daemon/tools/llm_summarizer.hpp"
#include "daemon/tools/page_cursor.hpp"
#include "daemon/tools/session_outline.hpp"
#include "daemon/tools/summary_plan.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/session_contents.hpp"
#include "store/search/topic_index.hpp"
#include "store/text/token_budget.hpp"

#include <algorithm>

namespace memd::tools {
namespace {

bool writes_with_model(SummaryStrategy asked, const LlmSummarizer* llm, const mcp::ToolContext& context) {
  return (needs_model(asked) || asked == SummaryStrategy::hierarchical) && llm != nullptr &&
         llm->unavailable(context).empty();
}

void add_notice(std::string& notice, std::string_view sentence) {
  notice.append(notice.empty() ? "" : " ").append(sentence);
}

// What the model wrote; nothing, with plan.notice saying why, when the answer has to be quoted.
Result<std::optional<LlmSummary>> ask_model(SummaryPlan& plan, const SessionSummaryParams& params,
                                            const SessionOutline& outline, std::size_t max_tokens,
                                            const ToolServices& services, mcp::ToolContext& context) {
  std::optional<LlmSummary> none;
  if (!needs_model(plan.asked) && plan.asked != SummaryStrategy::hierarchical) return none;
  const std::string name(to_string(plan.asked));
  if (!outline.has_texts() || !writes_with_model(plan.asked, services.llm, context)) {
    const std::string why =
        services.llm == nullptr ? "no language model is configured" : services.llm->unavailable(context);
    if (needs_model(plan.asked) && !why.empty()) add_notice(plan.notice, "Quoted, not " + name + ": " + why + ".");
    return none;
  }
  LlmSummaryRequest request{outline.session(), outline.inputs(), name, SummaryStyle::technical, 0, params.max_seconds};
  request.style = params.style == "narrative" ? SummaryStyle::narrative
                  : params.style == "topical" ? SummaryStyle::topical
                                              : SummaryStyle::technical;
  const double ratio = params.compression ? plan.form.ratio : kBriefRatio;
  const auto by_ratio = static_cast<std::size_t>(static_cast<double>(outline.source_tokens()) * ratio);
  request.max_tokens = std::clamp<std::size_t>(by_ratio, 2 * kLeastSummaryTokens,
                                               std::max(max_tokens * 6 / 10, 2 * kLeastSummaryTokens));
  auto written = services.llm->summarize(request, context);
  if (written) return std::optional(std::move(*written));
  if (written.error().is(Errc::input_required) || written.error().is(Errc::cancelled))
    return std::move(written).error();
  add_notice(plan.notice, "Quoted, not " + name + ": " + written.error().message() + ".");
  return none;
}

void add_model_parts(SessionSummaryAnswer& out, const LlmSummary& written, const SummaryPlan& plan,
                     const SessionOutline& outline, std::size_t tokens) {
  TokenBudget budget(tokens);
  const auto& rows = outline.digest().exchanges;
  for (const LlmSummaryPart& part : written.chunks) {
    if (part.first > part.last || part.last >= rows.size()) continue;
    const ExchangeRow& first = rows[part.first];
    const ExchangeRow& last = rows[part.last];
    SummaryChunkOut one;
    one.chunk = first.number / kChunkExchanges;
    one.first_exchange_id = format_exchange_id(first.id);
    one.last_exchange_id = format_exchange_id(last.id);
    one.exchange_count = static_cast<std::int64_t>(part.last - part.first) + 1;
    one.time_range = to_out({first.started_at, std::max(last.started_at, last.ended_at)});
    const std::size_t share =
        plan.form.level == 1 ? budget.remaining() / std::max<std::size_t>(written.chunks.size() - out.chunks.size(), 1)
                             : 60;
    const std::size_t frame = estimate_tokens(mcp::to_json(one));
    one.summary = cut_to_tokens(part.summary, share - std::min(share, frame)).text;
    if (!budget.take_text(mcp::to_json(one))) break;
    out.chunks.push_back(std::move(one));
  }
}

class Answering {
 public:
  Answering(const SummaryPlan& plan, SessionOutline& outline, const std::optional<LlmSummary>& written,
            std::int64_t first_chunk, std::uint64_t question)
      : plan_(plan), outline_(outline), written_(written), first_chunk_(first_chunk), question_(question) {}

  SessionSummaryAnswer with(const Answer& frame, std::size_t frame_tokens, std::size_t tokens) {
    SessionSummaryAnswer out;
    static_cast<Answer&>(out) = frame;
    outline_.describe(out);
    if (tokens == 0) {  // the least that makes sense
      out.session_name = cut_to_tokens(out.session_name, 8).text;
      out.project = cut_to_tokens(out.project, 6).text;
    }
    out.more = call_for_more(plan_, outline_);
    out.provenance.strategy = to_string(written_ ? plan_.asked : plan_.form.strategy);
    if (written_) {
      out.provenance.model = written_->model;
      out.provenance.cached = written_->from_cache;
      out.provenance.model_requests = written_->requests;
    }
    const std::size_t head = estimate_tokens(mcp::to_json(out)) - frame_tokens;
    const std::size_t rest = tokens - std::min(tokens, head);
    const bool list_of_chunks = plan_.lists_chunks();
    // First what the facts need at least, then the text, then more facts from what the text left.
    outline_.add_facts(out, rest / (list_of_chunks ? 8 : 3));
    std::size_t left = rest - std::min(rest, facts_tokens(out));
    if (list_of_chunks) {
      add_text(out, left / 6);
      add_chunk_list(out, left - std::min(left, static_cast<std::size_t>(out.summary_tokens)));
      return out;
    }
    const bool outline_of_chunks = plan_.form.strategy == SummaryStrategy::hierarchical && plan_.form.level == 2 &&
                                   !plan_.part && outline_.chunk_count() > 1;
    add_text(out, outline_of_chunks ? left * 3 / 4 : left);
    left -= std::min(left, estimate_tokens(out.summary) + 4);
    if (outline_of_chunks) {
      const std::size_t for_chunks = left;
      if (written_ && !written_->chunks.empty())
        add_model_parts(out, *written_, plan_, outline_, for_chunks);
      else
        outline_.add_chunks(out, 2, 0, for_chunks);
      return out;
    }
    outline_.add_facts(out, facts_tokens(out) + left);
    return out;
  }

 private:
  static std::size_t facts_tokens(const SessionSummaryAnswer& out) {
    std::size_t sum = 0;
    for (const NotedOut& d : out.key_decisions)
      sum += estimate_tokens(mcp::to_json(d));
    for (const ChangedFileOut& f : out.files_modified)
      sum += estimate_tokens(mcp::to_json(f));
    for (const SessionCommitOut& c : out.commits)
      sum += estimate_tokens(mcp::to_json(c));
    for (const std::string& url : out.pull_requests)
      sum += estimate_tokens(url) + 3;
    for (const NotedOut& e : out.open_ends)
      sum += estimate_tokens(mcp::to_json(e));
    for (const std::string& t : out.topics)
      sum += estimate_tokens(t) + 3;
    return sum;
  }

  void add_text(SessionSummaryAnswer& out, std::size_t tokens) {
    if (written_) {
      const bool abstract = plan_.form.level == 3 && !written_->abstract.empty();
      CutText cut = cut_to_tokens(abstract ? written_->abstract : written_->text, tokens);
      out.summary = std::move(cut.text);
      out.summary_tokens = static_cast<std::int64_t>(cut.tokens);
      return;
    }
    const ExtractiveSummary s = outline_.summary(plan_.form, tokens);
    out.summary = s.text;
    out.summary_tokens = static_cast<std::int64_t>(s.tokens);
    if (s.capped) add_notice(out.notice, "max_tokens, not the compression, limits the summary.");
  }

  void add_chunk_list(SessionSummaryAnswer& out, std::size_t tokens) {
    if (written_ && !written_->chunks.empty()) return add_model_parts(out, *written_, plan_, outline_, tokens);
    const std::int64_t end = outline_.add_chunks(out, 1, first_chunk_, tokens);
    if (end < outline_.chunk_count()) out.next = encode_cursor({end, 0}, question_);
  }

  const SummaryPlan& plan_;
  SessionOutline& outline_;
  const std::optional<LlmSummary>& written_;
  std::int64_t first_chunk_;
  std::uint64_t question_;
};

std::vector<std::string> topics_of(Reader& reader, const SessionRow& session) {
  constexpr int kTopics = 8;
  TopicListQuery query;
  query.filter.session = session.uid;
  query.limit = kTopics;
  std::vector<std::string> out;
  if (auto found = reader.ask(query))
    for (TopicCount& topic : found->topics)
      out.push_back(std::move(topic.topic));
  return out;
}

// What a call reads of the store.
struct Loaded {
  Scope scope;
  SummaryPlan plan;
  SessionRow session;
  SessionDigest digest;
  std::vector<std::string> topics;
};

// Gives the reader back: a language model may take its time.
Result<Loaded> load(const ToolServices& services, const SessionSummaryParams& params, const mcp::ToolContext& context) {
  MEMD_TRY_ASSIGN(const auto reader, lease_reader(services, context.stop));
  Loaded out;
  const std::string reference = params.session_id.value_or("");
  MEMD_TRY_ASSIGN(out.session, find_session(services, *reader, reference.empty() ? "latest" : reference,
                                            params.project.value_or("")));
  ScopeParams one_platform;
  one_platform.platform = std::string(to_string(out.session.platform));
  MEMD_TRY_ASSIGN(out.scope, resolve_scope(services, one_platform, {Capability::session_summary, {}}));
  MEMD_TRY_ASSIGN(out.plan, plan_of(params));
  if (!out.scope.includes(out.session.platform)) return out;  // platforms_skipped says why
  MEMD_TRY_ASSIGN(out.digest, reader->ask(SessionDigestQuery{out.session.pk, out.plan.first, out.plan.last}));
  if (out.digest.exchanges.empty() && out.plan.part) {
    MEMD_TRY_ASSIGN(const auto last, reader->ask(LastExchangesQuery{out.session.pk, 1}));
    return no_such_part(out.plan, out.session, last.empty() ? -1 : last.back().number);
  }
  out.topics = topics_of(*reader, out.session);
  return out;
}

std::uint64_t question_of(const SessionSummaryParams& p, const std::string& session) {
  const auto text = [](const auto& value) { return value ? std::to_string(*value) : std::string(); };
  return question_key({"session_summary", session, p.strategy, p.style, text(p.level), text(p.chunk),
                       text(p.first_exchange), text(p.last_exchange), text(p.compression)});
}

Result<SessionSummaryAnswer> run(const ToolServices& services, const SessionSummaryParams& params,
                                 mcp::ToolContext& context) {
  MEMD_TRY_ASSIGN(Loaded loaded, load(services, params, context));
  SummaryPlan& plan = loaded.plan;
  const auto question = question_of(params, loaded.session.uid);
  MEMD_TRY_ASSIGN(const PageCursor at, decode_cursor(params.cursor, question));
  if (params.style == "topical")
    for (const std::string& topic : loaded.topics)
      plan.form.focus += topic + " ";
  SessionOutline outline(std::move(loaded.session), std::move(loaded.digest), std::move(loaded.topics));

  const std::size_t limit = token_limit(services, params);
  const bool model = services.llm != nullptr && services.llm->unavailable(context).empty();
  choose_strategy(plan, params, outline, limit, model);
  MEMD_TRY_ASSIGN(const auto written, ask_model(plan, params, outline, limit, services, context));
  if (written && !written->notice.empty()) add_notice(plan.notice, written->notice);

  Answer frame = answer_for(loaded.scope);
  if (!plan.notice.empty()) add_notice(frame.notice, plan.notice);
  const std::size_t frame_tokens = estimate_tokens(mcp::to_json(frame));
  Answering answering(plan, outline, written, at.offset, question);
  return fit_answer<SessionSummaryAnswer>(
      limit, frame, [&](std::size_t tokens) { return answering.with(frame, frame_tokens, tokens); });
}

}  // namespace

void add_session_summary(mcp::ToolRegistry& registry, const ToolServices& services) {
  mcp::ToolInfo info;
  info.name = "session_summary";
  info.title = "Summary of a whole session";
  info.description =
      "What a session was about, from start to end: summary, decisions, files modified, topics, open ends, outcome. "
      "Without session_id, the newest session (of `project`, if given). Long sessions open level by level: level=3 an "
      "abstract, 2 the session, 1 its chunks, chunk=N one of them. For the last turns only: recent_turns.";
  registry.add<SessionSummaryParams, SessionSummaryAnswer>(
      std::move(info), [services](const SessionSummaryParams& p, mcp::ToolContext& c) { return run(services, p, c); });
}

}  // namespace memd::tools
