#pragma once

#include "schemas/enrichment.hpp"
#include "schemas/event.hpp"
#include "schemas/event_batch.hpp"
#include "schemas/platform.hpp"
#include "schemas/source.hpp"
#include "schemas/tool_facts.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// SQL that names stored enumerators and flags as C++ does:
//
//   db.prepare(sql_text("SELECT seq FROM events WHERE kind = EventKind::edit AND flags & kFlagPlanned = 0"))
//
// The compiler replaces each name by its number, so that SQLite can use partial indexes. A name that is not in the
// table below does not compile.
namespace memd {

namespace sql_names {

struct Name {
  std::string_view name;
  std::int64_t value;
};

#define MEMD_SQL_NAME(enumerator) \
  Name { #enumerator, static_cast < std::int64_t>(enumerator) }
inline constexpr Name kAll[] = {
    MEMD_SQL_NAME(EventKind::user_msg),
    MEMD_SQL_NAME(EventKind::assistant_msg),
    MEMD_SQL_NAME(EventKind::thinking),
    MEMD_SQL_NAME(EventKind::tool_call),
    MEMD_SQL_NAME(EventKind::tool_result),
    MEMD_SQL_NAME(EventKind::error),
    MEMD_SQL_NAME(EventKind::test_run),
    MEMD_SQL_NAME(EventKind::edit),
    MEMD_SQL_NAME(EventKind::retry),
    MEMD_SQL_NAME(EventKind::human_intervention),
    MEMD_SQL_NAME(EventKind::decision),
    MEMD_SQL_NAME(EventKind::lifecycle),
    MEMD_SQL_NAME(Origin::command),
    MEMD_SQL_NAME(Origin::plan),
    MEMD_SQL_NAME(Origin::queued),
    MEMD_SQL_NAME(Origin::injected),
    MEMD_SQL_NAME(Origin::history),
    MEMD_SQL_NAME(FileAccess::read),
    MEMD_SQL_NAME(FileAccess::modified),
    MEMD_SQL_NAME(FileAccess::referenced),
    MEMD_SQL_NAME(SessionKind::main),
    MEMD_SQL_NAME(SessionKind::subagent),
    MEMD_SQL_NAME(SessionState::started),
    MEMD_SQL_NAME(SessionState::active),
    MEMD_SQL_NAME(SessionState::stopped),
    MEMD_SQL_NAME(SessionState::capture_disabled),
    MEMD_SQL_NAME(SourceState::active),
    MEMD_SQL_NAME(SourceState::gone),
    MEMD_SQL_NAME(SourceState::unreachable),
    MEMD_SQL_NAME(SourceState::quarantined),
    MEMD_SQL_NAME(Disposition::indexed),
    MEMD_SQL_NAME(DataCompleteness::metadata_only),
    MEMD_SQL_NAME(Disposition::skipped),
    MEMD_SQL_NAME(Disposition::unknown),
    MEMD_SQL_NAME(Severity::warning),
    MEMD_SQL_NAME(Severity::error),
    MEMD_SQL_NAME(CommandPurpose::other),
    MEMD_SQL_NAME(CommandPurpose::test),
    MEMD_SQL_NAME(CommandPurpose::build),
    MEMD_SQL_NAME(kFlagError),
    MEMD_SQL_NAME(kFlagSidechain),
    MEMD_SQL_NAME(kFlagTest),
    MEMD_SQL_NAME(kFlagSuperseded),
    MEMD_SQL_NAME(kFlagEcho),
    MEMD_SQL_NAME(kFlagStartsExchange),
    MEMD_SQL_NAME(kFlagModifies),
    MEMD_SQL_NAME(kFlagDerived),
    MEMD_SQL_NAME(kFlagTimeEstimated),
    MEMD_SQL_NAME(kFlagPlanned),
    MEMD_SQL_NAME(kFlagRoot),
    MEMD_SQL_NAME(kFlagGone),
    MEMD_SQL_NAME(kItemStartsExchange),
    MEMD_SQL_NAME(kItemGone),
    MEMD_SQL_NAME(kMissingTerms),
    MEMD_SQL_NAME(kMissingVectors),
};
#undef MEMD_SQL_NAME

// Not constexpr: a call during compilation is an error, in which the compiler shows the unknown name's place.
void unknown_name_in_sql();

constexpr bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
}

constexpr bool is_constant(std::string_view word) {  // kFlagError, but not "kind"
  return word.size() > 1 && word[0] == 'k' && word[1] >= 'A' && word[1] <= 'Z';
}

}  // namespace sql_names

// SQL with the names replaced. Owns its text. `Size` is the size of the literal, which is enough because names are
// longer than their numbers.
template <std::size_t Size>
class SqlText {
 public:
  consteval explicit SqlText(const char (&literal)[Size]) {
    std::size_t at = 0;
    while (at + 1 < Size) {
      std::size_t end = at;
      while (end + 1 < Size && sql_names::is_word(literal[end]))
        ++end;
      const std::string_view word(literal + at, end - at);
      if (word.find("::") != std::string_view::npos || sql_names::is_constant(word))
        append_number(word);
      else if (end == at)
        text_[size_++] = literal[end++];
      else
        for (const char c : word)
          text_[size_++] = c;
      at = end;
    }
  }

  constexpr std::string_view view() const { return {text_, size_}; }
  constexpr operator std::string_view() const { return view(); }  // NOLINT(google-explicit-constructor)
  std::string str() const { return std::string(view()); }

 private:
  consteval void append_number(std::string_view word) {
    for (const sql_names::Name& known : sql_names::kAll) {
      if (known.name != word) continue;
      char digits[20] = {};
      std::size_t count = 0;
      for (std::int64_t left = known.value; left > 0 || count == 0; left /= 10)
        digits[count++] = static_cast<char>('0' + left % 10);
      while (count > 0)
        text_[size_++] = digits[--count];
      return;
    }
    sql_names::unknown_name_in_sql();
  }

  char text_[Size] = {};
  std::size_t size_ = 0;
};

// Converts a literal. Keep the result in a constant, or pass it to Database::prepare(), which copies it.
template <std::size_t Size>
consteval SqlText<Size> sql_text(const char (&literal)[Size]) {
  return SqlText<Size>(literal);
}

}  // namespace memd
