#pragma once

#include "daemon/tools/answer.hpp"
#include "daemon/tools/observed.hpp"
#include "daemon/tools/scope_params.hpp"

#include <string>
#include <vector>

namespace memd::mcp {
class ToolRegistry;
}

namespace memd::tools {

struct ToolServices;

struct ListObservationsParams : ScopeParams {
  std::optional<std::string> kind;
  std::optional<std::string> session_id;
  std::optional<std::int64_t> n_results;
};

struct ObservationOut {
  std::string id;
  std::string kind;
  std::string text;
  std::string timestamp;
  std::string session_id;
  std::string session_name;
  std::string platform;
  std::string project;
  std::optional<std::string> exchange_id;
  std::optional<std::string> tool;
  std::optional<std::vector<std::string>> files;
  std::optional<DecisionOut> decision;
};

struct ListObservationsAnswer : Answer {
  std::vector<ObservationOut> observations;
  std::int64_t total = 0;
};
AnswerText render_text(const ListObservationsAnswer& answer);

void add_list_observations(mcp::ToolRegistry& registry, const ToolServices& services);

}  // namespace memd::tools

namespace memd::mcp {

template <>
struct Describe<tools::ListObservationsParams> {
  using T = tools::ListObservationsParams;
  static constexpr auto fields =
      join_fields(fields_of(field("kind", &T::kind, "", one_of(tools::kObservationChoices)),
                            field("session_id", &T::session_id, "", length(0, 200))),
                  tools::kDirectoryFields, tools::kPlatformFields, tools::kTimeFields,
                  fields_of(field("n_results", &T::n_results, "", clamped(1, 1000))), tools::kPageFields);
};
template <>
struct Describe<tools::ObservationOut> {
  using T = tools::ObservationOut;
  static constexpr auto fields = fields_of(
      field("id", &T::id, "For from of memory_write."), field("kind", &T::kind, "decision, problem, bugfix, …"),
      field("text", &T::text, "As it was said, or what memd saw."), field("timestamp", &T::timestamp, "RFC 3339."),
      field("session_id", &T::session_id, "Its session."), field("session_name", &T::session_name, "Title."),
      field("platform", &T::platform, "Agent."), field("project", &T::project, "Project."),
      field("exchange_id", &T::exchange_id, "For get_exchange."),
      field("tool", &T::tool, "Of a call that worked after edits."),
      field("files", &T::files, "Changed in its exchange; at most 3."),
      field("decision", &T::decision, "Of a decision: its kind, by whom, and the parts of the sentence."));
};
template <>
struct Describe<tools::ListObservationsAnswer> {
  using T = tools::ListObservationsAnswer;
  static constexpr auto fields = join_fields(
      Describe<tools::Answer>::head,
      fields_of(field("observations", &T::observations, "Newest first."), field("total", &T::total, "On all pages.")),
      Describe<tools::Answer>::tail);
};

}  // namespace memd::mcp
