#include "store/text/exit_status.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/command_purpose.hpp"
#include "schemas/shell_script.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

namespace memd {
namespace {

using NodeKind = ShellNode::Kind;
using Joint = ShellNode::Joint;
using When = PrintedStatus::When;

constexpr StatusBearing kHidden{true, false, false};
constexpr int kDeepestScript = 8;  // scripts within scripts

std::string_view program_name(std::string_view word) { return word.substr(word.rfind('/') + 1); }

std::string_view program_in(const ShellNode& node) {
  return node.kind == NodeKind::command && !node.words.empty() ? program_name(node.words.front()) : std::string_view();
}

bool is_print(const ShellNode& node) {
  const auto program = program_in(node);
  return program == "echo" || program == "printf" || program == "Write-Output" || program == "Write-Host";
}

// Returns whether the command cannot fail, so that a failure of a chain is another's.
bool never_fails(const ShellNode& node) {
  return is_print(node) || program_in(node) == "true" || program_in(node) == ":";
}

// Returns whether the command fails whatever happened before: `exit 1`, `false`.
bool always_fails(const ShellNode& node) {
  if (node.kind == NodeKind::group) {
    const auto& parts = node.parts.front().parts;
    return !parts.empty() && always_fails(parts.back());
  }
  const auto program = program_in(node);
  if (program == "false") return true;
  if (program != "exit" && program != "return") return false;
  return node.words.size() > 1 && node.words[1] != "0";
}

class Evaluation {
 public:
  Evaluation(CommandPurpose purpose, LineStatus& out) : purpose_(purpose), out_(out) {}

  StatusBearing of(const ShellNode& node) {
    switch (node.kind) {
      case NodeKind::command: return of_command(node);
      case NodeKind::pipeline: return of_pipeline(node);
      case NodeKind::chain: return of_chain(node);
      case NodeKind::sequence: return of_sequence(node);
      case NodeKind::group: return of_sequence(node.parts.front());
      case NodeKind::branch: return of_branch(node);
      case NodeKind::loop: break;
    }
    StatusBearing out;
    for (const ShellNode& part : node.parts)
      out.covers |= of(part).covers;
    return out.covers ? kHidden : out;
  }

 private:
  struct Shell {
    bool pipefail = false;
    bool errexit = false;
    StatusBearing last;                 // `$?`
    std::vector<StatusBearing> stages;  // PIPESTATUS
    std::map<std::string, StatusBearing, std::less<>> variables;
  };

  StatusBearing of_command(const ShellNode& node) {
    const std::string script = script_within(node.words);
    if (!script.empty() && depth_ < kDeepestScript) {
      Shell outer = std::exchange(shell_, {});
      for (const auto word : node.words) {
        shell_.pipefail |= word == "pipefail";
        shell_.errexit |= word.size() > 2 && word.starts_with('-') && !word.starts_with("--") &&
                          word.find('e') != std::string_view::npos && word.ends_with('c');
      }
      ++depth_;
      const StatusBearing inner = of(read_shell_script(script));
      --depth_;
      shell_ = std::move(outer);
      return inner;
    }
    if (program_in(node) == "set") read_options(node);
    if (is_print(node)) note_printed(node, When::always, {});
    StatusBearing out;
    out.covers = purpose_of(node.words) == purpose_;
    return out;
  }

  void read_options(const ShellNode& node) {
    for (std::size_t i = 1; i < node.words.size(); ++i) {
      const auto word = node.words[i];
      if (word == "pipefail") shell_.pipefail = node.words[i - 1].starts_with('-');
      if (word.starts_with('-') && word.find('e') != std::string_view::npos) shell_.errexit = true;
      if (word == "+e") shell_.errexit = false;
    }
  }

  StatusBearing of_pipeline(const ShellNode& node) {
    std::vector<StatusBearing> stages;
    for (const ShellNode& part : node.parts)
      stages.push_back(of(part));
    StatusBearing out = stages.back();
    for (std::size_t i = 0; i + 1 < stages.size(); ++i) {
      if (!stages[i].covers) continue;
      for (std::size_t behind = i + 1; behind < node.parts.size(); ++behind)
        out_.end_is_cut |= cuts_end(node.parts[behind]);
      if (!shell_.pipefail) {
        out = kHidden;
        continue;
      }
      const bool plain = std::none_of(node.parts.begin() + static_cast<std::ptrdiff_t>(i) + 1, node.parts.end(),
                                      [](const ShellNode& p) { return answers_by_status(p.words) || cuts_end(p); });
      out = both(out, {true, stages[i].zero_passes, stages[i].nonzero_fails && plain});
    }
    if (node.negated && out.covers) out = kHidden;
    shell_.stages = std::move(stages);
    return out;
  }

  // Returns whether a filter shows the beginning, or lines that need not include those of a failure.
  static bool cuts_end(const ShellNode& filter) {
    const auto program = program_in(filter);
    if (program == "head" || program == "less" || program == "more") return true;
    if (program == "sed") return std::find(filter.words.begin(), filter.words.end(), "-n") != filter.words.end();
    if (program != "grep" && program != "rg" && program != "egrep" && program != "awk" && program != "Select-String")
      return false;
    return std::none_of(filter.words.begin() + 1, filter.words.end(), [](std::string_view word) {
      const bool inverse = word.starts_with('-') && !word.starts_with("--") && word.find('v') != std::string_view::npos;
      return inverse || word == "--invert-match" || ascii::lowered(word).find("fail") != std::string::npos;
    });
  }

  // The status of `a && part`, or of `a; part` under `set -e`: a failure may be that of `part`.
  static StatusBearing with_next(const StatusBearing& a, const ShellNode& part, const StatusBearing& b) {
    StatusBearing out = both(a, b);
    if (a.covers && !b.covers && !never_fails(part)) out.nonzero_fails = false;
    return out;
  }

  static StatusBearing both(const StatusBearing& a, const StatusBearing& b) {
    if (!a.covers || !b.covers) return a.covers ? a : b;
    return {true, a.zero_passes && b.zero_passes, a.nonzero_fails && b.nonzero_fails};
  }

  StatusBearing of_chain(const ShellNode& node) {
    StatusBearing out = of(node.parts.front());
    bool answers = answers_by_status(node.parts.front().words);
    for (std::size_t i = 1; i < node.parts.size(); ++i) {
      const ShellNode& part = node.parts[i];
      shell_.last = out;
      const bool and_then = part.joint == Joint::and_then;
      if (is_print(part)) {
        note_printed(part, and_then ? When::zero : When::nonzero, out);
        if (!and_then && out.covers) out.zero_passes = out.nonzero_fails = false;
        continue;
      }
      note_printed_within(part, and_then ? When::zero : When::nonzero, out);
      const StatusBearing next = of(part);
      if (and_then) {
        const bool covered = out.covers;
        out = with_next(out, part, next);
        if (!covered && answers) out.nonzero_fails = false;
        answers = answers || answers_by_status(part.words);
      } else if (!(out.covers && !next.covers && always_fails(part))) {
        const bool tried_again = out.covers && next.covers;
        const bool fails = out.nonzero_fails && next.nonzero_fails;
        if (out.covers || next.covers) out = {true, tried_again && out.zero_passes && next.zero_passes, fails};
      }
    }
    return out;
  }

  StatusBearing of_sequence(const ShellNode& node) {
    StatusBearing out;
    for (const ShellNode& part : node.parts) {
      shell_.stages.clear();
      if (const auto kept = kept_status(part)) {
        out = *kept;
        continue;
      }
      keep_in_variable(part);
      StatusBearing next = of(part);
      if (part.in_background && next.covers) next = kHidden;
      shell_.last = next;
      if (part.kind != NodeKind::pipeline) shell_.stages = {next};
      last_stages_ = shell_.stages;
      if (shell_.errexit)
        out = with_next(out, part, next);
      else if (out.covers)
        out = {true, false, next.covers && next.nonzero_fails};
      else
        out = next;
    }
    return out;
  }

  StatusBearing of_branch(const ShellNode& node) {
    const StatusBearing condition = of(node.parts.front());
    bool covers = condition.covers;
    for (std::size_t i = 1; i < node.parts.size(); ++i) {
      if (node.parts.size() <= 3)
        for (const ShellNode& part : node.parts[i].parts)
          if (is_print(part)) note_printed(part, i == 1 ? When::zero : When::nonzero, condition);
      covers |= of(node.parts[i]).covers;
    }
    return covers ? kHidden : StatusBearing{};
  }

  // `{ echo BAD; exit 1; }` behind `||`.
  void note_printed_within(const ShellNode& group, When when, const StatusBearing& bearing) {
    if (group.kind != NodeKind::group) return;
    for (const ShellNode& part : group.parts.front().parts)
      if (is_print(part)) note_printed(part, when, bearing);
  }

  // Returns the bearing of the status that a word names: `$?`, `${PIPESTATUS[0]}`, `$rc`.
  std::optional<StatusBearing> status_named(std::string_view name) const {
    if (name == "?" || name == "status") return shell_.last;
    const auto bracket = name.find('[');
    const std::string array = ascii::lowered(name.substr(0, bracket));
    if (array == "pipestatus" || name == "LASTEXITCODE") {
      std::size_t index = 0;
      if (bracket != std::string_view::npos)
        std::from_chars(name.data() + bracket + 1, name.data() + name.size(), index);
      if (bracket != std::string_view::npos && name.starts_with('p') && index > 0)
        --index;  // zsh and fish count from 1
      return index < last_stages_.size() ? std::optional(last_stages_[index]) : std::nullopt;
    }
    const auto found = shell_.variables.find(name);
    return found == shell_.variables.end() ? std::nullopt : std::optional(found->second);
  }

  // A reference to a status in a text: "EXIT=$?".
  struct Reference {
    std::size_t begin = 0;
    std::size_t end = 0;
    StatusBearing bearing;
  };

  std::optional<Reference> reference_in(std::string_view text) const {
    for (auto at = text.find('$'); at != std::string_view::npos; at = text.find('$', at + 1)) {
      std::size_t end = at + 1;
      std::string_view name;
      if (text.substr(end).starts_with("{")) {
        const auto close = std::min(text.find("}", end), text.size());
        name = text.substr(end + 1, close - end - 1);
        end = std::min(close + 1, text.size());
      } else if (text.substr(end).starts_with('?')) {
        name = text.substr(end++, 1);
      } else {
        while (end < text.size() && ascii::is_word(text[end]))
          ++end;
        name = text.substr(at + 1, end - at - 1);
        if (ascii::lowered(name) == "pipestatus" && text.substr(end).starts_with('[')) {
          end = std::min(text.find(']', end), text.size() - 1) + 1;
          name = text.substr(at + 1, end - at - 1);
        }
      }
      if (const auto bearing = status_named(name)) return Reference{at, end, *bearing};
    }
    return std::nullopt;
  }

  void keep_in_variable(const ShellNode& part) {
    if (part.kind != NodeKind::command || part.words.size() != 1) return;
    const auto word = part.words.front();
    const auto equals = word.find('=');
    if (equals == std::string_view::npos) return;
    if (const auto kept = reference_in(word.substr(equals + 1)))
      shell_.variables.insert_or_assign(std::string(word.substr(0, equals)), kept->bearing);
  }

  // Returns the status that the part hands on: `exit $?`, `(exit $rc)`, `[ $rc -eq 0 ]`.
  std::optional<StatusBearing> kept_status(const ShellNode& part) const {
    if (part.kind == NodeKind::group && part.parts.front().parts.size() == 1)
      return kept_status(part.parts.front().parts.front());
    const auto program = program_in(part);
    if ((program == "exit" || program == "return") && part.words.size() == 1) return shell_.last;
    if (program != "exit" && program != "return" && program != "[" && program != "test") return std::nullopt;
    if (part.words.size() < 2) return std::nullopt;
    const auto found = reference_in(part.words[1]);
    if (!found) return std::nullopt;
    const bool compares = program == "[" || program == "test";
    if (compares && (part.words.size() < 4 || (part.words[2] != "-eq" && part.words[2] != "=") || part.words[3] != "0"))
      return std::nullopt;
    return found->bearing;
  }

  void note_printed(const ShellNode& print, When when, const StatusBearing& of_chain) {
    std::string text;
    const bool format = program_in(print) == "printf" && print.words.size() > 1;
    if (format) text = unquoted(print.words[1]);
    for (std::size_t i = format ? 2 : 1; i < print.words.size(); ++i) {
      if (i == 1 && (print.words[i] == "-n" || print.words[i] == "-e" || print.words[i] == "-ne")) continue;
      const std::string word = unquoted(print.words[i]);
      if (const auto place = text.find('%'); format) {
        if (place != std::string::npos) text.replace(place, 2, word);
        continue;
      }
      if (!text.empty()) text += ' ';
      text += word;
    }
    if (text.ends_with("\\n")) text.resize(text.size() - 2);
    if (const auto line_break = text.rfind("\\n"); line_break != std::string::npos) text.erase(0, line_break + 2);
    if (const auto reference = reference_in(text)) {
      if (!reference->bearing.covers) return;
      PrintedStatus printed{When::always, text.substr(0, reference->begin), text.substr(reference->end),
                            reference->bearing};
      out_.printed.push_back(std::move(printed));
    } else if (when != When::always && of_chain.covers && !text.empty() && text.find('$') == std::string::npos) {
      out_.printed.push_back({when, std::move(text), {}, of_chain});
    }
  }

  CommandPurpose purpose_;
  LineStatus& out_;
  Shell shell_;
  std::vector<StatusBearing> last_stages_;
  int depth_ = 0;
};

}  // namespace

LineStatus read_line_status(std::string_view line, CommandPurpose purpose) {
  LineStatus out;
  out.exit = Evaluation(purpose, out).of(read_shell_script(line));
  return out;
}

}  // namespace memd
