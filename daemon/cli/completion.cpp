#include "daemon/cli/completion.hpp"

#include "daemon/cli/asking.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/tools/list_sessions.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/harmless.hpp"
#include "schemas/platform.hpp"

#include <algorithm>
#include <iostream>
#include <memory>

namespace memd::cli {
namespace {

using Values = Completion::Values;

bool is_flag(const Option& option) { return std::holds_alternative<bool*>(option.target); }

// Returns the kind of an option's value, from its name and the value name in help.
Values kind_of_values(const Option& option) {
  const auto names = ascii::split(option.names, ',');
  const auto is = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
  if (option.value_name == "DIR") return Values::directories;
  if (option.value_name == "FILE" || option.existing_file || is("file") || is("files") || is("path"))
    return Values::files;
  if (is("--platform")) return Values::platforms;
  if (is("--project")) return Values::projects;
  if (is("--session") || is("session")) return Values::sessions;
  return Values::none;
}

const Option* find_option(const std::vector<Option>& options, std::string_view name) {
  for (const Option& option : options) {
    const auto names = ascii::split(option.names, ',');
    if (name.starts_with('-') && std::ranges::find(names, name) != names.end()) return &option;
  }
  return nullptr;
}

class Completing {
 public:
  Completing(const std::vector<Command>& commands, const std::vector<Option>& global)
      : commands_(&commands), global_(global) {}

  Completion of(const std::vector<std::string>& words) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
      pass(words[i]);
    last_ = words.empty() ? std::string() : words.back();
    if (last_ == "=") last_.clear();
    if (const auto equals = last_.find('='); last_.starts_with("--") && equals != std::string::npos) {
      waiting_ = known(last_.substr(0, equals));
      prefix_ = last_.substr(0, equals + 1);
      last_.erase(0, equals + 1);
    }
    if (waiting_ != nullptr)
      add_values(*waiting_);
    else if (last_.starts_with('-') && !only_words_)
      add_options();
    else
      add_words();
    return std::move(out_);
  }

 private:
  const Option* known(std::string_view name) const {
    if (command_ != nullptr)
      if (const Option* own = find_option(command_->options, name)) return own;
    return find_option(global_, name);
  }

  void pass(const std::string& word) {
    if (word == "=") return;  // bash passes it as a word of its own
    if (waiting_ != nullptr) {
      waiting_ = nullptr;
    } else if (word == "--") {
      only_words_ = true;
    } else if (word.starts_with('-') && !only_words_) {
      const Option* option = known(word);
      if (option != nullptr && !is_flag(*option)) waiting_ = option;
    } else if (const Command* next = subcommand(word)) {
      command_ = next;
      positional_ = 0;
    } else {
      ++positional_;
    }
  }

  const Command* subcommand(std::string_view name) const {
    const std::vector<Command>& among = command_ == nullptr ? *commands_ : command_->subcommands;
    const auto found = std::ranges::find(among, name, &Command::name);
    return found == among.end() ? nullptr : &*found;
  }

  void add(std::string text, std::string help) {
    if (text.starts_with(last_)) out_.candidates.push_back({prefix_ + std::move(text), std::move(help)});
  }

  void add_values(const Option& option) {
    for (const std::string& one : option.one_of)
      add(one, "");
    if (option.one_of.empty()) out_.values = kind_of_values(option);
    if (out_.values != Values::platforms) return;
    for (const PlatformInfo& platform : platforms())
      add(std::string(platform.key), std::string(platform.name));
  }

  void add_options() {
    for (const std::vector<Option>* options : {command_ == nullptr ? nullptr : &command_->options, &global_})
      for (const Option& option : options == nullptr ? std::vector<Option>() : *options)
        for (const std::string& name : ascii::split(option.names, ','))
          if (name.starts_with('-')) add(name, option.help);
    add("--help", "What it does and takes");
  }

  void add_words() {
    if (command_ == nullptr && positional_ > 0) return;
    for (const Command& one : command_ == nullptr ? *commands_ : command_->subcommands)
      if (!one.hidden) add(one.name, one.help);
    if (command_ == nullptr) return;
    std::size_t place = 0;
    for (const Option& option : command_->options) {
      if (option.names.starts_with('-')) continue;
      const bool several = std::holds_alternative<std::vector<std::string>*>(option.target);
      if (place++ == positional_ || (several && positional_ >= place)) return add_values(option);
    }
  }

  const std::vector<Command>* commands_;
  const std::vector<Option>& global_;
  const Command* command_ = nullptr;
  const Option* waiting_ = nullptr;  // option whose value comes next
  std::size_t positional_ = 0;
  bool only_words_ = false;
  std::string last_;
  std::string prefix_;
  Completion out_;
};

// Returns the global options among the words, which select the store and the user.
GlobalOptions globals_of(const std::vector<std::string>& words) {
  GlobalOptions out;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "--data-dir") out.data_dir = words[i + 1];
    if (words[i] == "--home") out.home = words[i + 1];
    if (words[i] == "--config") out.config = words[i + 1];
  }
  return out;
}

// Returns sessions or projects of the store. Returns none on an error, because a message would disturb the user's
// typing.
std::vector<Completion::Candidate> stored_values(Values values, const std::vector<std::string>& words) {
  std::vector<Completion::Candidate> out;
  const std::string last = words.empty() ? std::string() : words.back();
  const auto settings = resolve_settings(globals_of(words), Environment::current());
  if (!settings) return out;
  constexpr std::chrono::milliseconds kWhileTyping{300};
  const auto caller = open_caller(*settings, Need::read, kWhileTyping);
  if (!caller) return out;
  tools::ListSessionsParams asked;
  asked.n_results = 100;
  asked.all_projects = true;
  const auto found = ask_history<tools::ListSessionsAnswer>(**caller, "list_sessions", mcp::to_arguments(asked));
  if (!found) return out;
  if (values == Values::sessions) out.push_back({"latest", "The newest session"});
  for (const tools::SessionOut& s : found->sessions) {
    const std::string text = values == Values::projects ? s.project : s.session_id.substr(s.session_id.find(':') + 1);
    if (text.empty() || std::ranges::find(out, text, &Completion::Candidate::text) != out.end()) continue;
    out.push_back({text, values == Values::projects ? s.cwd : s.session_name});
  }
  std::erase_if(out, [&](const Completion::Candidate& one) { return !one.text.starts_with(last); });
  return out;
}

constexpr std::string_view kBash = R"sh(_memd() {
  local cur=${COMP_WORDS[COMP_CWORD]} line IFS=$'\n'
  [ "$cur" = "=" ] && cur=
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      @files) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -f -- "$cur")) ;;
      @directories) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -d -- "$cur")) ;;
      *) COMPREPLY+=("$(printf '%q' "${line%%$'\t'*}")") ;;
    esac
  done < <("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _memd memd
)sh";

constexpr std::string_view kZsh = R"sh(#compdef memd
_memd() {
  local line
  local -a candidates
  while IFS= read -r line; do
    case $line in
      @files) _files ;;
      @directories) _files -/ ;;
      *) candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
    esac
  done < <("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#candidates )) && _describe memd candidates
}
if [ "$funcstack[1]" = _memd ]; then _memd "$@"; else compdef _memd memd; fi
)sh";

constexpr std::string_view kFish = R"sh(function __memd_complete
  set -l words (commandline -opc) (commandline -ct)
  memd complete -- $words[2..-1] 2>/dev/null | while read -l line
    switch $line
      case @files
        __fish_complete_path (commandline -ct)
      case @directories
        __fish_complete_directories (commandline -ct)
      case '*'
        echo $line
    end
  end
end
complete -c memd -f -a '(__memd_complete)'
)sh";

}  // namespace

Completion complete(const std::vector<Command>& commands, const std::vector<Option>& global,
                    const std::vector<std::string>& words) {
  return Completing(commands, global).of(words);
}

std::string completion_script(std::string_view shell) {
  return std::string(shell == "fish" ? kFish : shell == "zsh" ? kZsh : kBash);
}

std::vector<Command> completion_commands(const std::vector<Command>& commands, const std::vector<Option>& global) {
  const auto shell = std::make_shared<std::string>();
  Command completion{"completion", "Print a completion script: bash, zsh or fish"};
  completion.own_json = true;
  completion.options = {{.names = "shell",
                         .target = shell.get(),
                         .help = "bash, zsh or fish",
                         .required = true,
                         .one_of = {"bash", "zsh", "fish"}}};
  completion.run = [shell](const Invocation&) -> Result<int> {
    std::cout << completion_script(*shell);
    return kOk;
  };
  const auto words = std::make_shared<std::vector<std::string>>();
  Command asked{"complete", "Candidates for the end of a command line; for the completion scripts"};
  asked.hidden = true;
  asked.fails_open = true;
  asked.runs_without_settings = true;
  asked.options = {{"word", words.get(), "The words after memd, the last one unfinished"}};
  asked.run = [words, &commands, &global](const Invocation&) -> Result<int> {
    Completion found = complete(commands, global, *words);
    if (found.values == Values::projects || found.values == Values::sessions)
      found.candidates = stored_values(found.values, *words);
    for (const Completion::Candidate& one : found.candidates)
      std::cout << harmless_line(one.text) << '\t' << harmless_line(one.help) << '\n';
    if (found.values == Values::files) std::cout << "@files\n";
    if (found.values == Values::directories) std::cout << "@directories\n";
    return kOk;
  };
  return {std::move(completion), std::move(asked)};
}

}  // namespace memd::cli
