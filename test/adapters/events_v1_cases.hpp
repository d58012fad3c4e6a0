#pragma once

#include "schemas/embedded.hpp"
#include "test/adapters/decode_source.hpp"
#include "test/support/json_schema.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace memd::test {

// test/golden/events_v1/<case>/{input.jsonl, events.json}; source.txt: the path of a Thunderus log it stands for.
struct EventsCase {
  std::filesystem::path folder;
  std::string input;
  const Adapter* adapter = nullptr;
  SourceCandidate candidate;
};

inline std::vector<EventsCase> events_cases() {
  std::vector<EventsCase> cases;
  const auto base = std::filesystem::path(MEMD_SOURCE_DIR) / "test" / "golden" / "events_v1";
  for (const auto& entry : std::filesystem::directory_iterator(base)) {
    EventsCase c;
    c.folder = entry.path();
    c.input = read_file(c.folder / "input.jsonl");
    std::string path = read_file(c.folder / "source.txt");
    path = path.substr(0, path.find('\n'));
    const bool thunderus = !path.empty();
    if (!thunderus) path = "/home/ada/handed-over.jsonl";
    c.adapter = find_adapter(thunderus ? Platform::thunderus : Platform::imported);
    c.candidate = c.adapter->classify(std::filesystem::path(path).root_path(), path).value();
    cases.push_back(std::move(c));
  }
  std::sort(cases.begin(), cases.end(), [](const auto& a, const auto& b) { return a.folder < b.folder; });
  return cases;
}

inline JsonSchema events_schema() {
  for (const auto& file : embedded::json_schema_files())
    if (file.name == "events.v1.schema.json") return JsonSchema(boost::json::parse(file.text));
  throw std::logic_error("events.v1.schema.json is not embedded");
}

}  // namespace memd::test
