#pragma once

#include "daemon/tools/answer_text.hpp"
#include "schemas/base/result.hpp"
#include "schemas/exchange_row.hpp"
#include "schemas/search.hpp"
#include "store/team/team_inquiry.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memd {
class Reader;
struct ExchangeName;
}  // namespace memd

namespace memd::tools {

struct Scope;

// Asks the databases of this machine's shares for what others wrote (docs/sharing.md), while the store is searched.
// Thread-safe.
class TeamAsker {
 public:
  // `patience`: a database that has not answered then is left out. `withheld`: the file of what was forgotten here,
  // which is not shown.
  TeamAsker(std::chrono::milliseconds patience, std::filesystem::path withheld)
      : patience_(patience), withheld_(std::move(withheld)) {}

  struct Question {
    std::string project;  // of the share
    team::TeamInquiry inquiry;
  };
  struct Asking {
    team::TeamInquiry::Time deadline;
    std::vector<Question> questions;
  };
  // Asks for exchanges in the scope that have words of the query; nobody where the scope or the query has conditions
  // that no database knows: a session, a kind of observation, files, tools.
  Asking ask(Reader& reader, const Scope& scope, const ParsedQuery& asked, int most);

  struct Found {
    std::vector<SearchHit> hits;  // without an id; with who wrote it before the title; of no session that is here
    AnswerText left_out;          // which databases were, and why; may be empty
  };
  Found found(Reader& reader, Asking asking, const SearchQuery& query);

  // The exchange of that name, with the texts that a database has of it; nullopt: none has it, or said so in time.
  std::optional<ExchangeRow> look_up(Reader& reader, const ExchangeName& name);

 private:
  Result<std::vector<team::TeamHit>> answer(team::TeamInquiry& inquiry, team::TeamInquiry::Time deadline) const;

  const std::chrono::milliseconds patience_;
  const std::filesystem::path withheld_;
  team::TeamInquiries inquiries_;
};

// Returns the id of an exchange for answers: x42, or its name where it is not in this store.
std::string id_of(const ExchangeHead& exchange);

}  // namespace memd::tools
