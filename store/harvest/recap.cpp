#include "store/harvest/recap.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/time.hpp"
#include "schemas/exchange_name.hpp"
#include "store/harvest/material.hpp"
#include "store/insight/summary/gist.hpp"
#include "store/read/commits.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/observations.hpp"
#include "store/read/timeline.hpp"
#include "store/text/plain_text.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace memd::harvest {
namespace {

constexpr std::array<std::string_view, kAllRecapSections.size()> kSectionNames{"sessions", "decisions", "problems",
                                                                               "commits", "files"};
constexpr std::array<std::string_view, kAllRecapSections.size()> kHeadings{"Sessions", "Decided", "Found and fixed",
                                                                           "Commits", "Files changed"};
constexpr std::size_t kMostLines = 20;  // per section
constexpr int kMostRows = 200;

using Lines = std::vector<std::string>;

void add_once(Lines& lines, std::string line) {
  if (!line.empty() && std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
}

std::string session_line(const DaySlice& slice) {
  std::string out =
      "- " + shortened(ascii::one_line(slice.session_title), 80) + " (" + std::string(to_string(slice.platform)) + ")";
  if (const std::string result = result_gist(slice.last_answer, 160); !result.empty()) out += ": " + result;
  return out;
}

std::string observation_line(const ObservationRow& row) {
  return "- " + plain_sentence(row.observation.content) + " (`" +
         format_exchange_name(row.session_uid, row.observation.exchange_number.value_or(0)) + "`)";
}

void add_section(std::string& out, std::string_view heading, const Lines& lines) {
  if (lines.empty()) return;
  out.append("\n## ").append(heading).append("\n\n");
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i)
    out.append(lines[i]).append("\n");
  if (lines.size() > kMostLines) out += "- and " + std::to_string(lines.size() - kMostLines) + " more\n";
}

}  // namespace

std::string_view to_string(RecapSection s) { return kSectionNames[static_cast<std::size_t>(s)]; }

std::optional<RecapSection> parse_recap_section(std::string_view text) {
  const auto at = std::find(kSectionNames.begin(), kSectionNames.end(), text);
  return at == kSectionNames.end() ? std::nullopt : std::optional(kAllRecapSections[at - kSectionNames.begin()]);
}

std::optional<Memory> RecapQuery::run(sqlite::Database& db) const {
  QueryFilter of_day = filter;
  of_day.since = day_start(day);
  of_day.until = day_start(day + 1);
  const Timeline timeline = TimelineQuery{of_day, kMostRows, 0}.run(db);
  if (timeline.slices.empty()) return std::nullopt;
  const std::string date = timeline.slices.front().first;

  Memory out;
  std::map<RecapSection, Lines> lines;
  Lines sources;
  for (const auto& [name, slice] : timeline.slices) {
    add_once(lines[RecapSection::sessions], session_line(slice));
    const ExchangeRow first = ExchangeQuery{slice.first_exchange}.run(db);
    const ExchangeRow last = ExchangeQuery{slice.last_exchange}.run(db);
    add_once(sources, "- `" + format_exchange_name(slice.session_uid, first.number) + "` to `" +
                          format_exchange_name(slice.session_uid, last.number) + "`");
    for (const CommitRow& commit : queries::commits_of(db, slice.session_pk, first.number, last.number)) {
      add_once(lines[RecapSection::commits], "- `" + commit.sha + "` " + shortened(commit.subject, 100));
      add_once(out.provenance.commits, commit.sha);
    }
    std::vector<std::string> changed;
    for (std::int64_t number = first.number; number <= last.number; ++number)
      for (ExchangeFile& file : ExchangeFilesQuery{slice.session_pk, number}.run(db))
        if (file.access == FileAccess::modified) changed.push_back(std::move(file.path));
    for (const std::string& file : relative_files(changed, project, last.cwd)) {
      add_once(lines[RecapSection::files], "- `" + file + "`");
      add_once(out.provenance.files, file);
    }
  }
  for (const ObservationRow& row : ObservationListQuery{of_day, std::nullopt, kMostRows, 0}.run(db).observations) {
    const Observation& o = row.observation;
    if (!o.tool.empty() || row.exchange_id == 0 || o.reversed_by) continue;
    if (o.type == ObservationType::decision)
      add_once(lines[RecapSection::decisions], observation_line(row));
    else if (o.type != ObservationType::success && o.type != ObservationType::feature)
      add_once(lines[RecapSection::problems], observation_line(row));
  }
  out.slug = "recap." + date;
  out.dialect = MemoryDialect::repository;
  out.scope = MemoryScope::project;
  out.type = MemoryType::recap;
  out.title = "Recap of " + date;
  out.tags = {"recap"};
  out.content = "# " + out.title + "\n";
  for (const RecapSection section : sections)
    add_section(out.content, kHeadings[static_cast<std::size_t>(section)], lines[section]);
  add_section(out.content, "Provenance", sources);
  if (timeline.slices.size() == 1) out.provenance.session = timeline.slices.front().second.session_uid;
  if (out.provenance.files.size() > kMostLines) out.provenance.files.resize(kMostLines);
  return out;
}

}  // namespace memd::harvest
