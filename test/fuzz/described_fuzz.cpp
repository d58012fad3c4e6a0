#include "adapters/described/described_adapter.hpp"
#include "schemas/base/error.hpp"
#include "test/adapters/folder_view.hpp"
#include "test/fuzz/fuzz_target.hpp"
#include "test/fuzz/log_check.hpp"
#include "test/fuzz/snapshot_check.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

// Any text before "---" gives a description or an error that names the file; a description reads any bytes behind it,
// and its ledger covers them all.
MEMD_FUZZ_TARGET(described) {
  using namespace memd;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto end = std::min(input.find("\n---\n"), input.size());
  const std::string text(input.substr(std::min(end + 5, input.size())));
  auto description = described::parse_description(input.substr(0, end), "agent.yaml");
  if (!description) {
    if (!description.error().is(Errc::bad_config) || description.error().context.find("agent.yaml:") != 0) std::abort();
    return 0;
  }
  const SourceFormat format = description->sources.front().format;
  const described::DescribedAdapter adapter(Platform::imported, std::move(*description));
  const SourceCandidate candidate{Platform::imported, "/home/ada/agent/s1.jsonl", format};
  Source source;
  source.path = candidate.path;
  source.format = format;
  source.session_uid = adapter.session_uid(candidate, std::string_view(text).substr(0, kHeadBytes));
  test::FolderView files;
  files.write(candidate.path, text);
  const auto reader = adapter.open_snapshot(source, files);
  if (!reader)
    fuzz::check_log(adapter, source, text);
  else if (format == SourceFormat::json)
    fuzz::look(adapter, candidate, files, {}, true);
  else
    fuzz::decode_item(adapter, candidate, text);
  return 0;
}
