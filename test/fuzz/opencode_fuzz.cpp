#include "adapters/adapter.hpp"
#include "schemas/base/error.hpp"
#include "test/adapters/folder_view.hpp"
#include "test/fuzz/fuzz_target.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

// Reads any bytes as an item, and as each of the files of a session before 1.2: no crash, and the ledger covers every
// byte.
namespace {

using namespace memd;

void decode(const Adapter& adapter, std::string item, std::uint64_t number) {
  Source source;
  source.session_uid = "opencode:ses_1";
  const std::size_t size = item.size();
  item.resize(size + kRecordPadding, ' ');
  const std::string_view bytes(item.data(), size);
  EventBatch batch;
  adapter.open(source)->decode({bytes, number, false}, batch);
  if (batch.coverage.size() != 1 || batch.coverage[0].bytes != size) std::abort();
  if (number == 0 && !batch.events.empty()) std::abort();
  for (const Event& e : batch.events)
    if (!adapter.event_text(bytes, e.kind, e.raw.block)) std::abort();
}

void read_tree(const Adapter& adapter, const std::string& session, const std::string& message,
               const std::string& part) {
  test::FolderView files;
  const std::string storage = "/x/opencode/storage/";
  files.write(storage + "session/global/ses_1.json", session);
  files.write(storage + "message/ses_1/msg_1.json", message);
  files.write(storage + "part/msg_1/prt_1.json", part);
  Source source;
  source.path = storage + "session/global/ses_1.json";
  const auto reader = adapter.open_snapshot(source, files);
  const auto plan = reader->plan("");
  if (!plan) {
    if (!plan.error().is(Errc::busy)) std::abort();
    return;
  }
  if (plan->size != session.size() + message.size() + part.size()) std::abort();
  const auto shown = reader->session("ses_1", {});
  if (!shown) std::abort();
  for (const auto& item : (*shown)->items) {
    const auto json = reader->item("ses_1", item.key);
    if (!json || json->find('\n') != std::string::npos) std::abort();
    decode(adapter, *json, 1);
  }
}

}  // namespace

MEMD_FUZZ_TARGET(opencode) {
  static const Adapter& adapter = *find_adapter(Platform::opencode);
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string session = R"({"id":"ses_1","title":"t"})";
  const std::string user = R"({"role":"user"})";
  const std::string assistant = R"({"role":"assistant"})";
  decode(adapter, text, 0);
  decode(adapter, text, 1);
  read_tree(adapter, text, user, text);
  read_tree(adapter, session, text, text);
  read_tree(adapter, session, assistant, text);
  return 0;
}
