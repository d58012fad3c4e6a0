#include "bench/continuity/name_weights.hpp"

#include "bench/continuity/transcript.hpp"
#include "store/insight/continuity/name_weight.hpp"

namespace memd::bench {
namespace fs = std::filesystem;

void NameWeights::add_session(std::string_view project, const Terms& names) {
  ++sessions_;
  if (projects_ == 0 || project != project_) {
    project_ = project;
    ++projects_;
  }
  for (const std::string& name : names) {
    Count& count = counts_[name];
    ++count.sessions;
    if (count.last_project != projects_) ++count.projects;
    count.last_project = projects_;
  }
}

double NameWeights::of(std::string_view name) const {
  const auto known = counts_.find(name);
  const Count count = known == counts_.end() ? Count{1, 1, 0} : known->second;
  return continuity::name_weight(name, {count.sessions, sessions_, count.projects, projects_});
}

NameWeights weigh_names(const fs::path& home) {
  NameWeights out;
  for (const fs::path& file : main_transcripts(home)) {  // sorted by project
    Terms names;
    for (const TranscriptRecord& r : read_transcript(file).records) {
      for (const std::string& text : r.texts)
        add_identifiers(text, names);
      for (const std::string& result : r.results)
        add_identifiers(result, names);
      for (const ToolUse& use : r.uses)
        for (const ToolInput& input : use.inputs)
          add_identifiers(input.value, names);
    }
    out.add_session(file.parent_path().filename().string(), names);
  }
  return out;
}

}  // namespace memd::bench
