#pragma once

#include "adapters/adapter.hpp"
#include "schemas/base/result.hpp"
#include "schemas/source.hpp"
#include "store/raw/raw_frame.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memd {

using FindAdapter = std::function<const Adapter*(Platform)>;

// Recreates the slices of ingest from the raw layer. Tracks the cursor of each source. One thread.
class SliceReplay {
 public:
  explicit SliceReplay(FindAdapter find) : find_(std::move(find)) {}

  // `content` has kRecordPadding readable bytes behind it. Errc::unsupported when no adapter reads the platform.
  Result<SourceSlice> slice(const raw::FrameHeader& header, const raw::Part& part, std::string_view content);

  // Adds sources that the store has from elsewhere.
  void learn(const std::vector<Source>& sources);

 private:
  void decode_items(const raw::Part& part, std::string_view content, const Adapter& adapter, SourceSlice& slice);

  FindAdapter find_;
  std::map<std::pair<Platform, std::string>, Source> sources_;
};

}  // namespace memd
