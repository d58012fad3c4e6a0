#pragma once

#include "schemas/base/result.hpp"
#include "schemas/event.hpp"
#include "schemas/platform.hpp"
#include "schemas/source.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace YAML {
class Node;
}

// An agent as a YAML file describes it (docs/custom-platforms.md): where its files are, and what their records give.
// Values; constant once parsed, so that any thread may read them.
namespace memd::described {

// A way into a record.
struct Pointer {
  struct Step {
    std::string name;    // a member, or the number of an element
    bool opens = false;  // the string there holds JSON, which the way goes on in
  };
  bool from_record = false;  // begins at the record, not at the element that is read
  bool is_key = false;       // the key of the member that is read; no steps
  std::vector<Step> steps;   // none: the whole
};

// A value: the text itself, or the first of some pointers that leads to one.
struct Term {
  std::string text;
  std::vector<Pointer> pointers;
  bool empty() const { return text.empty() && pointers.empty(); }
};

struct Test {
  enum class Kind : std::uint8_t { equals, exists, starts, has, is_type, holds };  // holds: true, or any text or object
  Term at;
  Kind kind = Kind::equals;
  bool is_negated = false;
  std::vector<std::string> values;  // any of them
};
using Condition = std::vector<Test>;  // all of them

struct ContextTerms {
  Term cwd, model, branch, version;
};

// Facts of a session.
struct SessionTerms : ContextTerms {
  Term id, title, started, ended, parent, agent, forked_from, mode, cost;
};

enum class Shape : std::uint8_t { text, anthropic, openai, gemini };

// What a rule gives.
struct Rule;
struct GiveMessage {
  Shape shape = Shape::text;
  Term at;                            // the message; empty: the record
  Term role, content;                 // in the message
  std::map<std::string, Role> roles;  // the agent's own words
  std::vector<std::string> injected;  // beginnings of texts that a person did not write
  bool keeps_system = false;
};
struct GiveText {
  enum class As : std::uint8_t { prompt, answer, thinking, compaction, injected, error, interrupt, note };
  As as = As::answer;
  Term text;
  Term details;                   // of a compaction
  Term files;                     // beside a prompt: names, or objects that have them
  std::string name;               // of what is injected or noted
  Origin origin = Origin::typed;  // of a prompt
};
struct GiveCall {
  Term tool, id, input;
  std::map<std::string, Term> arguments;  // in place of an input
};
struct GiveResult {
  Term tool, id, output, exit;
  Condition failed;
};
struct GiveUsage {
  Term input, output, cache_read, cache_write, reasoning, cost, response;
  bool cached_in_input = false;
  bool reasoning_beside_output = false;
};
struct GiveEach {
  Term at;
  std::vector<Rule> rules;
};
struct GiveStop {};
using Give = std::variant<GiveMessage, GiveText, GiveCall, GiveResult, GiveUsage, GiveEach, SessionTerms, GiveStop>;

struct Rule {
  Condition when;
  std::vector<Give> gives;
  std::string skip;  // why nothing of the record is kept
  bool goes_on = false;
};

// What all records of a source have.
struct RecordTerms : ContextTerms {
  Term id, parent, time, type;
  bool unique_in_agent = false;
  bool time_of_file = false;
  bool local_time = false;
  Condition subagent;
};

// Files of one format.
struct SourceRule {
  std::vector<std::string> roots;  // as written
  std::vector<std::string> files;  // patterns below a root
  std::vector<std::string> excepted;
  SourceFormat format = SourceFormat::jsonl;
  std::vector<std::string> session_queries, row_queries;
  std::string key;    // column that names a row in its session
  std::string order;  // column by which the rows of several queries are merged
  Term sessions;      // in a document or a row: where its sessions are; empty: it is one
  Term records;       // in a session: its records; empty: it is one, or its rows are
  bool each_names_session = false;
  SessionTerms session;
  RecordTerms record;
  std::vector<Rule> rules;
};

struct Description {
  std::string key;
  std::string name;
  std::string light, dark;  // colours; empty: derived from the key
  AdapterDescription adapter;
  std::map<std::string, FileAccess, std::less<>> tools;
  std::vector<SourceRule> sources;
  std::string where;  // file and line, for messages
};

// Reads a description. `file`: its name in messages. Errc::bad_config names file, line and key, and what to do.
Result<Description> parse_description(std::string_view yaml, const std::string& file);
// Returns the roots of a good description whose sources begin with them, as those of a built-in agent do. It takes a
// tenth of the time.
std::vector<std::string> roots_in(std::string_view yaml, const std::string& file);
// Reads one that is part of another document. Throws ErrorException.
Description read_description(const YAML::Node& node, const std::string& file);

}  // namespace memd::described
