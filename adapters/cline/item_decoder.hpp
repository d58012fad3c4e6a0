#pragma once

#include "adapters/adapter.hpp"
#include "adapters/cline/task_messages.hpp"
#include "adapters/cline/tool_output.hpp"
#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/snapshot/item_context.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace memd::cline {

// Decodes the items of both generations, in the formats described at TaskReader and SessionReader. One thread at a
// time.
class ItemDecoder : public RecordDecoder {
 public:
  explicit ItemDecoder(const Source& source, json::Detail detail = json::Detail::stored);
  ~ItemDecoder() override;

  void decode(const RawRecord& record, EventBatch& out) override;
  bool is_complete(std::string_view) const override { return true; }

 private:
  struct Parsers;
  bool decode_open(std::string_view item, const RawRecord& record, EventBatch& out, std::string& type);

  std::string session_uid_;
  std::string native_id_;
  json::Detail detail_;
  std::unique_ptr<Parsers> parsers_;
};

// Private to the decoder: the shape of items, and a function for each kind.

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON
using snapshot::ItemContext;

enum class ItemKey : std::uint8_t {
  key,
  record,
  head,
  damaged,
  cwd,
  first,
  subtask,
  superseded,
  repeated,
  cache_in_input,
  dropped,
  block,
  calls,
  results,
  ui,
  more,
  message,
  time,
  estimated,
  compaction,
  copied,
};
inline constexpr std::array<std::string_view, 21> kItemNames{
    "key",        "record",   "head",           "damaged", "cwd",       "first",      "subtask",
    "superseded", "repeated", "cache_in_input", "dropped", "block",     "calls",      "results",
    "ui",         "more",     "message",        "time",    "estimated", "compaction", "copied"};

struct ItemFields {
  Tokens<kItemNames.size()> tokens;
  std::string key;
  std::vector<ToolCall> calls;

  std::string_view operator[](ItemKey k) const { return tokens[static_cast<std::size_t>(k)]; }
  bool is(ItemKey k) const { return is_true((*this)[k]); }
};

// JSON stored as text inside JSON. Owns a copy; data read from `root` must not outlive it.
class InnerJson {
 public:
  bool open(std::string_view text);
  od::object root;

 private:
  std::string padded_;
  od::parser parser_;
  od::document document_;
};

RecordOutcome read_head(ItemContext& c, od::object& item);
// Sets `type` to the record type for the ledger.
RecordOutcome read_ui(ItemContext& c, od::object& item, const ItemFields& fields, std::string& type);
RecordOutcome read_message(ItemContext& c, od::object& item, const ItemFields& fields, std::string& type);
RecordOutcome read_compaction(ItemContext& c, od::object& item);

// Reads an api_req_started message: results of the preceding calls, tokens, the reason of a failure.
RecordOutcome read_request(ItemContext& c, od::object& item, const ItemFields& fields, std::string_view text);

void emit_result(ItemContext& c, const ToolCall& call, std::string_view text, bool is_error);
// For a tool_result block, whose content (the member `key`) may have any form.
ToolOutput read_output(ItemContext& c, od::object& block, std::string_view key = "content");
void emit_output(ItemContext& c, const ToolCall& call, const ToolOutput& output, bool is_error);
// Sets the fields of a call from its input: a JSON value, or text.
bool read_block_input(ItemContext& c, od::object& block, Event& call);
void read_text_input(ItemContext& c, std::string_view input, Event& call);

// Reads the text of a content value: a string, or blocks whose texts are joined.
bool read_content(ItemContext& c, od::value& content, std::string& text);

// Returns the absolute path. Paths that Cline shows are relative to the working directory.
std::string absolute_path(std::string_view cwd, std::string_view path);

}  // namespace memd::cline
