#include "adapters/adapter.hpp"
#include "schemas/base/error.hpp"
#include "test/adapters/folder_view.hpp"
#include "test/fuzz/fuzz_target.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

// Reads any bytes as a chat of Gemini CLI, in both formats: no crash, the ledger covers every byte, and each event's
// text is found again.
namespace {

using namespace memd;

void read_chat(const Adapter& adapter, const std::string& path, const std::string& text) {
  test::FolderView files;
  files.write(path, text);
  files.write("/home/ada/.gemini/projects.json", text);
  Source source;
  source.path = path;
  const auto reader = adapter.open_snapshot(source, files);
  const auto plan = reader->plan("");
  if (!plan) {
    if (!plan.error().is(Errc::busy)) std::abort();
    return;
  }
  std::uint64_t bytes = 0;
  for (const auto& line : plan->rest)
    bytes += line.bytes;
  for (const auto& key : plan->sessions) {
    const auto session = reader->session(key, {});
    if (!session || !*session) std::abort();
    source.session_uid = (*session)->session_uid;
    const auto decoder = adapter.open(source);
    std::uint64_t number = 0;
    for (const auto& item : (*session)->items) {
      bytes += item.ledger_bytes;
      auto json = reader->item(key, item.key);
      if (!json || json->find('\n') != std::string::npos) std::abort();
      const std::size_t size = json->size();
      json->resize(size + kRecordPadding, ' ');
      EventBatch batch;
      decoder->decode({std::string_view(json->data(), size), ++number, false}, batch);
      if (batch.coverage.size() != 1 || batch.coverage[0].bytes != size) std::abort();
      for (const Event& e : batch.events)
        if (!adapter.event_text(std::string_view(json->data(), size), e.kind, e.raw.block)) std::abort();
    }
  }
  if (bytes != text.size() || plan->size != text.size()) std::abort();
}

}  // namespace

MEMD_FUZZ_TARGET(gemini) {
  static const Adapter& adapter = *find_adapter(Platform::gemini);
  const std::string text(reinterpret_cast<const char*>(data), size);
  read_chat(adapter, "/home/ada/.gemini/tmp/app/chats/session-x.json", text);
  read_chat(adapter, "/home/ada/.gemini/tmp/app/chats/session-x.jsonl", text);
  return 0;
}
