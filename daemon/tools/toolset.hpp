#pragma once

#include "daemon/config/config.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/error.hpp"
#include "schemas/event.hpp"
#include "schemas/file_history.hpp"
#include "schemas/platform.hpp"
#include "schemas/query.hpp"
#include "schemas/time.hpp"
#include "store/reader.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd::tools {

class LlmSummarizer;

// How far behind the store is, as the process that ingests knows it. Thread-safe and cheap: every call asks, on the
// loop thread, too.
class FreshnessProvider {
 public:
  virtual ~FreshnessProvider() = default;
  // Platforms that have a source, in the order of kAllPlatforms.
  virtual std::vector<PlatformFreshness> freshness() const = 0;
  // Returns why ingest is stopped, in words; empty when it is not.
  virtual std::string trouble() const { return {}; }
  // Returns whether this process ingests.
  virtual bool is_reading() const { return true; }
  // Grows whenever something was committed to the store.
  virtual std::uint64_t generation() const = 0;
};

// Gives full texts that the store does not hold: tool inputs and results, thinking. Reads the agent's file.
// Thread-safe.
class RawText {
 public:
  virtual ~RawText() = default;
  // not_found when the file is gone or holds something else there now. Not redacted.
  virtual Result<std::string> event_text(const EventSource& where, EventKind kind) const = 0;
  // The changes to files that the event's record tells; none if the record is gone. Not redacted.
  virtual Result<std::vector<RecordedEdit>> recorded_edits(const EventSource& where) const {
    (void)where;
    return std::vector<RecordedEdit>();
  }
};

struct ToolDefaults {
  std::size_t max_tokens = 2000;
  std::size_t max_tokens_limit = 8000;
  TimeMs stopped_after = kStoppedAfter;  // silence after which a session has stopped
  bool judges_decisions = false;         // the language model that writes summaries does
  bool own_project = true;               // searches look at the project of the caller's directory, where that is known
  bool whole = false;  // answers are for people and take the room they need, unless a call names max_tokens
};

// The services that tools use. Borrows; the referenced objects must outlive the registry the tools were added to.
struct ToolServices {
  ReaderPool& readers;
  const Clock& clock;
  const FreshnessProvider& freshness;
  const RawText& raw_text;
  std::span<const AdapterDescription> adapters;  // in the order of Platform
  std::filesystem::path database;                // for its size
  ToolDefaults defaults{};
  // Runs work on another thread soon, while the services live. Empty: work is done in place.
  std::function<void(std::function<void()>)> background;
  LlmSummarizer* llm = nullptr;  // null: summaries are extractive
  // A client works in this directory: its memories are to be known. Returns at once. Empty: nobody takes notice.
  std::function<void(const std::string&)> working_in{};
  // A file or a directory of memories was changed by a tool: searches are to know it. Likewise.
  std::function<void(const std::filesystem::path&)> memory_changed{};
  std::filesystem::path home{};  // whose memories; empty: there are no tools for memories
  MemoryConfig memory{};
};

// Adds all tools, in the order in which clients show them. What `services` refers to must outlive the registry.
void register_tools(mcp::ToolRegistry& registry, const ToolServices& services);

// Adds the tools that tell of history, as the command line asks them: what they find is not cut to a number of tokens.
// Lists still come in pages.
void register_whole_answers(mcp::ToolRegistry& registry, ToolServices services);

// Adds all tools behind one name: conversation_query(action="recent_turns", …). For clients that work better with one
// tool; only if the configuration asks for it. Add it last.
void add_conversation_query(mcp::ToolRegistry& registry);

// What the server tells a model about itself at the handshake; at most 2,048 characters.
std::string_view server_instructions();

// The text of a tool's answer, for resources and prompts. `arguments` is the JSON text of an object. Errors: not_found
// when there is no such tool, invalid_argument when the tool refuses, store when it fails.
Result<std::string> tool_text(const mcp::ToolRegistry& tools, std::string_view tool, std::string_view arguments,
                              mcp::ToolContext& context);

}  // namespace memd::tools
