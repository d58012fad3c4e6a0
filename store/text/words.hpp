#pragma once

#include "schemas/base/word_lists.hpp"

#include <cstdint>
#include <string_view>

namespace memd {

// Classes of words. Each is a list with the same name in the data files in store/text/words.
enum class WordClass : std::uint8_t {
  // The role of a word in a topic. A word in no list is informative.
  stop,    // has no subject in any context
  border,  // no topic spans it; a query may contain it
  verb,    // no topic spans it except in code: `git rebase --continue`
  filler,  // only between or after informative words: "file", "value"
  common,  // informative only beside another such word: "merge conflict", "failing test"
  // Words with a grammatical role.
  pale,           // as uninformative as a stop word
  abbreviation,   // its full stop does not end a sentence
  before_date,    // a date may follow
  adjective_end,  // ending of an adjective
  particle,       // attached to a noun without a blank
  ending,         // ending of a word that is no name
  // Times in languages other than English.
  today,
  yesterday,
  day_before_yesterday,
  this_week,
  last_week,
  this_month,
  last_month,
  last_year,
  // Endings after the last dot of a name.
  file_ending,  // of a file of a project
  name_ending,  // of a file or a host; no code name ends so
  // Code names that are not specific to a project.
  standard_module,  // the part before the first dot or the first two colons
  standard_name,    // the whole name
  unit,             // follows a number and names its unit
  // Programs of a command line.
  subcommand,     // the next word is their subcommand
  no_program,     // shell keywords, and programs without an effect
  tells_end,      // prints the exit status of the previous command
  output_filter,  // filters an output
  housekeeping,   // not worth listing for a resumption
  look,           // only displays something
  checks,         // a program or task with this word in its name checks the work
  program,        // other programs with options, so that a "-" word after them is a flag
  // Secrets.
  password_name,        // a name with this ending holds a password
  short_password_name,  // likewise, if the ending starts a word of the name
  key_name,             // a name with this ending holds a key
  maybe_key_name,       // likewise, if its value does not look like something else
  query_key_name,       // a query parameter of a URL that holds a key
  phrase_name,          // a name with this ending holds a seed phrase
  pin_name,             // likewise: some digits
  card_name,            // likewise: the number of a payment card
  service_name,         // a service that hands out keys
  harmless_name,        // a name with this ending holds no secret, overriding the other lists
  harmless_key_name,    // a name with this ending holds random text that is no secret: an id, a hash
  harmless_call,        // a function with this ending takes such text
  value_name,           // in a pair of a name and a value: what the value is called
  naming_name,          // likewise: what the name is called
  setting_word,         // the word behind it is a name, and then comes its value
  placeholder,          // a value with this prefix is a placeholder, unless random text follows
  placeholder_part,     // a value that contains this is a placeholder
  // Titles of sessions.
  empty_title,  // a title with this prefix is uninformative
  empty_line,   // a prompt's first line with this prefix is uninformative
  title_lead,   // a title's first words that say nothing, without their colon
  // What hooks tell.
  denial,       // turns what a rule says round
  check,        // a rule about checks, which agents are told more often
  plain_error,  // part of an error's line that says itself how to mend it
};

// Returns a list of the built-in data files. Thread-safe.
const WordList& words(WordClass of);

// Returns whether the word carries no subject: English and Russian stop words (from Snowball's list), and question
// words in Chinese, Japanese and Korean. A query ignores them if it has other words. ASCII letters must be in lower
// case.
bool is_stop_word(std::string_view word);

}  // namespace memd
