#pragma once

#include "daemon/tools/answer.hpp"
#include "daemon/tools/scope_params.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace memd::tools {

struct CapabilitiesParams : ScopeParams {};

struct TokenCountsOut {
  std::int64_t input = 0;
  std::int64_t output = 0;
  std::int64_t cache_read = 0;
  std::int64_t cache_creation = 0;
};

struct PlatformOut {
  std::string status;
  std::string adapter_version;
  std::string contract_version;
  std::string data_completeness;
  bool diagnostics_enabled = true;  // diagnostics cannot be turned off
  std::optional<std::vector<std::string>> capabilities;
  std::optional<std::vector<std::string>> limitations;
  std::optional<std::vector<std::string>> storage_location;
  std::int64_t sources = 0;
  std::int64_t sessions = 0;
  std::int64_t subagent_sessions = 0;
  std::int64_t exchanges = 0;
  std::optional<TokenCountsOut> tokens;
  bool schema_drift = false;
  TimeRangeOut time_range;
};

struct ServerOut {
  std::string name;
  std::string version;
  std::string ranking;
  std::string contract_version;
  std::int64_t store_bytes = 0;
  std::int64_t default_max_tokens = 0;
  std::int64_t most_max_tokens = 0;
  std::string embedding_model;
  std::int64_t embedding_pending = 0;
  std::string summary_models;
  std::string summary_trouble;
  std::optional<bool> decisions_by_model;
};

struct CapabilitiesAnswer : Answer {
  std::vector<std::pair<std::string, PlatformOut>> platforms;  // with history here, or not read
  std::optional<std::vector<std::string>> without_history;     // agents that memd reads, too
  std::optional<std::vector<std::pair<std::string, std::vector<std::string>>>> capability_matrix;
  ServerOut server;
  std::optional<std::string> more;
};
AnswerText render_text(const CapabilitiesAnswer& answer);

// Adds the tool. It runs on the loop thread, so it answers from forms rendered before, in several sizes. A call that
// finds them older than 5 s, or older than 1 s and a commit since, has services.background render them again, and gets
// the old ones. Without forms, or without services.background, the call renders them itself.
void add_capabilities(mcp::ToolRegistry& registry, const ToolServices& services);

// A rendered answer, with the cost of its more expensive form.
struct CapabilitiesForm {
  std::string text;
  std::string json;
  std::size_t tokens = 0;
};

// An answer that is rendered once and returned many times. The registry calls the two functions below.
struct RenderedCapabilities : CapabilitiesAnswer {
  std::shared_ptr<const CapabilitiesForm> form;
};
std::string render_text(const RenderedCapabilities& answer);
std::string to_json(const RenderedCapabilities& answer);

}  // namespace memd::tools

MEMD_DESCRIBE(memd::tools::CapabilitiesParams, mcp::field_at<0>(tools::kPageFields));
MEMD_DESCRIBE(memd::tools::TokenCountsOut, field<&T::input>("Without what came from the cache."),
              plain<&T::output, &T::cache_read, &T::cache_creation>());
MEMD_DESCRIBE(memd::tools::PlatformOut, field<&T::status>("active, unsupported or disabled."),
              field<&T::adapter_version>("Of the adapter that reads it; empty: none."),
              field<&T::contract_version>("Of the adapter contract."),
              field<&T::data_completeness>("full, partial, metadata_only or unknown."),
              field<&T::diagnostics_enabled>(), field<&T::capabilities>("What can be asked about it."),
              field<&T::limitations>("In plain words."),
              field<&T::storage_location>("Where the agent keeps its history."),
              plain<&T::sources, &T::sessions, &T::subagent_sessions>(), field<&T::exchanges>("Turns of all sessions."),
              field<&T::tokens>("Of all sessions; absent: none are known."),
              field<&T::schema_drift>(
                  "The agent seems to have changed its format in the last 30 days: newer records may be missing."),
              field<&T::time_range>("From the oldest to the newest event."));
MEMD_DESCRIBE(
    memd::tools::ServerOut, field<&T::name>(), field<&T::version>("SemVer."), field<&T::ranking>("How searches rank."),
    field<&T::contract_version>("Adapter contract spoken."), field<&T::store_bytes>("Size of the database."),
    field<&T::default_max_tokens>("When max_tokens is not given."), field<&T::most_max_tokens>("Highest max_tokens."),
    field<&T::embedding_model>("The model that lets searches go by meaning; empty: by words alone."),
    field<&T::embedding_pending>("Turns that are found by words only until they have vectors."),
    field<&T::summary_models>("Language models that may write summaries; empty: they are made of the session's own "
                              "sentences."),
    field<&T::summary_trouble>("Why they cannot be asked now; empty: nothing."),
    field<&T::decisions_by_model>(
        "True: these models judge what was decided; absent: decisions are what a person chose when asked, and accepted "
        "plans."));
MEMD_DESCRIBE_ANSWER(memd::tools::CapabilitiesAnswer, field<&T::platforms>("Agent to what is known of it."),
                     field<&T::without_history>("Agents that would be read, too, and have nothing here."),
                     field<&T::capability_matrix>("Capability to the agents that have it."), field<&T::server>(),
                     field<&T::more>("The call that gives what was left out; absent: nothing was."));
MEMD_DESCRIBE(memd::tools::RenderedCapabilities, kFieldsOf<tools::CapabilitiesAnswer>);
