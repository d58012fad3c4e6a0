#include "daemon/tools/file_history.hpp"

#include "daemon/tools/file_question.hpp"
#include "daemon/tools/reading.hpp"
#include "daemon/tools/scope.hpp"
#include "daemon/tools/team_asker.hpp"
#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/reflected_name.hpp"
#include "schemas/base/time.hpp"
#include "schemas/base/utf8.hpp"
#include "schemas/exchange_name.hpp"
#include "store/text/event_summary.hpp"
#include "store/text/text_units.hpp"
#include "store/text/token_budget.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace memd::tools {
namespace {

constexpr std::size_t kReadOfAnswer = 64 * 1024;  // bytes, from its end
constexpr std::size_t kLeastWords = 4;

bool is_name_byte(char c) { return ascii::is_word(c) || c == '-'; }

bool names(std::string_view text, std::string_view name) {
  for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const auto behind = at + name.size();
    const bool begins = at == 0 || !is_name_byte(text[at - 1]);
    if (begins && (behind == text.size() || !is_name_byte(text[behind]))) return true;
  }
  return false;
}

std::size_t words_of(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), ' ')) + 1;
}

}  // namespace

std::string_view base_name(std::string_view path) {
  const auto slash = path.find_last_of("/\\");
  return slash == std::string_view::npos || slash + 1 == path.size() ? path : path.substr(slash + 1);
}

std::string said_of_files(const FileUse& use) {
  std::string_view response = use.assistant_response;
  if (response.size() > kReadOfAnswer) {
    response.remove_prefix(response.size() - kReadOfAnswer);
    while (is_utf8_tail(response, 0))
      response.remove_prefix(1);
  }
  std::vector<std::string_view> wanted;
  for (const auto& file : use.files)
    wanted.push_back(base_name(file.path));
  std::string short_one;
  const bool named = std::any_of(wanted.begin(), wanted.end(),
                                 [&](std::string_view name) { return response.find(name) != std::string_view::npos; });
  if (named) {
    const auto units = split_units(response);
    for (auto it = units.rbegin(); it != units.rend(); ++it) {
      if (it->kind == UnitKind::code || it->kind == UnitKind::heading || it->kind == UnitKind::table) continue;
      if (std::none_of(wanted.begin(), wanted.end(), [&](std::string_view name) { return names(it->text, name); }))
        continue;
      std::string line = ascii::one_line(it->text);
      // A line that ends in ':', like "`a.c`:", introduces the next unit.
      if (line.ends_with(':') && it != units.rbegin() && std::prev(it)->kind != UnitKind::code)
        line += " " + ascii::one_line(std::prev(it)->text);
      const bool says_something = words_of(line) >= kLeastWords && !line.ends_with(':');
      if (says_something) return line;
      if (short_one.empty()) short_one = std::move(line);
    }
  }
  for (const TextUnit& unit : split_units(use.said_before))
    if (unit.kind == UnitKind::sentence || unit.kind == UnitKind::bullet) return ascii::one_line(unit.text);
  return short_one;
}

namespace {

constexpr int kUsesAhead = 24;  // exchanges loaded; a page hardly holds more
constexpr std::size_t kFilesOfAUse = 6;
constexpr std::size_t kPullRequests = 3;  // shown per session

std::uint64_t question_of(const FileHistoryParams& p, const Scope& scope) {
  std::string paths;
  for (const std::string& path : p.paths)
    (paths += path) += '\n';
  return question_key({"file_history", scope.key, p.path.value_or(""), p.lines.value_or(""), p.symbol.value_or(""),
                       p.access, p.commit.value_or(""), p.commit_time.value_or(""), p.branch.value_or(""), paths});
}

std::string_view match_name(TraceMatch match) { return reflect::enum_name(match, "unplaced"); }

// The tokens that each text of a use may take.
struct Shares {
  std::size_t asked = 45;
  std::size_t said = 60;
  std::size_t change = 160;
  bool details = true;
};
constexpr Shares kModest{24, 30, 80, true};  // for an answer of a few hundred tokens
constexpr Shares kLeast{10, 0, 0, false};

void add_trace(const std::vector<TracedEdit>& edits, const Shares& shares, FileUseOut& out) {
  std::string lines;
  std::string change;
  TraceMatch worst = TraceMatch::placed;
  for (auto it = edits.rbegin(); it != edits.rend(); ++it) {  // oldest first
    worst = std::max(worst, it->match);
    change += it->change;
    if (it->lines.first == 0) continue;
    lines += (lines.empty() ? "" : ", ") + std::to_string(it->lines.first) + "-" + std::to_string(it->lines.last);
  }
  out.lines = unless_empty(cut_to_tokens(lines, 24).text);
  out.match = match_name(worst);
  if (shares.change > 0) out.change = unless_empty(cut_to_tokens(change, shares.change).text);
}

FileUseOut use_out(const FileUse& use, const FileQuestion& question, const Shares& shares) {
  FileUseOut out;
  out.exchange_id = format_exchange_id(use.exchange_id);
  out.timestamp = format_rfc3339(use.time);
  const auto rank = [](FileAccess a) { return a == FileAccess::modified ? 2 : a == FileAccess::read ? 1 : 0; };
  FileAccess access = FileAccess::referenced;
  std::vector<std::string> files;
  for (const auto& file : use.files) {
    if (rank(file.access) > rank(access)) access = file.access;
    out.lines_added += file.lines_added;
    out.lines_removed += file.lines_removed;
    if (files.empty() || files.back() != file.path) files.push_back(file.path);
  }
  out.access = to_string(access);
  if (question.several_files && shares.details) {
    const std::size_t all = files.size();
    if (all > kFilesOfAUse) {
      files.resize(kFilesOfAUse - 1);
      files.push_back("… and " + std::to_string(all - files.size()) + " more");
    }
    out.files = std::move(files);
  }
  out.asked = short_line(use.user_message, shares.asked);
  if (shares.said > 0) out.said = unless_empty(cut_to_tokens(said_of_files(use), shares.said).text);
  if (access == FileAccess::modified)
    out.outcome = use.test ? "tests_" + std::string(to_string(use.test->outcome)) : "not_tested";
  if (shares.details && use.test)
    out.test = short_line(use.test->summary, 30) + (use.test->same_turn ? "" : " (in the next turn)");
  if (shares.details && use.tool_errors > 0) out.error = unless_empty(short_line(use.last_error, 40));
  if (use.commit) out.committed_as = use.commit->sha;
  if (const auto it = question.traced.find(use.exchange_id); it != question.traced.end())
    add_trace(it->second, shares, out);
  return out;
}

FileSessionOut session_out(const FileUseSession& session) {
  FileSessionOut out;
  static_cast<SessionRefOut&>(out) = session_ref(session.uid, session.title, session.platform, 30);
  out.project = session.project_name;
  out.git_branch = unless_empty(session.git_branch);
  const auto& requests = session.pull_requests;
  if (!requests.empty())
    out.pull_requests.emplace(requests.end() - static_cast<std::ptrdiff_t>(std::min(requests.size(), kPullRequests)),
                              requests.end());
  return out;
}

// Adds commits, then files, each up to its share of the answer.
void add_heads(const FileHistory& history, const FileQuestion& question, TokenBudget& budget, FileHistoryAnswer& out) {
  if (!question.commits.empty()) {
    out.commits.emplace();
    for (const CommitOut& commit : question.commits) {
      CommitOut one = commit;
      if (one.subject) one.subject = cut_to_tokens(*one.subject, 30).text;
      const bool first = out.commits->empty();
      if (!first && (budget.used() * 3 > budget.max() || out.commits->size() >= 5)) break;
      if (!budget.take_text(mcp::to_json(one)) && !first) break;
      out.commits->push_back(std::move(one));
    }
  }
  const std::size_t most = budget.remaining() / 5;
  const std::size_t before = budget.used();
  for (const PathTotal& path : history.paths) {
    const PathTotalOut one{path.path, path.exchanges, format_rfc3339(path.last), path.lines_added, path.lines_removed};
    const std::size_t cost = estimate_tokens(mcp::to_json(one)) + 1;
    if (budget.used() - before + cost > (out.files.empty() ? budget.remaining() / 3 : most)) break;
    if (!budget.take(cost)) break;
    out.files.push_back(one);
  }
}

// Adds the uses that fit, at least one. Returns whether it added all.
bool add_uses(const FileHistory& history, const FileQuestion& question, TokenBudget& budget, FileHistoryAnswer& out) {
  constexpr std::size_t kLittle = 900;
  constexpr std::size_t kHardlyAny = 300;
  const Shares shares = budget.remaining() < kLittle ? kModest : Shares{};
  std::int64_t session = 0;
  for (const FileUse& use : history.uses) {
    const bool first = out.sessions.empty();
    FileUseOut one = use_out(use, question, first && budget.remaining() < kHardlyAny ? kLeast : shares);
    std::size_t cost = estimate_tokens(mcp::to_json(one)) + 1;
    FileSessionOut head;
    if (use.session_pk != session) {
      const auto it = std::find_if(history.sessions.begin(), history.sessions.end(),
                                   [&](const FileUseSession& s) { return s.pk == use.session_pk; });
      head = session_out(*it);
      cost += estimate_tokens(mcp::to_json(head)) + 1;
    }
    if (!budget.take(cost) && !first) return false;
    if (use.session_pk != session) out.sessions.push_back(std::move(head));
    session = use.session_pk;
    out.sessions.back().exchanges.push_back(std::move(one));
  }
  return true;
}

// What others changed, as their database tells it: no outcome, no commit.
using TeamUses = TeamAsker::Answers<team::TeamFileUse>;

FileUseOut use_out(const team::TeamFileUse& use, const Shares& shares) {
  FileUseOut out;
  out.exchange_id = format_exchange_name(use.session_uid, use.number);
  out.timestamp = format_rfc3339(use.started_at);
  out.access = to_string(FileAccess::modified);
  out.lines_added = use.change.lines_added;
  out.lines_removed = use.change.lines_removed;
  out.asked = short_line(use.question, shares.asked);
  FileUse said;
  said.files.emplace_back().path = use.change.path;
  said.assistant_response = use.answer;
  out.said = unless_empty(cut_to_tokens(said_of_files(said), shares.said).text);
  return out;
}

// Adds the uses that fit; all or some.
void add_uses(const TeamUses& uses, TokenBudget& budget, FileHistoryAnswer& out) {
  for (const auto& [project, use] : uses.rows) {
    FileUseOut one = use_out(use, Shares{});
    FileSessionOut head;
    head.session_id = use.session_uid;
    head.session_name = short_line(title_of(use), 30);
    head.platform = use.agent;
    head.project = project;
    const bool is_first = out.sessions.empty() || out.sessions.back().session_id != head.session_id;
    if (!budget.take(estimate_tokens(mcp::to_json(one)) + (is_first ? estimate_tokens(mcp::to_json(head)) : 0) + 2) &&
        !out.sessions.empty())
      return;
    if (is_first) out.sessions.push_back(std::move(head));
    out.sessions.back().exchanges.push_back(std::move(one));
  }
}

std::int64_t exchanges_in(const FileHistoryAnswer& a) {
  std::int64_t n = 0;
  for (const FileSessionOut& s : a.sessions)
    n += static_cast<std::int64_t>(s.exchanges.size());
  return n;
}

// Whether a database has what is asked: who changed a file, named by its path.
bool is_for_others(const FileHistoryParams& p) {
  const auto is_given = [](const std::optional<std::string>& text) { return !text.value_or("").empty(); };
  return is_given(p.path) && p.path->find_first_of("*?[") == std::string::npos && !is_given(p.lines) &&
         !is_given(p.symbol) && !is_given(p.commit) && !is_given(p.commit_time) && p.access != "read";
}

Result<FileHistoryAnswer> run(const ToolServices& services, const FileHistoryParams& params,
                              mcp::ToolContext& context) {
  ScopeRequest request{Capability::file_context, {}};
  // An absolute path names its project itself.
  if (!params.cwd.value_or("").empty() && !params.path.value_or("").starts_with('/')) request.caller = &context;
  MEMD_TRY_ASSIGN(const Scope scope, resolve_scope(services, params, request));
  const auto asked = question_of(params, scope);
  MEMD_TRY_ASSIGN(const PageCursor at, decode_cursor(params.cursor, asked));
  MEMD_TRY_ASSIGN(const auto reader, lease_reader(services, context.stop));
  MEMD_TRY_ASSIGN(FileQuestion question, understand(services, *reader, params, scope, context));
  std::optional<TeamAsker::Asking<team::TeamFileUse>> asking;
  if (services.team != nullptr && at.offset == 0 && is_for_others(params))
    asking = services.team->ask_for_changes(*reader, scope, *params.path, kUsesAhead);
  FileHistory history;
  if (!question.nothing) {
    question.query.limit = static_cast<int>(std::min<std::int64_t>(params.n_results.value_or(kUsesAhead), kUsesAhead));
    question.query.offset = static_cast<int>(at.offset);
    MEMD_TRY_ASSIGN(history, reader->ask(question.query));
    if (history.total_exchanges == 0) question.notes.emplace_back("Nothing in this scope.");
  }

  Answer frame = answer_for(scope);
  const TeamUses others = asking ? services.team->answers(*reader, std::move(*asking)) : TeamUses();
  std::set<std::string> sessions_of_others;
  for (const auto& [project, use] : others.rows)
    sessions_of_others.insert(use.session_uid);
  for (const AnswerText& note : question.notes)
    if (others.rows.empty()) lead_with(frame, note);  // what is not known here is known there
  lead_with(frame, others.left_out);
  return fit_answer<FileHistoryAnswer>(token_limit(services, params), frame, [&](std::size_t tokens) {
    FileHistoryAnswer out;
    static_cast<Answer&>(out) = frame;
    out.total_files = history.total_paths;
    out.total_exchanges = history.total_exchanges + static_cast<std::int64_t>(others.rows.size());
    out.total_sessions = history.total_sessions + static_cast<std::int64_t>(sessions_of_others.size());
    TokenBudget budget(tokens - std::min<std::size_t>(tokens, 30));
    add_heads(history, question, budget, out);
    add_uses(history, question, budget, out);
    const std::int64_t end = at.offset + exchanges_in(out);
    if (end < history.total_exchanges && end > at.offset) out.next = encode_cursor({end, 0}, asked);
    add_uses(others, budget, out);
    return out;
  });
}

template <std::size_t size>
void add(HistoryText& out, const char (&name)[size], const std::optional<std::string>& value) {
  if (value) out.add("  ", name, *value);
}

void add_line_counts(HistoryText& out, std::int64_t added, std::int64_t removed) {
  if (added + removed > 0) out.add("  +", added, " -", removed);
}

void add_use(HistoryText& out, const FileUseOut& u) {
  out.add(u.exchange_id, "  ", short_time(u.timestamp), "  ", u.access);
  add_line_counts(out, u.lines_added, u.lines_removed);
  add(out, "lines ", u.lines);
  add(out, "", u.match);
  add(out, "", u.outcome);
  add(out, "", u.test);
  add(out, "committed as ", u.committed_as);
  out.add("\n  asked: ", u.asked, "\n");
  if (u.said) out.add("  agent: ", *u.said, "\n");
  if (u.error) out.add("  error: ", *u.error, "\n");
  for (const std::string& file : u.files.value_or(std::vector<std::string>()))
    out.add("  - ", file, "\n");
  if (!u.change) return;
  out.add(HistoryText::Whole{*u.change});
  if (!u.change->ends_with('\n')) out.add("\n");
}

}  // namespace

AnswerText render_text(const FileHistoryAnswer& a) {
  HistoryText body;
  for (const CommitOut& c : a.commits.value_or(std::vector<CommitOut>())) {
    body.add("commit ", c.sha.value_or("(not named)"));
    add(body, "on ", c.branch);
    body.add("  ", short_time(c.timestamp), "  session ", c.session_id);
    add(body, "", c.exchange_id);
    add(body, "in ", c.pull_request);
    body.add("  ", c.confidence, ": ", c.evidence);
    if (c.subject) body.add("  \"", *c.subject, "\"");
    body.add("\n");
  }
  for (const PathTotalOut& f : a.files) {
    body.add(f.path, "  ", counted(f.exchanges, "turn"), "  last ", short_time(f.last));
    add_line_counts(body, f.lines_added, f.lines_removed);
    body.add("\n");
  }
  for (const FileSessionOut& s : a.sessions) {
    body.add("\n", s.session_id, "  \"", s.session_name, "\"  ", s.platform, "  ", s.project);
    add(body, "branch ", s.git_branch);
    body.add("\n");
    for (const std::string& url : s.pull_requests.value_or(std::vector<std::string>()))
      body.add("  pull request ", url, "\n");
    for (const FileUseOut& u : s.exchanges)
      add_use(body, u);
  }
  AnswerText out;
  out.add(answer_header(a), exchanges_in(a), " of ", counted_words(a.total_exchanges, "turn"), " in ",
          counted_words(a.total_sessions, "session"), ", ", counted_words(a.total_files, "file"), ".\n");
  out.quote(body);
  if (!a.sessions.empty())
    out.add("Full text: get_exchange(ids=[\"", AnswerText::Id{a.sessions.front().exchanges.front().exchange_id},
            "\"]).\n");
  return out.add(answer_footer(a));
}

void add_file_history(mcp::ToolRegistry& registry, const ToolServices& services) {
  mcp::ToolInfo info;
  info.name = "file_history";
  info.title = "Who changed a file, and why";
  info.description =
      "History of a file: who changed it or a line, when and why, like git blame but with the reason (request, "
      "answer, tests, commit). With commit: which session made it. Use it before you change code that looks "
      "odd.";
  info.search_words = "git blame who changed file line why reason history which session made commit";
  registry.add<FileHistoryParams, FileHistoryAnswer>(
      std::move(info), [services](const FileHistoryParams& p, mcp::ToolContext& c) { return run(services, p, c); });
}

}  // namespace memd::tools
