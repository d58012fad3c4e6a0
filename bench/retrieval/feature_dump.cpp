#include "bench/retrieval/feature_dump.hpp"

#include "schemas/json_writer.hpp"

#include <stdexcept>

namespace memd::bench {

FeatureDump::FeatureDump(const std::filesystem::path& file) : out_(file, std::ios::binary | std::ios::trunc) {
  if (!out_) throw std::runtime_error("cannot write " + file.string());
}

void FeatureDump::add(const Experiment::Plan& plan, const Question& question, const RankedList& list) {
  for (std::size_t rank = 0; rank < list.hits.size(); ++rank) {
    const Hit& hit = list.hits[rank];
    const std::string& key = plan.unit == Unit::exchange ? hit.exchange_id : hit.session_uid;
    std::string line;
    json::Writer w(line);
    w.begin_object();
    w.member("part", plan.name);
    w.key("groups");
    w.begin_array();
    for (const auto& group : question.groups)
      w.string(group);
    w.end_array();
    w.key("question");
    w.number(questions_);
    w.member("text", question.text);
    w.key("rank");
    w.number(static_cast<std::int64_t>(rank + 1));
    w.member("exchange_id", hit.exchange_id);
    w.member("session_id", hit.session_uid);
    w.member_bool("relevant", question.relevant.contains(key));
    w.key("relevant_total");
    w.number(static_cast<std::int64_t>(question.relevant.size()));
    w.key("score");
    w.number(hit.score);
    w.member("confidence", hit.confidence);
    w.member_bool("nothing_relevant", list.nothing_relevant.value_or(false));
    w.member_raw("features", hit.features.empty() ? "null" : hit.features);
    w.end_object();
    out_ << line << '\n';
  }
  ++questions_;
  out_.flush();
  if (!out_) throw std::runtime_error("cannot write the features");
}

}  // namespace memd::bench
