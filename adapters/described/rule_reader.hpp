#pragma once

#include "adapters/adapter.hpp"
#include "adapters/described/description.hpp"
#include "adapters/described/lookup.hpp"
#include "adapters/json/record_builder.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::described {

// Reads one record by the rules of its source: decides which fits, and adds what it gives. One record; borrows all it
// is made of.
class RuleReader {
 public:
  RuleReader(const Description& agent, const SourceRule& source, Lookup& lookup, json::RecordBuilder& builder)
      : agent_(agent), source_(source), lookup_(lookup), c_(builder) {}

  RecordOutcome read();

 private:
  enum class Fit { none, skipped, gave };
  Fit apply(const std::vector<Rule>& rules, const Place& place);
  void give(const GiveMessage& message, const Place& place);
  void give(const GiveText& text, const Place& place);
  void give(const GiveCall& call, const Place& place);
  void give(const GiveResult& result, const Place& place);
  void give(const GiveUsage& usage, const Place& place);
  void give(const GiveEach& each, const Place& place);
  void give(const SessionTerms& session, const Place& place);
  void give(const GiveStop&, const Place&);

  void add_prompt(std::string text, Origin origin, std::string marker);
  std::string file_marks(const Term& files, const Place& place);
  // `input`: JSON, or another text; empty: there is none.
  void add_call(std::string tool, std::string id, const std::string& input);
  Event& add_result(std::string tool, std::string id, std::string output);
  std::string own_id(int number) const;
  void doubt(std::string_view reason, FieldName field);

  const Description& agent_;
  const SourceRule& source_;
  Lookup& lookup_;
  json::RecordBuilder& c_;
  std::optional<std::size_t> prompt_;  // the record's prompt among the batch's events
  int calls_ = 0;                      // without an id
  int results_ = 0;
  bool gave_session_ = false;
  std::string_view unknown_;  // why the record's shape is not known; empty: it is
  std::string_view skip_;
  std::string summary_;  // of a compaction; the message that repeats it is no answer
};

// Returns a directory: a path, the path of a file:// address, or the first of several lines.
std::string directory_of(const Term& term, Lookup& lookup, const Place& place);

// Adds what is told of a session as a whole.
void add_session_facts(const SessionTerms& terms, bool local_time, Lookup& lookup, const Place& place,
                       json::RecordBuilder& builder);

// Returns whether a rule fits the record.
bool fits_a_rule(const SourceRule& source, Lookup& lookup);

}  // namespace memd::described
