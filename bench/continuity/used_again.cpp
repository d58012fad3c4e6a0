#include "bench/continuity/used_again.hpp"

#include "bench/continuity/code_terms.hpp"
#include "schemas/ascii.hpp"
#include "store/text/text_units.hpp"
#include "store/text/words.hpp"

#include <algorithm>
#include <array>

namespace memd::bench {
namespace {

// Whether an argument holds words of the agent, as opposed to content that it writes into files.
bool is_spoken(std::string_view argument) {
  constexpr std::array<std::string_view, 6> kSpoken{"command", "pattern", "query", "description", "prompt", "url"};
  return std::find(kSpoken.begin(), kSpoken.end(), argument) != kSpoken.end();
}

const std::string* touched_file(const ToolUse& use) {
  const std::string* file = use.input("file_path");
  return file != nullptr ? file : use.input("notebook_path");
}

const std::string* shell_command(const ToolUse& use) { return use.tool == "Bash" ? use.input("command") : nullptr; }

// The items that a tool call touches.
struct Touched {
  Terms files;
  Terms heads;
  std::string command;
};

Touched read_use(const ToolUse& use) {
  Touched out;
  if (const std::string* file = touched_file(use)) out.files.insert(*file);
  if (const std::string* command = shell_command(use)) {
    add_paths(std::string_view(*command).substr(0, command->find("<<")), out.files);
    out.heads = command_heads(*command);
    out.command = normal_command(*command);
  }
  return out;
}

void count(std::map<std::string, Use>& uses, const std::string& item, std::size_t record) {
  Use& use = uses[item];
  ++use.count;
  use.last = record;
}

void add_spoken(const TranscriptRecord& record, Terms& out) {
  for (const std::string& text : record.texts)
    add_identifiers(text, out);
  for (const ToolUse& use : record.uses)
    for (const ToolInput& input : use.inputs)
      if (is_spoken(input.name)) add_identifiers(input.value, out);
}

void add_all_inputs(const TranscriptRecord& record, Terms& out) {
  for (const ToolUse& use : record.uses)
    for (const ToolInput& input : use.inputs)
      add_identifiers(input.value, out);
}

void put(const Terms& used, const Terms& known, std::vector<std::string>& out) {
  std::set_intersection(used.begin(), used.end(), known.begin(), known.end(), std::back_inserter(out));
}

// Adds absolute paths first, so that a relative path is resolved to its file regardless of the order of mention.
void add_absolute_files(const Transcript& transcript, std::size_t before, FileNames& files) {
  for (std::size_t i = 0; i < before; ++i) {
    if (transcript.records[i].kind != RecordKind::assistant) continue;
    for (const ToolUse& use : transcript.records[i].uses)
      for (const std::string& file : read_use(use).files)
        if (file.starts_with('/')) files.add(file);
  }
}

}  // namespace

Known read_known(const Transcript& transcript, std::size_t before) {
  Known known;
  add_absolute_files(transcript, before, known.files);
  for (std::size_t i = 0; i < before; ++i) {
    const TranscriptRecord& r = transcript.records[i];
    for (const std::string& text : r.texts) {
      add_identifiers(text, known.identifiers);
      if (!r.human) continue;
      for (Constraint& c : find_constraints(text))
        known.constraints.push_back(std::move(c));
    }
    for (const std::string& result : r.results)
      add_identifiers(result, known.identifiers);
    add_all_inputs(r, known.identifiers);
    if (r.kind != RecordKind::assistant) continue;
    Terms used;
    add_spoken(r, used);
    add_all_inputs(r, used);
    for (const std::string& term : used)
      count(known.uses, term, i);
    for (const ToolUse& use : r.uses) {
      const Touched touched = read_use(use);
      for (const std::string& file : touched.files) {
        known.files.add(known.files.canonical(file));
        count(known.uses, known.files.canonical(file), i);
      }
      known.heads.insert(touched.heads.begin(), touched.heads.end());
      if (touched.command.empty()) continue;
      known.commands.insert(touched.command);
      count(known.uses, touched.command, i);
    }
  }
  return known;
}

Items used_again(const Transcript& transcript, const std::vector<std::size_t>& next, const Known& known) {
  Terms files;
  Terms spoken;
  Terms heads;
  Terms commands;
  std::string talk;
  for (const std::size_t i : next) {
    const TranscriptRecord& r = transcript.records[i];
    for (const std::string& text : r.texts)
      talk += text + "\n\n";
    if (r.kind != RecordKind::assistant) continue;
    add_spoken(r, spoken);
    for (const ToolUse& use : r.uses) {
      const Touched touched = read_use(use);
      for (const std::string& file : touched.files)
        files.insert(known.files.canonical(file));
      heads.insert(touched.heads.begin(), touched.heads.end());
      if (!touched.command.empty()) commands.insert(touched.command);
    }
  }
  Terms all = spoken;
  for (const std::size_t i : next)
    if (transcript.records[i].kind == RecordKind::assistant) add_all_inputs(transcript.records[i], all);

  Items out;
  const auto of = [&](ItemKind kind) -> std::vector<std::string>& { return out[static_cast<std::size_t>(kind)]; };
  put(files, known.files.paths(), of(ItemKind::file));
  put(spoken, known.identifiers, of(ItemKind::identifier));
  put(all, known.identifiers, of(ItemKind::edited_identifier));
  put(heads, known.heads, of(ItemKind::command_head));
  put(commands, known.commands, of(ItemKind::command));
  Terms restated;
  for (const Constraint& c : known.constraints)
    if (!restated.contains(c.sentence) && restates(talk, c)) restated.insert(c.sentence);
  of(ItemKind::constraint).assign(restated.begin(), restated.end());
  return out;
}

Terms unknown_before(const Transcript& transcript, const std::vector<std::size_t>& next, std::string_view before) {
  Terms used;
  for (const std::size_t i : next) {
    if (transcript.records[i].kind != RecordKind::assistant) continue;
    add_spoken(transcript.records[i], used);
    add_all_inputs(transcript.records[i], used);
  }
  std::erase_if(used, [&](const std::string& term) { return before.find(term) != std::string_view::npos; });
  return used;
}

namespace {

constexpr std::size_t kStem = 5;
constexpr std::size_t kFewestWords = 3;
constexpr std::size_t kMostWords = 40;

constexpr std::array<std::string_view, 28> kCues{
    " don't ",    " dont ",      " do not ", " never ",   " always ",    " must ",    " only ",
    " instead ",  " make sure ", " ensure ", " should ",  " shouldn't ", " without ", " avoid ",
    " keep ",     " prefer ",    " use ",    " no need ", " not ",       " rather ",  " need to ",
    " needs to ", " have to ",   " i want ", " i don't ", " please ",    " we want ", " can't "};

bool has_cue(std::string_view sentence) {
  std::string lower = " ";
  for (const char c : sentence)
    lower += ascii::is_alnum(c) || c == '\'' ? ascii::lower(c) : ' ';
  lower += ' ';
  return std::any_of(kCues.begin(), kCues.end(),
                     [&](std::string_view cue) { return lower.find(cue) != std::string::npos; });
}

}  // namespace

std::set<std::string> subject_words(std::string_view text) {
  std::set<std::string> out;
  std::string word;
  const auto finish = [&] {
    if (word.size() > 2 && !is_stop_word(word)) out.insert(word.substr(0, kStem));
    word.clear();
  };
  for (const char c : text) {
    if (ascii::is_alnum(c) || ascii::is_non_ascii(c))
      word += ascii::lower(c);
    else if (c != '\'')
      finish();
  }
  finish();
  return out;
}

bool covers(const std::set<std::string>& words, const std::set<std::string>& wanted) {
  const auto shared = static_cast<std::size_t>(
      std::count_if(wanted.begin(), wanted.end(), [&](const std::string& w) { return words.contains(w); }));
  return shared >= kFewestWords && shared * 10 >= wanted.size() * 6;
}

std::vector<std::set<std::string>> said_in(const Transcript& transcript, const std::vector<std::size_t>& records) {
  std::vector<std::set<std::string>> out;
  const auto read = [&](std::string_view text) {
    for (const TextUnit& unit : split_units(text))
      if (unit.kind != UnitKind::code) out.push_back(subject_words(unit.text));
  };
  for (const std::size_t i : records) {
    for (const std::string& text : transcript.records[i].texts)
      read(text);
    for (const ToolUse& use : transcript.records[i].uses)
      for (const ToolInput& input : use.inputs)
        if (is_spoken(input.name)) read(input.value);
  }
  return out;
}

std::vector<Constraint> find_constraints(std::string_view prompt) {
  std::vector<Constraint> out;
  for (const TextUnit& unit : split_units(prompt)) {
    if (unit.kind != UnitKind::sentence && unit.kind != UnitKind::bullet) continue;
    Constraint c{ascii::one_line(unit.text), subject_words(unit.text)};
    if (c.words.size() >= kFewestWords && c.words.size() <= kMostWords && has_cue(c.sentence))
      out.push_back(std::move(c));
  }
  return out;
}

bool restates(std::string_view text, const Constraint& constraint) {
  for (const TextUnit& unit : split_units(text))
    if (unit.kind != UnitKind::code && covers(subject_words(unit.text), constraint.words)) return true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (covers(subject_words(text.substr(at, end - at)), constraint.words)) return true;
    at = end + 1;
  }
  return false;
}

namespace {

bool ends_with_components(std::string_view path, std::string_view end) {
  return path == end || (path.ends_with(end) && path[path.size() - end.size() - 1] == '/');
}

bool goes_on(char c) { return ascii::is_word(c) || c == '-'; }

// Returns the first position from `from` on where `part` stands by itself; npos: none. A directory may precede it.
std::size_t find_path(std::string_view text, std::string_view part, std::size_t from) {
  for (auto at = text.find(part, from); at != std::string_view::npos; at = text.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    const bool before = at == 0 || !(goes_on(text[at - 1]) || text[at - 1] == '.');
    // "main.go." ends a sentence, "main.go.orig" is another file
    const bool behind = end >= text.size() ||
                        !(goes_on(text[end]) || (text[end] == '.' && end + 1 < text.size() && goes_on(text[end + 1])));
    if (before && behind) return at;
  }
  return std::string_view::npos;
}

}  // namespace

std::string FileNames::canonical(std::string_view path) const {
  if (paths_.contains(std::string(path))) return std::string(path);
  const bool absolute = path.starts_with('/');
  const std::string* only = nullptr;
  for (const std::string& known : paths_) {
    const bool same =
        absolute ? !known.starts_with('/') && ends_with_components(path, known) : ends_with_components(known, path);
    if (!same) continue;
    if (only != nullptr) return std::string(path);
    only = &known;
  }
  return only != nullptr ? *only : std::string(path);
}

std::string FileNames::telling_end(std::string_view path) const {
  for (auto slash = path.rfind('/'); slash != std::string_view::npos && slash > 0; slash = path.rfind('/', slash - 1)) {
    const std::string_view end = path.substr(slash + 1);
    const bool shared = std::any_of(paths_.begin(), paths_.end(), [&](const std::string& known) {
      return known != path && ends_with_components(known, end);
    });
    if (!shared) return std::string(end);
  }
  return std::string(path);
}

bool FileNames::named_in(std::string_view text, std::string_view path) const {
  const std::string end = telling_end(path);
  if (find_path(text, end, 0) != std::string_view::npos) return true;
  const auto slash = end.rfind('/');
  if (slash == std::string::npos || slash == 0) return false;
  const std::string directory = end.substr(0, slash);
  const std::string name = end.substr(slash + 1);
  for (auto at = find_path(text, directory, 0); at != std::string_view::npos; at = find_path(text, directory, at + 1)) {
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    if (find_path(line, name, directory.size()) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace memd::bench
