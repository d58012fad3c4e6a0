#include "test/adapters/golden_case.hpp"
#include "test/fuzz/fuzz_target.hpp"
#include "test/fuzz/log_check.hpp"
#include "test/fuzz/snapshot_check.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// Reads any bytes in place of each source in the golden cases of a platform: no crash, the ledger covers every byte,
// and events are found again. A source that changes in place is also truncated; of a database, the bytes are an item.
// For platforms without a fuzz target of their own.
namespace {

using namespace memd;

struct Place {
  SourceCandidate source;
  test::FolderView files;
};

std::vector<Place> golden_places(const Adapter& adapter) {
  std::vector<Place> places;
  for (const auto& c : test::golden_cases(adapter))
    for (const auto& [path, source] : c.sources)
      if (std::none_of(places.begin(), places.end(), [&](const Place& p) { return p.source.path == source.path; }))
        places.push_back({source, c.files});
  for (const auto& entry : std::filesystem::directory_iterator(test::golden_folder(adapter)))
    if (const auto file = entry.path() / "database.txt"; std::filesystem::exists(file)) {
      const std::string path = std::string(test::kGoldenHome) + "/" + test::first_line(file);
      if (const auto source = test::classify_at_home(adapter, path)) places.push_back({*source, {}});
    }
  if (places.empty()) std::abort();
  return places;
}

int feed_places(const Adapter& adapter, const std::vector<Place>& places, const std::uint8_t* data, std::size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  for (const Place& place : places) {
    if (place.source.format == SourceFormat::sqlite) {
      fuzz::decode_item(adapter, place.source, input.substr(0, input.find('\n')));  // an item is one line
      continue;
    }
    if (test::is_log(adapter, place.source, place.files)) {
      Source source;
      source.platform = place.source.platform;
      source.path = place.source.path;
      source.format = place.source.format;
      source.session_uid = adapter.session_uid(place.source, std::string_view(input).substr(0, kHeadBytes));
      fuzz::check_log(adapter, source, input, source.format == SourceFormat::json);
      continue;
    }
    test::FolderView files = place.files;
    files.write(place.source.path, input);
    fuzz::check(adapter, place.source, files);
    fuzz::check_change(adapter, place.source, files,
                       [&] { files.write(place.source.path, input.substr(0, input.size() / 3)); });
    fuzz::decode_item(adapter, place.source, input);
  }
  return 0;
}

#ifndef MEMD_LIBFUZZER
// MEMD_FUZZ_PLATFORMS: the names, each followed by a comma.
bool add_platforms() {
  std::string_view names(MEMD_FUZZ_PLATFORMS);
  for (std::size_t end = names.find(','); end != std::string_view::npos; end = names.find(',')) {
    const std::string name(names.substr(0, end));
    fuzz::fuzz_targets().emplace(name, [name](const std::uint8_t* data, std::size_t size) {
      static std::map<std::string, std::vector<Place>> places_of;
      const Adapter& adapter = *find_adapter(parse_platform(name).value());
      const auto it = places_of.find(name);
      return feed_places(adapter, it != places_of.end() ? it->second : places_of[name] = golden_places(adapter), data,
                         size);
    });
    names.remove_prefix(end + 1);
  }
  return true;
}
const bool kHasPlatforms = add_platforms();
#endif

}  // namespace

#ifdef MEMD_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Adapter& adapter = *find_adapter(parse_platform(MEMD_FUZZ_PLATFORM).value());
  static const std::vector<Place> places = golden_places(adapter);
  return feed_places(adapter, places, data, size);
}
#endif
