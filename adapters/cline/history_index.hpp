#pragma once

#include "adapters/file_view.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace memd::cline {

// What the lists of tasks say about one. They lose entries while the tasks live on (cline/cline#6183), so they only
// add to what the task itself says.
struct TaskHistory {
  std::string cwd;
  std::string title;  // the first words of the task
  std::string model;
  std::string parent;  // of a subtask (Roo Code)
  std::string mode;
  std::optional<double> cost;
};

// From history_item.json beside the task, tasks/_index.json or state/taskHistory.json.
TaskHistory find_history(const FileView& files, const std::filesystem::path& task_folder);

// The last model in task_metadata.json.
std::string last_model(std::string_view metadata);

// The head item of a task.
std::string task_head(std::string_view id, const TaskHistory& history, std::string_view cwd, std::string_view model);

}  // namespace memd::cline
