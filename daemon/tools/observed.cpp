#include "daemon/tools/observed.hpp"

#include "daemon/tools/answer.hpp"
#include "schemas/base/ascii.hpp"

namespace memd::tools {

DecisionOut decision_out(const Observation& o, ExchangeId reversed_by) {
  DecisionOut out;
  out.text = o.content;
  if (reversed_by != 0) out.reversed_by = format_exchange_id(reversed_by);
  if (!o.decision) return out;
  out.kind = to_string(o.decision->kind);
  out.decided_by = to_string(o.decision->by);
  out.chosen = unless_empty(o.decision->chosen);
  out.rejected = unless_empty(o.decision->rejected);
  out.reason = unless_empty(o.decision->reason);
  out.judged_by = unless_empty(o.decision->judged_by);
  return out;
}

namespace {

// Returns whether `sentence` contains `part`. Only the beginning of a part that was cut is compared.
bool says(std::string_view sentence, std::string_view part) {
  constexpr std::string_view kCut = "…";
  if (part.ends_with(kCut)) part.remove_suffix(kCut.size());
  return sentence.find(part) != std::string_view::npos;
}

}  // namespace

namespace {

void add_what_was_decided(HistoryText& out, const DecisionOut& d) {
  const std::string text = ascii::one_line(d.text.value_or(""));
  out.add(text);
  // A text like "Yes" does not contain what was chosen.
  if (const auto chosen = ascii::one_line(d.chosen.value_or("")); !says(text, chosen)) out.add("; chosen: ", chosen);
  if (d.rejected) out.add("; against: ", ascii::one_line(*d.rejected));
  if (d.reason) out.add("; because: ", ascii::one_line(*d.reason));
  if (d.reversed_by) out.add("; reversed in ", *d.reversed_by);
}

}  // namespace

void add_decision(HistoryText& out, const DecisionOut& d) {
  if (d.exchange_id) out.add(*d.exchange_id, "  ");
  if (d.kind) out.add(*d.kind, " of the ", d.decided_by.value_or("agent"), ": ");
  add_what_was_decided(out, d);
}

void add_latest_decision(HistoryText& out, const DecisionOut& d) {
  out.add("Latest decision (", d.exchange_id.value_or("-"));
  if (d.kind) out.add(", ", *d.kind);
  if (d.decided_by) out.add(" of the ", *d.decided_by);
  out.add("): ");
  add_what_was_decided(out, d);
  out.add("\n");
}

}  // namespace memd::tools
