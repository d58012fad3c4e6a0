#pragma once

#include "daemon/tools/answer_text.hpp"
#include "schemas/base/result.hpp"
#include "schemas/exchange_row.hpp"
#include "schemas/search.hpp"
#include "store/catalog/memory_search.hpp"
#include "store/team/team_inquiry.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
  // which is not shown. `by_meaning`: asks for what is near in meaning, too.
  TeamAsker(std::chrono::milliseconds patience, std::filesystem::path withheld, bool by_meaning)
      : patience_(patience), withheld_(std::move(withheld)), by_meaning_(by_meaning) {}

  template <class Row>
  struct Asking {
    struct Question {
      std::string place;  // of the share
      team::TeamScope scope;
      team::TeamInquiry<Row> inquiry;
    };
    std::chrono::steady_clock::time_point deadline;
    std::vector<Question> questions;
  };
  // Ask the shares in the scope: for exchanges that have words of the query, a question for each of its phrasings, for
  // those that changed a file (its path as TeamFileHistory has it), for observations. Nobody where the scope or the
  // query has conditions that no database knows: a session, a kind of observation, files, tools.
  std::vector<Asking<team::TeamHit>> ask(Reader& reader, const Scope& scope, const SearchQuery& query);
  Asking<team::TeamFileUse> ask_for_changes(Reader& reader, const Scope& scope, const std::string& path, int most);
  Asking<team::TeamFinding> ask_for_observations(Reader& reader, const Scope& scope, const std::string& type, int most);
  // Asks for memories with words of the query; of a query without words, for those changed last. `project`: as
  // QueryFilter::project. `type`: empty for all.
  Asking<team::TeamMemoryHit> ask_for_memories(Reader& reader, const std::string& project, const ParsedQuery& asked,
                                               std::string_view type, int most);

  template <class Row>
  struct Answers {
    std::vector<std::pair<std::string, Row>> rows;  // with the share's project; of no session that is here
    AnswerText left_out;                            // which databases were, and why; may be empty
  };
  template <class Row>
  Answers<Row> answers(Reader& reader, Asking<Row> asking) const;

  struct Found {
    std::vector<SearchHit> hits;  // without an id; with who wrote it before the title
    AnswerText left_out;
  };
  // Those that have the words are asked what they mean, with what is nearest to the question. `askings`: of ask().
  // `here`: the hits of the store, with their features. What only they were compared by counts in the others as in the
  // mean of them.
  Found found(Reader& reader, std::vector<Asking<team::TeamHit>> askings, const SearchQuery& query,
              std::span<const SearchHit> here);

  struct Remembered {
    std::vector<catalog::MemoryHit> hits;  // without an id and a path; with who wrote it before the title
    AnswerText left_out;
  };
  // Leaves out memories that the project has here, too.
  Remembered remembered(Reader& reader, Asking<team::TeamMemoryHit> asking, TimeMs now) const;

  // The exchange of that name, with the texts that a database has of it; nullopt: none has it, or said so in time.
  std::optional<ExchangeRow> look_up(Reader& reader, const ExchangeName& name);
  // Likewise the memory of that slug that was changed last. `project`: as QueryFilter::project.
  std::optional<catalog::MemoryHit> look_up(Reader& reader, const std::string& project, const std::string& slug);
  // The newest exchanges of a session with a smaller number, oldest first; empty: likewise.
  std::vector<ExchangeRow> turns(Reader& reader, const std::string& session_uid, std::int64_t before, int most);

 private:
  template <class Question>
  Asking<typename Question::Row> ask_all(Reader& reader, const std::string& project, team::TeamScope scope,
                                         const Question& question);
  // What is near to a phrasing in meaning.
  static team::TeamNear near_of(Reader& reader, const ParsedQuery& phrasing);
  // Which databases did not answer is added to `left_out`; `answered` is called with the others.
  template <class Row>
  using Answered = std::function<void(const typename Asking<Row>::Question&, const std::vector<Row>&)>;
  template <class Row>
  std::vector<std::pair<std::string, Row>> received(Asking<Row> asking, AnswerText& left_out,
                                                    const Answered<Row>& answered = {}) const;
  template <class Row>
  Result<std::vector<Row>> answer(team::TeamInquiry<Row>& inquiry,
                                  std::chrono::steady_clock::time_point deadline) const;

  const std::chrono::milliseconds patience_;
  const std::filesystem::path withheld_;
  const bool by_meaning_;
  team::TeamInquiries inquiries_;
};

// Returns the session of an exchange as answers name it: "ada@laptop: Fix the cache".
std::string title_of(const team::TeamHead& exchange);

}  // namespace memd::tools
