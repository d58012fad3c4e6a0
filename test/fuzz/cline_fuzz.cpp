#include "adapters/adapter.hpp"
#include "test/adapters/folder_view.hpp"
#include "test/fuzz/fuzz_target.hpp"
#include "test/fuzz/snapshot_check.hpp"

#include <string>

// Reads any bytes as the documents of a task or a session of Cline: no crash, the ledger covers each byte once, and
// truncating a document removes no event.
MEMD_FUZZ_TARGET(cline) {
  using namespace memd;
  static const Adapter& adapter = *find_adapter(Platform::cline);
  const std::string input(reinterpret_cast<const char*>(data), size);
  const std::string task = "/home/ada/.cline/data/tasks/1769000000000/";
  const std::string session = "/home/ada/.cline/data/sessions/s_1/s_1";
  const SourceCandidate task_source{Platform::cline, task + "ui_messages.json", SourceFormat::json};
  const SourceCandidate session_source{Platform::cline, session + ".messages.json", SourceFormat::json};

  test::FolderView files;
  files.write(task + "ui_messages.json", input);
  files.write("/home/ada/.cline/data/state/taskHistory.json", input);
  fuzz::check(adapter, task_source, files);
  files.write(task + "api_conversation_history.json", input.substr(input.size() / 2));
  fuzz::check(adapter, task_source, files);
  files.write(task + "api_conversation_history.json", input);
  files.remove(task + "ui_messages.json");
  fuzz::check(adapter, task_source, files);
  files.write(session + ".messages.json", input);
  files.write(session + ".json", input);
  files.write(session + ".compaction.json", input);
  fuzz::check(adapter, session_source, files);

  const auto cut = [&](const SourceCandidate& source) {
    files.write(source.path, input);
    fuzz::check_change(adapter, source, files, [&] { files.write(source.path, input.substr(0, input.size() / 3)); });
  };
  cut(task_source);
  cut(session_source);
  fuzz::decode_item(adapter, task_source, input);
  return 0;
}
