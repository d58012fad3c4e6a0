#include "adapters/tool_calls/recorded_edits.hpp"
#include "test/adapters/batch_json.hpp"
#include "test/adapters/decode_snapshot.hpp"
#include "test/adapters/golden_case.hpp"
#include "test/support/golden_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

// Decodes every case of test/golden/<platform>, for all platforms.
namespace memd {
namespace {

struct CaseFolder {
  const Adapter* adapter = nullptr;
  std::filesystem::path folder;
};

std::ostream& operator<<(std::ostream& out, const CaseFolder& c) { return out << c.folder; }

std::vector<CaseFolder> case_folders() {
  std::vector<CaseFolder> out;
  for (const Adapter* adapter : all_adapters())
    for (const auto& c : test::golden_cases(*adapter))
      out.push_back({adapter, c.folder});
  return out;
}

std::string test_name(const testing::TestParamInfo<CaseFolder>& info) {
  std::string name(to_string(info.param.adapter->describe().platform));
  name += "_" + info.param.folder.filename().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

// Returns the batch of a case's one source. For a source that changes in place, coverage entries of vanished record
// types are left out.
EventBatch read_input(const Adapter& adapter, const test::GoldenCase& c) {
  if (test::is_log(adapter, c.source(), c.files)) {
    EventBatch batch = test::decode_source(adapter, c.source(), c.input()).batch;
    EXPECT_EQ(test::bytes_of(batch.coverage), c.input().size());
    return batch;
  }
  test::Snapshot snapshot = test::decode_snapshot(adapter, c.source(), c.files);
  EXPECT_EQ(snapshot.item_bytes + test::bytes_of(snapshot.plan.rest), snapshot.plan.size);
  EXPECT_EQ(snapshot.sessions.size(), 1U) << "a case of several sessions has its input in home/";
  EventBatch batch;
  if (!snapshot.sessions.empty()) batch = std::move(snapshot.sessions.begin()->second.batch);
  for (const auto& line : snapshot.plan.rest)
    if (line.records != 0) batch.cover(line.record_type, line.disposition, line.reason, line.bytes, line.records);
  return batch;
}

// Returns the batches of all sources of a case.
std::string read_home(const Adapter& adapter, const test::GoldenCase& c) {
  std::string out = "[";
  const auto quote = [](const std::string& text) { return "\"" + text + "\""; };
  for (const auto& [path, candidate] : c.sources) {
    out += (out.size() > 1 ? ",\n{\"source\": " : "\n{\"source\": ") + quote(path);
    if (test::is_log(adapter, candidate, c.files)) {
      const test::Decoded decoded = test::decode_source(adapter, candidate, c.files.text(path));
      EXPECT_EQ(test::bytes_of(decoded.batch.coverage), decoded.bytes) << path;
      out += ", \"batch\":\n" + test::batch_json(decoded.batch) + "}";
      continue;
    }
    const test::Snapshot snapshot = test::decode_snapshot(adapter, candidate, c.files);
    EXPECT_EQ(snapshot.item_bytes + test::bytes_of(snapshot.plan.rest), snapshot.plan.size) << path;
    out += ", \"rest\": [";
    for (std::size_t i = 0; i < snapshot.plan.rest.size(); ++i) {
      const auto& line = snapshot.plan.rest[i];
      out += (i > 0 ? ", " : "") + ("[" + quote(line.record_type)) + ", " +
             quote(std::string(to_string(line.disposition))) + ", " + quote(line.reason) + ", " +
             std::to_string(line.records) + ", " + std::to_string(line.bytes) + "]";
    }
    out += "], \"sessions\": [";
    bool first = true;
    for (const auto& [uid, session] : snapshot.sessions) {
      out += (first ? "\n{\"uid\": " : ",\n{\"uid\": ") + quote(uid) + ", \"items\": [";
      first = false;
      for (std::size_t i = 0; i < session.keys.size(); ++i)
        out += (i > 0 ? ", " : "") + quote(session.keys[i]);
      out += "], \"batch\":\n" + test::batch_json(session.batch) + "}";
    }
    out += "]}";
  }
  return out + "\n]\n";
}

class Golden : public testing::TestWithParam<CaseFolder> {
 protected:
  const Adapter& adapter_ = *GetParam().adapter;
  const test::GoldenCase case_ = test::read_case(adapter_, GetParam().folder).value();
};

TEST_P(Golden, DecodesAsWritten) {
  ASSERT_FALSE(case_.sources.empty()) << "classify() takes none of its files for a source";
  test::expect_golden(case_.folder / "events.json",
                      case_.is_input ? test::batch_json(read_input(adapter_, case_)) : read_home(adapter_, case_));
}

// The events of a record do not depend on earlier records: a fresh decoder per line gives the same.
TEST_P(Golden, DecoderKeepsNothingBetweenRecords) {
  for (const auto& [path, candidate] : case_.sources) {
    if (candidate.format == SourceFormat::json || !test::is_log(adapter_, candidate, case_.files)) continue;
    const std::string& input = case_.files.text(path);
    const auto whole = test::decode_source(adapter_, candidate, input);
    const std::string padded = input + std::string(kRecordPadding, ' ');
    EventBatch pieces;
    for (std::size_t at = 0; at < input.size();) {
      const auto newline = input.find('\n', at);
      const auto end = std::min(newline, input.size());
      adapter_.open(whole.source)
          ->decode({std::string_view(padded).substr(at, end - at), at, newline != std::string::npos}, pieces);
      at = end + 1;
    }
    EXPECT_EQ(test::batch_json(pieces), test::batch_json(whole.batch)) << path;
  }
}

// A record that lacks any one character of JSON syntax neither crashes the program nor leaves the ledger short.
TEST_P(Golden, ARecordMayLackAnySign) {
  for (const auto& [path, candidate] : case_.sources) {
    if (candidate.format == SourceFormat::json || !test::is_log(adapter_, candidate, case_.files)) continue;
    const std::string& input = case_.files.text(path);
    const auto decoder = adapter_.open(test::decode_source(adapter_, candidate, input).source);
    std::istringstream lines(input);
    for (std::string line; std::getline(lines, line);)
      for (std::size_t at = 0; (at = line.find_first_of("{}[]:,\"", at)) != std::string::npos; ++at) {
        std::string damaged = line;
        damaged.erase(at, 1);
        const std::size_t size = damaged.size();
        damaged.append(kRecordPadding, ' ');
        EventBatch batch;
        decoder->decode({std::string_view(damaged).substr(0, size), 1, true}, batch);
        ASSERT_EQ(test::bytes_of(batch.coverage), size + 1) << line << "\nwithout " << at;
      }
  }
}

// The stored text of each event can be read again from its record.
TEST_P(Golden, EventTextFindsEveryEventAgain) {
  const auto expect_found = [&](const Event& e, const std::string& padded, std::size_t at, std::size_t size) {
    if (e.kind == EventKind::lifecycle && e.text.empty()) return;  // a source may begin with one that has no record
    const auto text = adapter_.event_text(std::string_view(padded).substr(at, size), e.kind, e.raw.block);
    ASSERT_TRUE(text) << to_string(e.kind) << " at " << e.raw.offset;
    if (e.kind == EventKind::lifecycle) return;  // its text has words that are not in the record
    EXPECT_NE(text->find(e.text), std::string::npos) << to_string(e.kind) << " at " << e.raw.offset << ": " << *text;
  };
  for (const auto& [path, candidate] : case_.sources) {
    if (test::is_log(adapter_, candidate, case_.files)) {
      const auto decoded = test::decode_source(adapter_, candidate, case_.files.text(path));
      const std::string padded = case_.files.text(path) + std::string(kRecordPadding, ' ');
      for (const Event& e : decoded.batch.events)
        expect_found(e, padded, e.raw.offset, e.raw.length);
      continue;
    }
    const auto snapshot = test::decode_snapshot(adapter_, candidate, case_.files);
    Source source;
    source.path = path;
    const auto reader = adapter_.open_snapshot(source, case_.files);
    for (const auto& [uid, session] : snapshot.sessions)
      for (const Event& e : session.batch.events) {
        const auto item = reader->item(session.native_id, session.keys.at(e.raw.offset - 1));
        ASSERT_TRUE(item) << uid;
        EXPECT_EQ(item->size(), e.raw.length);
        expect_found(e, *item + std::string(kRecordPadding, ' '), 0, item->size());
      }
  }
}

// The contents of an edit are not stored: file_history reads them from the records of the exchange. Events only list
// file paths.
TEST_P(Golden, EditsAreFoundInTheirRecords) {
  const Platform platform = adapter_.describe().platform;
  if (platform == Platform::thunderus || platform == Platform::imported) return;
  std::set<std::string> changed;
  std::set<std::string> told;
  for (const auto& [path, candidate] : case_.sources) {
    if (!test::is_log(adapter_, candidate, case_.files)) continue;
    const std::string& input = case_.files.text(path);
    for (const Event& e : test::decode_source(adapter_, candidate, input).batch.events) {
      const auto edits = recorded_edits(std::string_view(input).substr(e.raw.offset, e.raw.length));
      for (const RecordedEdit& edit : edits)
        told.insert(std::filesystem::path(edit.path).filename());
      for (const FileTouch& file : e.files)
        if (edits.empty() && file.access == FileAccess::modified)
          changed.insert(std::filesystem::path(file.path).filename());
    }
  }
  for (const auto& name : changed)
    EXPECT_TRUE(told.contains(name)) << "recorded_edits() finds in no record what changed in " << name;
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden, testing::ValuesIn(case_folders()), test_name);

}  // namespace
}  // namespace memd
