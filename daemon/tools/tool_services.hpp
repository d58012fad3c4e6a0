#pragma once

#include "daemon/config/memory_config.hpp"
#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"
#include "schemas/platform.hpp"
#include "schemas/session.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace memd {
struct EventSource;
struct PlatformFreshness;
class Reader;
class ReaderPool;
struct RecordedEdit;
}  // namespace memd
namespace memd::harvest {
struct Material;
}

// What tools need of the process that they run in.
namespace memd::tools {

class LlmSummarizer;
class TeamAsker;

// Reports how far the store is behind the sources, as the ingesting process knows it. Thread-safe and cheap: every tool
// call queries it, on the loop thread, too.
class FreshnessProvider {
 public:
  virtual ~FreshnessProvider() = default;
  // Returns an entry for each platform that has a source, in the order of platforms().
  virtual std::vector<PlatformFreshness> freshness() const = 0;
  // Returns why ingest is stopped, in words; empty when it is not.
  virtual std::string trouble() const { return {}; }
  // Returns the command that holds the store, "`memd ingest` (process 4711)", while this process stands in for the
  // daemon; else empty.
  virtual std::string held_by() const { return {}; }
  // Returns whether this process ingests.
  virtual bool is_reading() const { return true; }
  // Returns a number that grows with each commit to the store.
  virtual std::uint64_t generation() const = 0;
};

// What the adapters declare, with what the configuration says about them. Thread-safe.
class AdapterCatalogue {
 public:
  virtual ~AdapterCatalogue() = default;
  // Returns the declaration of a platform's adapter, which lives as long as the catalogue; null: there is no adapter.
  // The first question about a platform may take its time.
  virtual const AdapterDescription* find(Platform platform) const = 0;
};

// Reads full texts that the store's rows do not hold (tool inputs and results, thinking) from the agent's file, else
// from the raw layer. Thread-safe, except for what walk() returns.
class RawText {
 public:
  virtual ~RawText() = default;
  // Returns the text of an event, not redacted. Errc::not_found if neither has the record any more.
  virtual Result<std::string> event_text(const EventSource& where, EventKind kind) const = 0;
  // Returns the changes to files in the event's record, not redacted; none if the record is gone.
  virtual Result<std::vector<RecordedEdit>> recorded_edits(const EventSource& where) const;
  // Returns a reader for one thread and one call of a tool. It reads a document once for all events in it, and so sees
  // one version of the document. Borrows this object. By default it reads as this object does.
  virtual std::unique_ptr<RawText> walk() const;
};

struct ToolDefaults {
  std::size_t max_tokens = 2000;
  std::size_t max_tokens_limit = 8000;
  TimeMs stopped_after = kStoppedAfter;  // ms of silence after which a session counts as stopped
  bool judges_decisions = false;         // the language model for summaries also judges decisions
  bool own_project = true;               // searches cover only the project of the caller's directory, if it is known
  std::filesystem::path prices{};        // own prices of models; empty: none
  bool whole = false;                    // answers are for people: no token limit unless a call sends max_tokens
};

// How far the memories that a search finds are those in the files.
enum class MemoryLook : std::uint8_t {
  done,       // changes are found as they happen
  under_way,  // not all files have been compared yet
  none,       // this process does not look at the files
};

// The services that tools use. Borrows; the referenced objects must outlive the registry the tools were added to.
struct ToolServices {
  ReaderPool& readers;
  const Clock& clock;
  const FreshnessProvider& freshness;
  const RawText& raw_text;
  const AdapterCatalogue& adapters;
  std::filesystem::path database;  // for its size
  ToolDefaults defaults{};
  // Runs work on another thread soon, while the services live. Empty: work is done in place.
  std::function<void(std::function<void()>)> background;
  LlmSummarizer* llm = nullptr;  // null: summaries are extractive
  // Called with a directory that a client works in, to have its memories indexed. Returns at once. May be empty.
  std::function<void(const std::string&)> working_in{};
  // Called with a memory file or directory that a tool changed, to have it indexed. Returns at once. May be empty.
  std::function<void(const std::filesystem::path&)> memory_changed{};
  std::filesystem::path home{};  // home directory of the user whose memories are served; empty: no memory tools
  MemoryConfig memory{};
  // Waits a moment until the memory files were looked at since the start, those of this directory too; empty: of no
  // project. May be empty: nobody looks.
  std::function<MemoryLook(const std::string&)> look_at_memories{};
  // Gives events the ids of the log that they come from. May be empty.
  std::function<void(Reader&, harvest::Material&)> name_events{};
  TeamAsker* team = nullptr;  // null: no database of others is asked
};

}  // namespace memd::tools
