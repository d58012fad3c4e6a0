#pragma once

#include "adapters/described/description.hpp"
#include "daemon/admin/reports.hpp"
#include "protocol/mcp/describe.hpp"
#include "schemas/base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

// What memd would read of an agent that a file describes, and what it would leave. Nothing is stored.
namespace memd::admin {

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
  std::vector<LedgerLine> ledger;
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

MEMD_DESCRIBE(memd::admin::TrialEvent, field<&T::kind>("user_msg, assistant_msg, tool_call, …"),
              field<&T::time>("RFC 3339."), field<&T::tool>(), field<&T::text>("The beginning: text of history."));
MEMD_DESCRIBE(memd::admin::TrialFile, field<&T::path>(), field<&T::format>("jsonl, json or sqlite."),
              field<&T::trouble>("Why it cannot be read; empty: it can."), field<&T::bytes>(),
              field<&T::bytes_unknown>("Bytes of records that no rule fits."),
              plain<&T::sessions, &T::prompts, &T::answers, &T::calls, &T::results>(),
              field<&T::tokens>("Input, output and cache, each response once."),
              field<&T::ledger>("What becomes of every byte."),
              field<&T::first>("The first events as they would be stored."));
MEMD_DESCRIBE(memd::admin::PlatformTrial, plain<&T::key, &T::name>(),
              field<&T::roots>("Folders in which files were looked for."), field<&T::files>());
