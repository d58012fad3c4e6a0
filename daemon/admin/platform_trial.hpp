#pragma once

#include "adapters/described/description.hpp"
#include "protocol/mcp/describe.hpp"
#include "schemas/base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

// What memd would read of an agent that a file describes, and what it would leave. Nothing is stored.
namespace memd::admin {

struct TrialLine {
  std::string record_type;
  std::string disposition;
  std::string reason;
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
};

struct TrialEvent {
  std::string kind;
  std::string time;
  std::string tool;
  std::string text;
};

struct TrialFile {
  std::string path;
  std::string format;
  std::string trouble;
  std::uint64_t bytes = 0;
  std::uint64_t bytes_unknown = 0;
  std::int64_t sessions = 0;
  std::int64_t prompts = 0;
  std::int64_t answers = 0;
  std::int64_t calls = 0;
  std::int64_t results = 0;
  std::int64_t tokens = 0;
  std::vector<TrialLine> ledger;
  std::vector<TrialEvent> first;
};

struct PlatformTrial {
  std::string key;
  std::string name;
  std::vector<std::string> roots;
  std::vector<TrialFile> files;
};

// Where to look.
struct TrialPlaces {
  std::filesystem::path home;
  std::function<std::filesystem::path(const char* name)> directory_of;
  std::filesystem::path path;  // a folder or a file instead of the description's; may be empty
};

// Reads the agent's files. A key that memd knows is tried as that agent.
Result<PlatformTrial> try_platform(described::Description agent, const TrialPlaces& places);

}  // namespace memd::admin

namespace memd::mcp {

template <>
struct Describe<admin::TrialLine> {
  using T = admin::TrialLine;
  static constexpr auto fields =
      fields_of(field("record_type", &T::record_type, "Type of record, as the agent names it."),
                field("disposition", &T::disposition, "indexed, skipped or unknown."), field("reason", &T::reason, ""),
                field("records", &T::records, ""), field("bytes", &T::bytes, ""));
};

template <>
struct Describe<admin::TrialEvent> {
  using T = admin::TrialEvent;
  static constexpr auto fields =
      fields_of(field("kind", &T::kind, "user_msg, assistant_msg, tool_call, …"), field("time", &T::time, "RFC 3339."),
                field("tool", &T::tool, ""), field("text", &T::text, "The beginning: text of history."));
};

template <>
struct Describe<admin::TrialFile> {
  using T = admin::TrialFile;
  static constexpr auto fields =
      fields_of(field("path", &T::path, ""), field("format", &T::format, "jsonl, json or sqlite."),
                field("trouble", &T::trouble, "Why it cannot be read; empty: it can."), field("bytes", &T::bytes, ""),
                field("bytes_unknown", &T::bytes_unknown, "Bytes of records that no rule fits."),
                field("sessions", &T::sessions, ""), field("prompts", &T::prompts, ""),
                field("answers", &T::answers, ""), field("calls", &T::calls, ""), field("results", &T::results, ""),
                field("tokens", &T::tokens, "Input, output and cache, each response once."),
                field("ledger", &T::ledger, "What becomes of every byte."),
                field("first", &T::first, "The first events as they would be stored."));
};

template <>
struct Describe<admin::PlatformTrial> {
  using T = admin::PlatformTrial;
  static constexpr auto fields =
      fields_of(field("key", &T::key, ""), field("name", &T::name, ""),
                field("roots", &T::roots, "Folders in which files were looked for."), field("files", &T::files, ""));
};

}  // namespace memd::mcp
