#pragma once

#include "schemas/word_lists.hpp"

#include <cstdint>
#include <string_view>

namespace memd {

// What words are known as. Each is a list of the data files in store/text/words, by the same name.
enum class WordClass : std::uint8_t {
  // What a word can do for a topic. A word that is in no list tells something.
  stop,    // carries no subject, whatever it stands in
  border,  // no topic goes across it; a query may ask for it
  verb,    // no topic goes across it except in code: `git rebase --continue`
  filler,  // only between or behind words that tell something: "file", "value"
  common,  // tells something only beside another such word: "merge conflict", "failing test"
  // How words of a language are read.
  pale,           // tells nothing of what a text is about, as a stop word does
  abbreviation,   // its full stop ends no sentence
  before_date,    // what follows may be a date
  adjective_end,  // a word that ends so is an adjective
  particle,       // is written behind a noun, without a blank
  ending,         // a word that ends so names nothing
  // When something was, in other languages than English.
  today,
  yesterday,
  day_before_yesterday,
  this_week,
  last_week,
  this_month,
  last_month,
  last_year,
  // Behind the last dot of a name.
  file_ending,  // of a file of a project
  name_ending,  // of a file or a host: no name of code ends so
  // Names of code that tell nothing of a project.
  standard_module,  // what stands in front of the first dot or the first two colons
  standard_name,    // the whole name
  unit,             // behind a number: what it counts
  // Programs of a command line.
  subcommand,     // the word behind them tells what they do
  no_program,     // words of the shell, and what does no work
  tells_end,      // how the command before ended
  output_filter,  // shows less of an output
  housekeeping,   // needs no telling to be run again
  look,           // shows something, once
  program,        // others that take options: what begins with "-" behind their name is one
  // Secrets.
  password_name,        // a name that ends so holds a password
  short_password_name,  // the same, if a word of the name begins there
  key_name,             // a name that ends so holds a key
  maybe_key_name,       // the same, if its value looks like nothing else
  query_key_name,       // holds a key in the query of a URL
  harmless_name,        // a name that ends so holds no secret, whatever the other lists say
  placeholder,          // a value that begins so stands for one, unless what follows is random
  placeholder_part,     // a value that holds this stands for one
  // Titles of sessions.
  empty_title,  // what begins so tells nothing
  empty_line,   // the first line of a prompt that begins so tells nothing
};

// Of the data files that are part of the program. Every thread may ask.
const WordList& words(WordClass of);

// Whether the word carries no subject: English words, Russian ones (of Snowball's list), and what questions are asked
// with in Chinese, Japanese and Korean. A query leaves them out if it has others. ASCII letters are in lower case.
bool is_stop_word(std::string_view word);

}  // namespace memd
