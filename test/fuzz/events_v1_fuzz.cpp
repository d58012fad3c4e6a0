#include "test/fuzz/log_check.hpp"

#include <cstdint>
#include <string>
#include <string_view>

// Any bytes as a file of events: no crash, and the ledger holds every byte.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace memd;
  static const Adapter& adapter = *find_adapter(Platform::imported);
  Source source;
  source.platform = Platform::imported;
  source.path = "/home/ada/handed-over.jsonl";
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  fuzz::check_log(adapter, source, input);
  return 0;
}
