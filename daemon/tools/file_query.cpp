#include "daemon/tools/file_query.hpp"

#include "daemon/tools/file_reason.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/file_history.hpp"
#include "store/text/redaction/redactor.hpp"

#include <algorithm>
#include <charconv>

namespace memd::tools {
namespace {

constexpr int kMostEdits = 200;  // that a call for lines looks at
constexpr std::size_t kCandidatesNamed = 8;

bool given(const std::optional<std::string>& text) { return text && !text->empty(); }

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kCandidatesNamed); ++i)
    out += (i > 0 ? ", " : "") + names[i];
  if (names.size() > kCandidatesNamed) out += ", …";
  return out;
}

std::vector<std::string> names_of(const std::vector<KnownPath>& paths) {
  std::vector<std::string> out;
  for (const auto& p : paths)
    out.push_back(p.path);
  return out;
}

// "store/reader.cpp" and "/w/app/store/reader.cpp" may be the same file.
bool means(std::string_view whole, std::string_view named) {
  while (named.starts_with("./"))
    named.remove_prefix(2);
  if (named.empty() || whole == named) return true;
  return whole.ends_with(named) && whole.size() > named.size() &&
         (named.front() == '/' || whole[whole.size() - named.size() - 1] == '/' ||
          whole[whole.size() - named.size() - 1] == '\\');
}

// What the records of an edit tell of this file. The first record that tells of places is enough.
TraceStep step_of(const ToolServices& services, Reader& reader, const EditPlace& place, std::string_view path) {
  TraceStep texts;
  for (const std::int64_t seq : place.records) {
    const auto where = reader.ask(EventSourceQuery{place.session_pk, seq});
    if (!where) continue;
    const auto edits = services.raw_text.recorded_edits(*where);
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

std::string edits_counted(std::size_t n) { return std::to_string(n) + (n == 1 ? " edit" : " edits"); }

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

Result<void> trace_edits(const ToolServices& services, Reader& reader, const FileHistoryParams& params,
                         const KnownPath& path, const mcp::ToolContext& context, FileQuestion& question) {
  FileHistoryQuery edits = question.query;
  edits.access = FileAccess::modified;
  MEMD_TRY_ASSIGN(const EditPlaces places, reader.ask(EditPlacesQuery{edits, kMostEdits}));
  std::vector<TraceStep> steps;
  std::size_t without_record = 0;
  for (const EditPlace& place : places.edits) {
    steps.push_back(step_of(services, reader, place, path.path));
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
    question.notes.push_back(edits_counted(unplaced) +
                             " of this file do not say which lines they changed and are left out: ask with symbol.");
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
    question.notes.push_back("No edit of this file is recorded.");
  else if (question.nothing)
    question.notes.push_back("None of the " + edits_counted(places.edits.size()) + " of this file fits.");
  if (without_record > 0)
    question.notes.push_back("What " + edits_counted(without_record) +
                             " changed stands in records that are not there any more.");
  if (places.more && !trace.reaches_origin)
    question.notes.push_back("Only the last " + std::to_string(kMostEdits) +
                             " exchanges that changed it were looked at: set until to look further back.");
  if (given(params.lines))
    question.notes.push_back(
        "Line numbers are carried through the edits of agents; what people and commands changed in "
        "between is not recorded.");
  return {};
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
      out.notes.push_back("No agent has touched a file named " + *params.path + "." +
                          (found.similar.empty() ? "" : " Alike: " + listed(found.similar) + "."));
      return out;
    }
    if (of_lines && found.paths.size() > 1)
      return Error(Errc::invalid_argument, "path: lines and symbol need one file, and \"" + *params.path + "\" is " +
                                               std::to_string(found.paths.size()) + ": " +
                                               listed(names_of(found.paths)));
    for (const auto& p : found.paths)
      out.query.paths.push_back(p.pk);
    out.several_files = found.paths.size() > 1;
    if (found.fit == PathFit::suffix && out.several_files)
      out.notes.push_back("Several files end in " + *params.path + ": send more of the path for one of them.");
    if (found.more)
      out.notes.push_back("More than " + std::to_string(kMostPaths) +
                          " files fit; only the first of them were looked at.");
    if (of_lines) MEMD_TRY(trace_edits(services, reader, params, found.paths.front(), context, out));
  }
  if (of_commit && !out.nothing) MEMD_TRY(find_commit(services, reader, params, scope, out));
  return out;
}

}  // namespace memd::tools
