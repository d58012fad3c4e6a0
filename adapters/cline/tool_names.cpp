#include "adapters/cline/tool_names.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace memd::cline {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;
constexpr std::array<Pair, 33> kNames{{
    {"editedExistingFile", "replace_in_file"},
    {"appliedDiff", "apply_diff"},
    {"newFileCreated", "write_to_file"},
    {"fileDeleted", "delete_file"},
    {"insertContent", "insert_content"},
    {"searchAndReplace", "search_and_replace"},
    {"readFile", "read_file"},
    {"listFiles", "list_files"},
    {"listFilesTopLevel", "list_files"},
    {"listFilesRecursive", "list_files"},
    {"viewSourceCodeDefinitionsTopLevel", "list_code_definition_names"},
    {"listCodeDefinitionNames", "list_code_definition_names"},
    {"searchFiles", "search_files"},
    {"codebaseSearch", "codebase_search"},
    {"fetchInstructions", "fetch_instructions"},
    {"switchMode", "switch_mode"},
    {"newTask", "new_task"},
    {"finishTask", "attempt_completion"},
    {"webFetch", "web_fetch"},
    {"webSearch", "web_search"},
    {"useSkill", "use_skill"},
    {"summarizeTask", "summarize_task"},
    {"updateTodoList", "update_todo_list"},
    {"generateImage", "generate_image"},
    {"runSlashCommand", "run_slash_command"},
    {"imageGenerated", "generate_image"},
    {"command", "execute_command"},
    {"use_mcp_server", "use_mcp_tool"},
    {"browser_action_launch", "browser_action"},
    {"browser_action", "browser_action"},
    {"use_subagents", "use_subagents"},
    {"access_mcp_resource", "access_mcp_resource"},
    {"skill", "skill"},
}};

constexpr std::array<std::string_view, 9> kWriting{"write_to_file",      "replace_in_file", "apply_diff",
                                                   "insert_content",     "apply_patch",     "edit_file",
                                                   "search_and_replace", "search_replace",  "delete_file"};
constexpr std::array<std::string_view, 8> kTalk{
    "attempt_completion", "ask_followup_question", "plan_mode_respond",    "plan_mode_response",
    "act_mode_respond",   "focus_chain",           "generate_explanation", "condense"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string_view model_tool_name(std::string_view ui_name) {
  for (const auto& [ui, model] : kNames)
    if (ui == ui_name) return model;
  return ui_name;
}

bool may_show(std::string_view shown, std::string_view model_name) {
  if (shown == model_name) return true;
  if (contains(kWriting, shown)) return contains(kWriting, model_name);
  if (shown == "use_mcp_tool")
    return model_name == "access_mcp_resource" || model_name.find("mcp") != std::string_view::npos;
  if (shown == "list_files") return model_name == "list_code_definition_names";
  return false;
}

bool is_talk(std::string_view model_name) { return contains(kTalk, model_name); }

std::optional<FileAccess> access_of(std::string_view model_name) {
  if (contains(kWriting, model_name) || model_name == "editor") return FileAccess::modified;
  if (model_name == "read_file" || model_name == "read_files") return FileAccess::read;
  if (model_name == "list_files" || model_name == "search_files" || model_name == "list_code_definition_names" ||
      model_name == "codebase_search" || model_name == "search_codebase")
    return FileAccess::referenced;
  return std::nullopt;
}

}  // namespace memd::cline
