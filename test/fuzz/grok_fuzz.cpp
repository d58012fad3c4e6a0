#include "adapters/adapter.hpp"
#include "test/adapters/folder_view.hpp"
#include "test/fuzz/fuzz_target.hpp"
#include "test/fuzz/snapshot_check.hpp"

#include <string>

// Reads any bytes as the log and the other documents of a Grok Build session: no crash, and the ledger covers each byte
// once, also when the log grows and is truncated.
MEMD_FUZZ_TARGET(grok) {
  using namespace memd;
  static const Adapter& adapter = *find_adapter(Platform::grok);
  const std::string input(reinterpret_cast<const char*>(data), size);
  const std::string folder = "/home/ada/.grok/sessions/%2Fhome/019f0000-0000-7000-8000-00000000000a/";
  const SourceCandidate source{Platform::grok, folder + "updates.jsonl", SourceFormat::json};

  test::FolderView files;
  files.write(folder + "chat_history.jsonl", input);
  files.write(folder + "summary.json", input);
  fuzz::check(adapter, source, files);
  files.write(source.path, input.substr(0, input.size() / 2));
  fuzz::check(adapter, source, files);
  fuzz::check_change(adapter, source, files, [&] { files.write(source.path, input); });
  fuzz::check_change(adapter, source, files, [&] { files.write(source.path, input.substr(0, input.size() / 3)); });
  fuzz::decode_item(adapter, source, input);
  return 0;
}
