#pragma once

#include "daemon/tools/answer.hpp"
#include "daemon/tools/observed.hpp"
#include "daemon/tools/scope_params.hpp"

#include <string>
#include <vector>

namespace memd::tools {

struct ListObservationsParams : ScopeParams {
  std::optional<std::string> observation;
  std::optional<std::string> kind;  // its former name; see asked_observation()
  std::optional<std::string> session_id;
  std::optional<std::int64_t> n_results;
};

struct ObservationOut : SessionRefOut {
  std::string id;
  std::string kind;
  std::string text;
  std::string timestamp;
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

MEMD_DESCRIBE(memd::tools::ListObservationsParams, field<&T::observation>(one_of(tools::kObservationChoices)),
              field<&T::kind>(one_of(tools::kObservationChoices), unlisted), field<&T::session_id>(length(0, 200)),
              tools::kDirectoryFields, tools::kPlatformFields, tools::kTimeFields,
              field<&T::n_results>(clamped(1, 1000)), tools::kPageFields);
MEMD_DESCRIBE(memd::tools::ObservationOut, field<&T::id>("For from of memory_write."),
              field<&T::kind>("decision, problem, bugfix, …"), field<&T::text>("As it was said, or what memd saw."),
              field<&T::timestamp>("RFC 3339."), plain<&T::session_id, &T::session_name, &T::platform, &T::project>(),
              field<&T::exchange_id>("For get_exchange."), field<&T::tool>("Of a call that worked after edits."),
              field<&T::files>("Changed in its turn; at most 3."),
              field<&T::decision>("Of a decision: its kind, by whom, and the parts of the sentence."));
MEMD_DESCRIBE_ANSWER(memd::tools::ListObservationsAnswer, field<&T::observations>("Newest first."),
                     field<&T::total>("On all pages."));
