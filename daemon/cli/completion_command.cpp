#include "daemon/cli/command_context.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>
#include <string>

namespace memd::cli {
namespace {

std::string words(const CLI::App& app) {
  std::string out;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames())
      out += "--" + name + " ";
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
    out += command->get_name() + " ";
  return out;
}

// The commands and options are asked of the parser itself, so the scripts cannot fall behind it.
std::string bash_script(const CLI::App& app) {
  std::string cases;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
    cases += "    " + command->get_name() + ") words=\"" + words(*command) + words(app) + "\" ;;\n";
  return "_memd() {\n  local cur=${COMP_WORDS[COMP_CWORD]} words=\"" + words(app) + "\"\n  case ${COMP_WORDS[1]} in\n" +
         cases + "  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\ncomplete -o default -F _memd memd\n";
}

std::string fish_script(const CLI::App& app) {
  std::string out = "complete -c memd -f\n";
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames())
      out += "complete -c memd -l " + name + "\n";
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    out += "complete -c memd -n __fish_use_subcommand -a " + command->get_name() + " -d '" +
           command->get_description() + "'\n";
    for (const auto* option : command->get_options())
      for (const auto& name : option->get_lnames())
        out += "complete -c memd -n '__fish_seen_subcommand_from " + command->get_name() + "' -l " + name + "\n";
  }
  return out;
}

}  // namespace

void add_completion_command(CLI::App& app, CommandContext& context) {
  auto* c = app.add_subcommand("completion", "Print a completion script: bash, zsh or fish");
  auto shell = std::make_shared<std::string>();
  c->add_option("shell", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  c->callback([&app, &context, shell] {
    context.action = [&app, shell](const Settings&) -> Result<int> {
      if (*shell == "fish")
        std::cout << fish_script(app);
      else if (*shell == "zsh")
        std::cout << "autoload -U +X bashcompinit && bashcompinit\n" << bash_script(app);
      else
        std::cout << bash_script(app);
      return 0;
    };
  });
}

}  // namespace memd::cli
