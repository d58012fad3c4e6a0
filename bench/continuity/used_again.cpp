#include "bench/continuity/used_again.hpp"

#include <algorithm>

namespace memd::bench {
namespace {

// Arguments that hold what an agent says, not what it writes into files.
bool is_spoken(std::string_view argument) {
  constexpr std::array<std::string_view, 6> kSpoken{"command", "pattern", "query", "description", "prompt", "url"};
  return std::find(kSpoken.begin(), kSpoken.end(), argument) != kSpoken.end();
}

const std::string* touched_file(const ToolUse& use) {
  const std::string* file = use.input("file_path");
  return file != nullptr ? file : use.input("notebook_path");
}

const std::string* shell_command(const ToolUse& use) { return use.tool == "Bash" ? use.input("command") : nullptr; }

// What a tool call touches.
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

// Absolute paths come first, so that a relative one finds the file it is, whichever was named earlier.
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

}  // namespace memd::bench
