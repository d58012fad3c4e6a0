#include "daemon/tools/file_question.hpp"

#include "daemon/tools/file_history.hpp"
#include "daemon/tools/scope.hpp"
#include "daemon/tools/time_argument.hpp"
#include "daemon/tools/tool_services.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/time.hpp"
#include "store/read/commits.hpp"
#include "store/read/exchanges.hpp"
#include "store/reader.hpp"
#include "store/text/redaction/redactor.hpp"

#include <algorithm>
#include <charconv>

namespace memd::tools {
namespace {

constexpr int kMostEdits = 200;  // traced by a call for lines or a symbol
constexpr std::size_t kCandidatesNamed = 8;

bool given(const std::optional<std::string>& text) { return text && !text->empty(); }

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kCandidatesNamed); ++i)
    out.append(i > 0 ? ", " : "").append(harmless_line(names[i]));
  if (names.size() > kCandidatesNamed) out += ", …";
  return out;
}

std::vector<std::string> names_of(const std::vector<KnownPath>& paths) {
  std::vector<std::string> out;
  for (const auto& p : paths)
    out.push_back(p.path);
  return out;
}

// Returns whether both may be the same file, like "/w/app/store/reader.cpp" and "store/reader.cpp".
bool means(std::string_view whole, std::string_view named) {
  while (named.starts_with("./"))
    named.remove_prefix(2);
  if (named.empty() || whole == named) return true;
  return whole.ends_with(named) && whole.size() > named.size() &&
         (named.front() == '/' || whole[whole.size() - named.size() - 1] == '/' ||
          whole[whole.size() - named.size() - 1] == '\\');
}

// Returns the changes to this file in the records of an edit: those of the first record with line numbers, else those
// of the first with hunks.
TraceStep step_of(const RawText& records, Reader& reader, const EditPlace& place, std::string_view path) {
  TraceStep texts;
  for (const std::int64_t seq : place.records) {
    const auto where = reader.ask(EventSourceQuery{place.session_pk, seq});
    if (!where) continue;
    const auto edits = records.recorded_edits(*where);
    if (!edits) continue;
    TraceStep step;
    for (const RecordedEdit& edit : *edits) {
      if (!means(path, edit.path) && !means(edit.path, path)) continue;
      step.whole_file = step.whole_file || edit.whole_file;
      step.hunks.insert(step.hunks.end(), edit.hunks.begin(), edit.hunks.end());
    }
    const bool placed = !step.hunks.empty() && step.hunks.front().placed();
    if (placed) return step;
    if (texts.hunks.empty()) texts = std::move(step);
  }
  return texts;
}

Result<void> trace_edits(const ToolServices& services, Reader& reader, const FileHistoryParams& params,
                         const KnownPath& path, const mcp::ToolContext& context, FileQuestion& question) {
  FileHistoryQuery edits = question.query;
  edits.access = FileAccess::modified;
  MEMD_TRY_ASSIGN(const EditPlaces places, reader.ask(EditPlacesQuery{edits, kMostEdits}));
  std::vector<TraceStep> steps;
  std::size_t without_record = 0;
  const auto records = services.raw_text.walk();
  for (const EditPlace& place : places.edits) {
    steps.push_back(step_of(*records, reader, place, path.path));
    without_record += steps.back().hunks.empty();
    context.progress(static_cast<double>(steps.size()), static_cast<double>(places.edits.size()), "edits read");
  }
  LineTrace trace;
  if (given(params.lines)) {
    MEMD_TRY_ASSIGN(const LineRange range, parse_lines(*params.lines));
    trace = trace_lines(steps, range);
    if (given(params.symbol)) {
      const LineTrace named = trace_text(steps, *params.symbol);
      std::erase_if(trace.edits, [&](const TracedEdit& e) {
        return std::none_of(named.edits.begin(), named.edits.end(),
                            [&](const TracedEdit& n) { return n.step == e.step; });
      });
    }
  } else {
    trace = trace_text(steps, *params.symbol);
  }
  const auto unplaced = static_cast<std::size_t>(std::count_if(
      trace.edits.begin(), trace.edits.end(), [](const TracedEdit& e) { return e.match == TraceMatch::unplaced; }));
  const bool some_placed = unplaced < trace.edits.size();
  if (given(params.lines) && some_placed && unplaced > 0) {
    std::erase_if(trace.edits, [](const TracedEdit& e) { return e.match == TraceMatch::unplaced; });
    question.notes.push_back(
        counted_words(static_cast<std::int64_t>(unplaced), "edit")
            .add(" of this file do not say which lines they changed and are left out: ask with symbol."));
  }
  if (given(params.lines) && !some_placed && unplaced > 0)
    question.notes.emplace_back(
        "None of its edits says which lines it changed: these are all of them. Ask with symbol.");
  for (TracedEdit& edit : trace.edits) {
    redact(edit.change);
    question.traced[places.edits[edit.step].exchange_id].push_back(std::move(edit));
  }
  for (const auto& [exchange, found] : question.traced)
    question.query.exchanges.push_back(exchange);
  question.nothing = question.traced.empty();

  if (places.edits.empty())
    question.notes.emplace_back("No edit of this file is recorded.");
  else if (question.nothing)
    question.notes.push_back(
        AnswerText("None of the ").add(counted_words(std::ssize(places.edits), "edit"), " of this file fits."));
  if (without_record > 0)
    question.notes.push_back(AnswerText("What ").add(
        counted_words(static_cast<std::int64_t>(without_record), "edit"),
        " changed is not known: the records are gone, or have a format that memd does not know."));
  if (places.more && !trace.reaches_origin)
    question.notes.push_back(
        AnswerText("Only the last ")
            .add(kMostEdits, " turns that changed it were looked at: set until to look further back."));
  if (given(params.lines))
    question.notes.emplace_back(
        "Line numbers are carried through the edits of agents; what people and commands changed in "
        "between is not recorded.");
  return {};
}

// Commits and the sessions they come from.

constexpr TimeMs kWindow = kMsPerDay;  // ms before a commit in which its changes are searched
constexpr TimeMs kSoonAfter = 60LL * 60 * 1000;
constexpr std::int64_t kExchangesOfCommit = 30;
constexpr std::size_t kCandidates = 3;

Result<std::string> read_sha(std::string_view text) {
  std::string out = ascii::lowered(text);
  const bool hex = out.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (hex && out.size() >= 4) return out;
  return Error(Errc::invalid_argument,
               "commit: \"" + std::string(text) + "\" is no commit id, send at least 4 of its hexadecimal digits");
}

CommitOut exact(const CommitRow& row) {
  CommitOut out;
  out.sha = row.sha;
  if (!row.branch.empty()) out.branch = row.branch;
  out.subject = row.subject;
  out.timestamp = format_rfc3339(row.time);
  out.session_id = row.session_uid;
  if (row.exchange_id != 0) out.exchange_id = format_exchange_id(row.exchange_id);
  if (!row.pull_request.empty()) out.pull_request = row.pull_request;
  out.confidence = "exact";
  out.evidence = "git said so in the session";
  return out;
}

// Limits the question to what the session changed since its previous commit, in at most kExchangesOfCommit + 1
// exchanges.
Result<void> span_of(Reader& reader, const CommitRow& row, FileQuestion& question) {
  MEMD_TRY_ASSIGN(const auto before, reader.ask(CommitBeforeQuery{row.session_pk, row.event_seq}));
  std::int64_t first = before ? std::min(before->exchange_number + 1, row.exchange_number) : 0;
  first = std::max(first, row.exchange_number - kExchangesOfCommit);
  question.query.session_pk = row.session_pk;
  question.query.first_exchange = std::max<std::int64_t>(first, 0);
  question.query.last_exchange = row.exchange_number;
  if (!question.query.access) question.query.access = FileAccess::modified;
  return {};
}

std::string_view confidence_of(const CommitCandidate& c, std::size_t names, const CommitCandidatesQuery& clues) {
  const double share = static_cast<double>(c.names) / static_cast<double>(std::max<std::size_t>(names, 1));
  const bool branch = !clues.branch.empty() && c.branch == clues.branch;
  const bool soon = clues.time - c.last_change <= kSoonAfter;
  if (share >= 0.8 && branch && soon) return "high";
  if (share >= 0.5 && (branch || soon)) return "medium";
  return "low";
}

Result<void> join_by_clues(const ToolServices& services, Reader& reader, const FileHistoryParams& params,
                           FileQuestion& question) {
  CommitCandidatesQuery clues;
  MEMD_TRY_ASSIGN(clues.time, parse_time_argument("commit_time", *params.commit_time, RangeEnd::until, services.clock));
  clues.branch = params.branch.value_or("");
  clues.window = kWindow;
  clues.filter = question.query.filter;
  std::vector<std::string> names = params.paths;
  if (names.empty() && params.path) names.push_back(*params.path);
  if (names.empty())
    return Error(Errc::invalid_argument, "paths: commit_time needs the files of the commit (git show --name-only)");
  for (std::size_t i = 0; i < names.size(); ++i) {
    MEMD_TRY_ASSIGN(const PathFinding found, reader.ask(PathQuery{names[i]}));
    for (const auto& p : found.paths) {
      clues.paths.push_back(p.pk);
      clues.name_of.push_back(static_cast<int>(i));
    }
  }
  MEMD_TRY_ASSIGN(const auto candidates, reader.ask(clues));
  for (const CommitCandidate& c : candidates) {
    if (question.commits.size() == kCandidates) break;
    CommitOut out;
    if (!c.branch.empty()) out.branch = c.branch;
    out.timestamp = format_rfc3339(c.last_change);
    out.session_id = c.session_uid;
    out.confidence = confidence_of(c, names.size(), clues);
    out.evidence = "changed " + std::to_string(c.names) + " of " + std::to_string(names.size()) +
                   " files in the day before the commit";
    question.commits.push_back(std::move(out));
  }
  if (candidates.empty()) {
    question.nothing = true;
    question.notes.emplace_back("No session changed these files in the day before the commit.");
    return {};
  }
  const CommitCandidate& best = candidates.front();
  question.query.session_pk = best.session_pk;
  question.query.first_exchange = best.first_exchange;
  question.query.last_exchange = best.last_exchange;
  question.query.paths = clues.paths;
  question.query.access = FileAccess::modified;
  question.several_files = true;
  AnswerText& note = question.notes.emplace_back("No transcript names this commit: it is joined by time, files");
  if (!clues.branch.empty()) note.add(" and branch");
  note.add(", which may be wrong.");
  return {};
}

Result<void> find_commit(const ToolServices& services, Reader& reader, const FileHistoryParams& params,
                         const Scope& scope, FileQuestion& question) {
  std::string sha;
  if (params.commit && !params.commit->empty()) {
    MEMD_TRY_ASSIGN(sha, read_sha(*params.commit));
    MEMD_TRY_ASSIGN(auto rows, reader.ask(CommitsQuery{sha}));
    std::erase_if(rows, [&](const CommitRow& row) {
      const auto platform = parse_platform(std::string_view(row.session_uid).substr(0, row.session_uid.find(':')));
      return !platform || !scope.includes(*platform);
    });
    // Different commits may begin with `sha`: rows with a longer id come first.
    std::stable_sort(rows.begin(), rows.end(),
                     [](const CommitRow& a, const CommitRow& b) { return a.sha.size() > b.sha.size(); });
    for (const CommitRow& row : rows)
      question.commits.push_back(exact(row));
    if (!rows.empty()) {
      question.several_files = true;
      return span_of(reader, rows.front(), question);
    }
  }
  if (params.commit_time && !params.commit_time->empty()) return join_by_clues(services, reader, params, question);
  question.nothing = true;
  question.notes.push_back(
      AnswerText("No session shows commit ")
          .add(AnswerText::Id{sha},
               " being made. To join it by time and files, send commit_time (git show -s --format=%cI), "
               "branch and paths (git show --name-only --format=)."));
  return {};
}

}  // namespace

Result<LineRange> parse_lines(std::string_view text) {
  LineRange out;
  const char* end = text.data() + text.size();
  auto [p, ec] = std::from_chars(text.data(), end, out.first);
  bool ok = ec == std::errc{} && out.first > 0;
  out.last = out.first;
  if (ok && p != end) {
    ok = *p == '-' || *p == ',' || *p == ':';
    if (ok) {
      const auto second = std::from_chars(p + 1, end, out.last);
      ok = second.ec == std::errc{} && second.ptr == end && out.last >= out.first;
    }
  }
  if (ok) return out;
  return Error(Errc::invalid_argument,
               "lines: \"" + std::string(text) + "\" is no range of lines, send \"120-180\" or \"120\"");
}

Result<FileQuestion> understand(const ToolServices& services, Reader& reader, const FileHistoryParams& params,
                                const Scope& scope, const mcp::ToolContext& context) {
  FileQuestion out;
  out.query.filter = scope.filter;
  if (params.access != "any") out.query.access = params.access == "read" ? FileAccess::read : FileAccess::modified;
  const bool of_lines = given(params.lines) || given(params.symbol);
  const bool of_commit = given(params.commit) || given(params.commit_time);
  if (!given(params.path) && !of_commit)
    return Error(Errc::invalid_argument, "path: send a file (\"src/main.cpp\"), or commit with the id of a commit");
  if (of_lines && !given(params.path))
    return Error(Errc::invalid_argument, "path: lines and symbol need the one file they are of");
  if (given(params.lines)) MEMD_TRY(parse_lines(*params.lines));

  if (given(params.path)) {
    MEMD_TRY_ASSIGN(const PathFinding found, reader.ask(PathQuery{*params.path}));
    if (found.paths.empty()) {
      out.nothing = true;
      AnswerText& note = out.notes.emplace_back("No agent has touched a file named ");
      note.add(AnswerText::Echo{*params.path}, ".");
      if (!found.similar.empty()) note.say("Alike: ", AnswerText::Quoted{listed(found.similar)}, ".");
      return out;
    }
    if (of_lines && found.paths.size() > 1)
      return Error(Errc::invalid_argument, "path: lines and symbol need one file, and \"" + *params.path + "\" is " +
                                               std::to_string(found.paths.size()) + ": " +
                                               recorded(listed(names_of(found.paths))));
    for (const auto& p : found.paths)
      out.query.paths.push_back(p.pk);
    out.several_files = found.paths.size() > 1;
    if (found.fit == PathFit::suffix && out.several_files)
      out.notes.push_back(AnswerText("Several files end in ")
                              .add(AnswerText::Echo{*params.path}, ": send more of the path for one of them."));
    if (found.more)
      out.notes.push_back(
          AnswerText("More than ").add(kMostPaths, " files fit; only the first of them were looked at."));
    if (of_lines) MEMD_TRY(trace_edits(services, reader, params, found.paths.front(), context, out));
  }
  if (of_commit && !out.nothing) MEMD_TRY(find_commit(services, reader, params, scope, out));
  return out;
}

}  // namespace memd::tools
