#include "daemon/tools/session_summary.hpp"

#include "daemon/tools/llm_summarizer.hpp"
#include "daemon/tools/project_summary.hpp"
#include "daemon/tools/reading.hpp"
#include "daemon/tools/scope.hpp"
#include "daemon/tools/session_outline.hpp"
#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/error.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/session_contents.hpp"
#include "store/search/topic_index.hpp"
#include "store/text/token_budget.hpp"

#include <algorithm>
#include <limits>

namespace memd::tools {
namespace {

// The plan for answering a call of session_summary.
struct SummaryPlan {
  SessionOutline::Form form;                            // of the quoted summary
  SummaryStrategy asked = SummaryStrategy::extractive;  // may need a language model
  std::int64_t first = 0;                               // exchange numbers
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  bool part = false;           // only a part of the session
  bool is_compressed = false;  // the call sent a compression
  AnswerText notice;           // what could not be done as asked

  bool lists_chunks() const { return form.strategy == SummaryStrategy::hierarchical && form.level == 1 && !part; }
};

constexpr int kSessionLevel = 2;

std::string call(const SessionRow& session, const std::string& arguments) {
  return "session_summary(session_id=\"" + session.uid + "\", " + arguments + ")";
}

// Determines the exchanges to summarise.
Result<SummaryPlan> plan_of(const SessionSummaryParams& params) {
  SummaryPlan plan;
  if (params.chunk && (params.first_exchange || params.last_exchange))
    return Error(Errc::invalid_argument, "chunk: send either chunk or first_exchange and last_exchange");
  if (params.chunk) {
    plan.first = *params.chunk * kChunkExchanges;
    plan.last = plan.first + kChunkExchanges - 1;
    plan.part = true;
  }
  if (params.first_exchange || params.last_exchange) {
    plan.first = params.first_exchange.value_or(plan.first);
    plan.last = params.last_exchange.value_or(plan.last);
    plan.part = true;
  }
  if (plan.last < plan.first)
    return Error(Errc::invalid_argument, "last_exchange: has to be first_exchange (" + std::to_string(plan.first) +
                                             ") or more, not " + std::to_string(plan.last));
  return plan;
}

// Returns the error for a part without exchanges. `last_number`: number of the session's last exchange.
Error no_such_part(const SummaryPlan& plan, const SessionRow& session, std::int64_t last_number) {
  return Error(Errc::invalid_argument, "session " + session.uid + " has no turn " + std::to_string(plan.first) +
                                           ": its last is number " + std::to_string(last_number) +
                                           ", its last chunk number " + std::to_string(last_number / kChunkExchanges));
}

// Chooses the strategy. `model`: a language model is available.
void choose_strategy(SummaryPlan& plan, const SessionSummaryParams& params, const SessionOutline& outline,
                     std::size_t max_tokens, bool model) {
  const auto named = parse_summary_strategy(params.strategy);
  if (named) {
    plan.asked = *named;
  } else if (params.level && !plan.part) {
    plan.asked = SummaryStrategy::hierarchical;
  } else if (plan.part) {
    plan.asked = SummaryStrategy::extractive;
  } else {
    SummaryConstraints c;
    c.exchanges = outline.inputs().size();
    c.days = outline.days();
    c.max_tokens = max_tokens;
    c.max_seconds = params.max_seconds;
    c.model = model;
    plan.asked = select_strategy(c);
    if (params.style == "narrative" && plan.asked == SummaryStrategy::extractive)
      plan.asked = SummaryStrategy::chronological;
  }
  // Without a model the answer quotes in the nearest form.
  plan.form.strategy = plan.asked;
  if (needs_model(plan.asked))
    plan.form.strategy = plan.asked == SummaryStrategy::map_reduce && !plan.part ? SummaryStrategy::hierarchical
                                                                                 : SummaryStrategy::extractive;
  plan.form.level = static_cast<int>(params.level.value_or(kSessionLevel));
  plan.form.ratio = plan.form.strategy == SummaryStrategy::hierarchical
                        ? kLevelRatios[static_cast<std::size_t>(plan.form.level == 1 ? 3 : plan.form.level)]
                        : kDetailedRatio;
  plan.is_compressed = params.compression.has_value();
  if (params.compression)
    plan.form.ratio = 1 - (*params.compression < 1 ? *params.compression : *params.compression / 100);
}

// Returns the call that shows more than the answer; empty if there are no exchanges.
std::string call_for_more(const SummaryPlan& plan, const SessionOutline& outline) {
  if (outline.inputs().empty()) return {};
  const SessionRow& session = outline.session();
  if (!plan.part) {
    const bool levels = plan.form.strategy == SummaryStrategy::hierarchical;
    if (levels && plan.form.level > 1) return call(session, "level=" + std::to_string(plan.form.level - 1));
    if (outline.chunk_count() > 1) return call(session, levels ? "chunk=0" : "level=1");
  }
  const SummaryInput& one = plan.part ? outline.inputs().front() : outline.inputs().back();
  return "get_exchange(ids=[\"" + std::string(one.id) + "\"])";
}

bool writes_with_model(SummaryStrategy asked, const LlmSummarizer* llm, const mcp::ToolContext& context) {
  return (needs_model(asked) || asked == SummaryStrategy::hierarchical) && llm != nullptr &&
         llm->unavailable(context).empty();
}

// Returns the model's summary; nullopt if the answer has to be quoted. plan.notice says why if the strategy needs a
// model, or the model failed.
Result<std::optional<LlmSummary>> ask_model(SummaryPlan& plan, const SessionSummaryParams& params,
                                            const SessionOutline& outline, std::size_t max_tokens,
                                            const ToolServices& services, mcp::ToolContext& context) {
  std::optional<LlmSummary> none;
  if (!needs_model(plan.asked) && plan.asked != SummaryStrategy::hierarchical) return none;
  const std::string name(to_string(plan.asked));
  if (!outline.has_texts() || !writes_with_model(plan.asked, services.llm, context)) {
    const std::string why =
        services.llm == nullptr ? "no language model is configured" : services.llm->unavailable(context);
    if (needs_model(plan.asked) && !why.empty())
      plan.notice.say("Quoted, not ", AnswerText::Id{name}, ": ", AnswerText::Message{why}, ".");
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
  plan.notice.say("Quoted, not ", AnswerText::Id{name}, ": ", AnswerText::Message{written.error().message()}, ".");
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
            std::int64_t first, std::uint64_t question)
      : plan_(plan), outline_(outline), written_(written), first_(first), question_(question) {}

  SessionSummaryAnswer with(const Answer& frame, std::size_t frame_tokens, std::size_t tokens) {
    SessionSummaryAnswer out;
    static_cast<Answer&>(out) = frame;
    outline_.describe(out);
    if (tokens == 0) {  // the smallest useful answer
      out.session_name = cut_to_tokens(out.session_name, 8).text;
      out.description = std::nullopt;
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
    // The facts get a share first, then the text; what the text leaves goes to more facts.
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
    for (const DecisionOut& d : out.key_decisions)
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
    if (plan_.is_compressed && !plan_.lists_chunks()) return add_page(out, tokens);
    const ExtractiveSummary s = outline_.summary(plan_.form, tokens);
    out.summary = s.text;
    out.summary_tokens = static_cast<std::int64_t>(s.tokens);
    if (s.capped) out.notice.say("max_tokens limits the summary.");
  }

  // A summary of a chosen length goes on where the page before ended.
  void add_page(SessionSummaryAnswer& out, std::size_t tokens) {
    if (!whole_) whole_ = outline_.summary(plan_.form, std::numeric_limits<std::size_t>::max()).text;
    const auto begin = std::min(static_cast<std::size_t>(first_), whole_->size());
    CutText cut = cut_to_tokens(std::string_view(*whole_).substr(begin), tokens);
    const auto end = static_cast<std::int64_t>(begin + cut.kept_bytes);
    out.summary = std::move(cut.text);
    out.summary_tokens = static_cast<std::int64_t>(cut.tokens);
    if (!cut.cut) return;
    out.notice.say("max_tokens, not the compression, limits the summary.");
    if (cut.kept_bytes > 0) out.next = encode_cursor({end, 0}, question_);
  }

  void add_chunk_list(SessionSummaryAnswer& out, std::size_t tokens) {
    if (written_ && !written_->chunks.empty()) return add_model_parts(out, *written_, plan_, outline_, tokens);
    const std::int64_t end = outline_.add_chunks(out, 1, first_, tokens);
    if (end < outline_.chunk_count()) out.next = encode_cursor({end, 0}, question_);
  }

  const SummaryPlan& plan_;
  SessionOutline& outline_;
  const std::optional<LlmSummary>& written_;
  std::int64_t first_;  // chunk of a list, byte of a summary
  std::uint64_t question_;
  std::optional<std::string> whole_;  // summary
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

// The data that a call reads from the store.
struct Loaded {
  Scope scope;
  AnswerText lead;  // ProjectsAsked::lead
  SummaryPlan plan;
  SessionRow session;
  SessionDigest digest;
  std::vector<std::string> topics;
};

// Holds a reader only while it loads, because a language model may take long afterwards.
Result<Loaded> load(const ToolServices& services, const SessionSummaryParams& params, const mcp::ToolContext& context) {
  MEMD_TRY_ASSIGN(const ProjectsAsked projects, newest_asked_for(services, params, params.session_id, context));
  MEMD_TRY_ASSIGN(const auto reader, lease_reader(services, context.stop));
  Loaded out;
  MEMD_TRY_ASSIGN(out.session, session_asked_for(services, *reader, projects, params.session_id));
  MEMD_TRY_ASSIGN(out.scope, scope_of(services, out.session, Capability::session_summary));
  out.scope.words = projects.words;
  out.lead = projects.lead;
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
  if (params.level == kProjectLevel) return summarize_project(services, params, context);
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
  if (written && !written->notice.empty()) plan.notice.say(AnswerText::Message{written->notice});

  Answer frame = answer_for(loaded.scope);
  lead_with(frame, loaded.lead);
  tell_evicted(frame.notice, std::ranges::count_if(outline.digest().exchanges, &ExchangeRow::is_evicted));
  if (!plan.notice.empty()) frame.notice.say(plan.notice);
  const std::size_t frame_tokens = estimate_tokens(mcp::to_json(frame));
  Answering answering(plan, outline, written, at.offset, question);
  return fit_answer<SessionSummaryAnswer>(
      limit, frame, [&](std::size_t tokens) { return answering.with(frame, frame_tokens, tokens); });
}

// Adds a heading with counts, even if there was no room for any item.
template <std::size_t size>
void add_heading(HistoryText& body, const char (&heading)[size], std::size_t shown, std::int64_t total) {
  if (total > 0) body.add("\n", heading, " (", shown, " of ", total, "):\n");
}

void add_head(AnswerText& out, const SessionSummaryAnswer& a) {
  using Id = AnswerText::Id;
  out.add(answer_header(a));
  if (a.session_id.empty())
    out.add("A project over its sessions (");
  else
    out.add("Session ", Id{a.session_id}, " (", Id{a.platform}, ", ");
  out.add("data ", Id{a.data_completeness}, ", outcome ", Id{a.outcome});
  if (!a.outcome_reasons.empty()) out.add(": ").list(a.outcome_reasons);
  out.add("), ", counted_words(a.total_exchanges, "turn"), ", ", AnswerText::Time{a.time_range.start}, " to ",
          AnswerText::Time{a.time_range.end}, ".\n");
  out.add("Summary: ", Id{a.provenance.strategy}, " of ", AnswerText::Echo{a.provenance.inputs});
  if (a.provenance.model.empty()) {
    out.add(", quoted");
  } else {
    out.add(", written by ", AnswerText::Echo{a.provenance.model});
    if (a.provenance.cached) out.add(" before");
    if (a.provenance.model_requests > 0) out.add(", ", counted_words(a.provenance.model_requests, "request"));
  }
  out.add("; ");
  add_share(out, a.summary_tokens, a.source_tokens);
  out.add(", ", counted_words(a.chunks_total, "chunk"), ".\n");
}

}  // namespace

AnswerText render_text(const SessionSummaryAnswer& a) {
  HistoryText body;
  if (a.session_id.empty()) {
    body.add("Project: ", a.session_name, "  ", a.project, "\n");
  } else {
    body.add("Session: ", a.session_name);
    if (!a.project.empty()) body.add("  of ", a.project);
    body.add("\nIt took ");
    add_facts(body, a);
    body.add("\n");
  }
  if (a.description) body.add("About: ", *a.description, "\n");
  if (!a.key_decisions.empty()) add_latest_decision(body, a.key_decisions.front());
  body.add("\n", HistoryText::Whole{a.summary}, "\n");
  for (const SummaryChunkOut& c : a.chunks)
    body.add("\nChunk ", c.chunk, ", ", c.first_exchange_id, " to ", c.last_exchange_id, " (", c.exchange_count,
             " turns, ", short_time(c.time_range.start), " to ", short_time(c.time_range.end),
             "): ", HistoryText::Whole{c.summary}, c.session_id ? " (" + *c.session_id + ")" : "", "\n");
  if (!a.topics.empty()) body.add("\nTopics: ", joined(a.topics), "\n");
  add_heading(body, "Decisions", a.key_decisions.size(), a.key_decisions_total);
  for (std::size_t i = 1; i < a.key_decisions.size(); ++i) {  // the first one is above
    body.add("- ");
    add_decision(body, a.key_decisions[i]);
    body.add("\n");
  }
  add_heading(body, "Files modified", a.files_modified.size(), a.files_modified_total);
  for (const ChangedFileOut& f : a.files_modified) {
    body.add("- ", f.path, "  ", f.last_exchange_id);
    if (f.lines_added + f.lines_removed > 0) body.add("  +", f.lines_added, " -", f.lines_removed);
    body.add("\n");
  }
  add_heading(body, "Commits", a.commits.size(), a.commits_total);
  for (const SessionCommitOut& c : a.commits) {
    body.add("- ", c.sha, "  ", c.exchange_id, "  ", c.subject);
    if (c.pull_request) body.add("  in ", *c.pull_request);
    body.add("\n");
  }
  add_heading(body, "Pull requests", a.pull_requests.size(), a.pull_requests_total);
  for (const std::string& url : a.pull_requests)
    body.add("- ", url, "\n");
  if (!a.open_ends.empty()) body.add("\nOpen:\n");
  for (const NotedOut& one : a.open_ends)
    body.add("- ", one.exchange_id, "  ", one.text, "\n");
  for (std::size_t i = 0; i < a.observation_counts.size(); ++i) {
    const auto& [kind, count] = a.observation_counts[i];
    if (i == 0)
      body.add("\nNoted: ");
    else
      body.add(", ");
    body.add(kind, " ", count);
  }
  if (!a.observation_counts.empty()) body.add("\n");

  AnswerText out;
  add_head(out, a);
  out.quote(body);
  if (!a.more.empty()) out.add("More: ", AnswerText::Echo{a.more}, ".\n");
  return out.add(answer_footer(a));
}

void add_session_summary(mcp::ToolRegistry& registry, const ToolServices& services) {
  mcp::ToolInfo info;
  info.name = "session_summary";
  info.waits = true;
  info.title = "Recap of a whole session";
  info.description =
      "Recap: summarises a whole session (conversation, chat about something) from start to end: summary, "
      "decisions, files changed, commits, open ends, outcome. level=4 the whole project, 3 an abstract, "
      "2 the session, 1 its chunks, chunk=N one of them.";
  info.search_words = "recap summarise summarize whole conversation chat session transcript handover";
  registry.add<SessionSummaryParams, SessionSummaryAnswer>(
      std::move(info), [services](const SessionSummaryParams& p, mcp::ToolContext& c) { return run(services, p, c); });
}

}  // namespace memd::tools
