#include "adapters/aider/chat_history.hpp"
#include "adapters/json/log_decoder.hpp"
#include "adapters/json/record_builder.hpp"
#include "adapters/registry.hpp"
#include "adapters/tool_calls/patch_text.hpp"
#include "adapters/tool_calls/tool_input.hpp"
#include "schemas/ids.hpp"

#include <charconv>

// aider: files in the directory in which it was started, mostly the root of a repository (chat_history.hpp). Format:
// Aider-AI/aider, aider/io.py, 0045641d; seen on disk, 0.86.2.
namespace memd::aider {
namespace {

namespace fs = std::filesystem;
using namespace json;  // NOLINT(google-build-using-namespace): the whole file reads JSON

MEMD_KEYS(ItemKeys, kind, time, estimated, model, text, version);

// Reads "12k sent", "1.5M", "924" at the start of `text`, and moves it behind the number.
std::int64_t take_count(std::string_view& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0 || number > 1e12) return 0;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  const bool thousands = text.starts_with('k');
  if (thousands || text.starts_with('M'))
    text.remove_prefix(1);
  else
    return static_cast<std::int64_t>(number);
  return static_cast<std::int64_t>(number * (thousands ? 1e3 : 1e6));
}

// Reads the note "Tokens: 2.1k sent, 1k cache write, 3k cache hit, 52 received. Cost: $0.01 message, $0.02 session."
struct Spent {
  TokenUsage usage;
  ResponseFacts facts;
};

Spent read_spent(std::string_view note) {
  Spent out;
  constexpr std::string_view kCost = "Cost: $";
  if (const auto at = note.find(kCost); at != std::string_view::npos) {
    double cost = 0;
    const std::string_view number = note.substr(at + kCost.size());
    std::from_chars(number.data(), number.data() + number.size(), cost);
    if (cost > 0) out.facts.cost_usd = cost;
    note = note.substr(0, at);
  }
  while (!note.empty()) {
    const std::int64_t count = take_count(note);
    note = trimmed(note);
    if (note.starts_with("sent")) out.usage.input = count;
    if (note.starts_with("cache write")) out.usage.cache_creation = count;
    if (note.starts_with("cache hit")) out.usage.cache_read = count;
    if (note.starts_with("received")) out.usage.output = count;
    const auto comma = note.find(',');
    note = comma == std::string_view::npos ? std::string_view() : trimmed(note.substr(comma + 1));
  }
  return out;
}

class Decoder final : public KeyedDecoder<ItemKeys> {
 public:
  Decoder(const Source& source, Detail detail)
      : KeyedDecoder(Platform::aider, source.session_uid, detail, {.strict = true, .items = true}),
        directory_(fs::path(source.path).parent_path().string()) {}

 protected:
  RecordOutcome read(od::object&, RawRef raw, EventBatch& out) override {
    RecordBuilder c(Platform::aider, session_uid_, raw, detail_, out);
    const auto kind = string_body(keys_.kind);
    c.identify(session_uid_ + "/" + std::to_string(raw.offset));
    c.time = integer(keys_.time);
    c.time_estimated = is_true(keys_.estimated);
    c.model = c.text(keys_.model);
    c.id_is_local = true;
    c.cwd = directory_;
    return c.finish(read_kind(c, kind), kind);
  }

 private:
  RecordOutcome read_kind(RecordBuilder& c, std::string_view kind) const {
    if (kind == "chat") {
      if (c.session_uid().empty()) return RecordOutcome::indexed();
      SessionUpdate& session = c.add_session();
      session.started_at = c.time;
      session.model = c.model;
      session.agent_version = c.text(keys_.version);
    } else if (kind == "prompt") {
      std::string text = c.text(keys_.text);
      const Origin origin = text.starts_with('!')   ? Origin::shell
                            : text.starts_with('/') ? Origin::command
                                                    : Origin::typed;
      c.add_prompt(origin, std::move(text));
    } else if (kind == "said") {
      c.add_said(EventKind::assistant_msg, c.text(keys_.text));
    } else if (kind == "notes") {
      read_notes(c, c.text(keys_.text));
    } else {
      return RecordOutcome::unknown("unknown_type");
    }
    return RecordOutcome::indexed();
  }

  void read_notes(RecordBuilder& c, const std::string& notes) const {
    std::size_t edits = 0;
    c.add_injected("notes", notes);
    for (std::string_view rest = notes; !rest.empty();) {
      const std::string_view line = tool_calls::next_line(rest);
      constexpr std::string_view kApplied = "Applied edit to ";
      if (!line.starts_with(kApplied)) continue;
      const std::string_view path = line.substr(kApplied.size());
      const std::string id = std::to_string(c.key()) + "/" + std::to_string(edits++);
      Event& call = c.add(EventKind::tool_call, Role::assistant);
      call.tool = "edit";
      call.call_id = id;
      call.summary = "edit " + std::string(path);
      call.search_text = path;
      call.input_hash = hash64(line);
      call.files.push_back({tool_calls::absolute_path(directory_, path), FileAccess::modified, 0, 0});
      Event& result = c.add(EventKind::tool_result, Role::tool);
      result.tool = "edit";
      result.call_id = id;
      result.text = line;
    }
    if (const auto tokens = note_after(notes, "Tokens: "); !tokens.empty()) {
      const Spent spent = read_spent(tokens);
      c.add_usage(spent.usage, c.key(), spent.facts);
    }
  }

  const std::string directory_;  // in which aider was started
};

// A path in the configuration is a directory in which aider was started. Stateless, thread-safe.
class AiderAdapter final : public AdapterOf<Decoder> {
 public:
  AiderAdapter()
      : AdapterOf(
            {.platform = Platform::aider,
             .adapter_version = "1.0.0",
             .data_completeness = DataCompleteness::partial,
             .capabilities = all_capabilities_but(
                 {Capability::session_stop, Capability::git_branch, Capability::compaction_markers}),
             .limitations =
                 {"The files are in the directories in which aider was started: those in which other agents worked are "
                  "known when memd starts, others are listed under platforms.aider.paths.",
                  "Files with other names (--chat-history-file) are not read.",
                  "Only starts and prompts have times; they are taken as times of memd's time zone.",
                  "Tokens above a thousand are rounded by aider.",
                  "An edit is told by its file's name; its lines are in what the model said.",
                  "A quotation or a small heading of the model whose lines end with two blanks counts as aider's."},
             .storage_locations = {"<directory>/.aider.chat.history.md", "<directory>/.aider.input.history"},
             .resume_command = {}}) {}  // aider goes on with a history only as a whole: --restore-chat-history

  std::vector<fs::path> roots(const HomeLayout& home) const override {
    return home.override_roots.empty() ? home.projects : home.override_roots;
  }

  std::optional<SourceCandidate> classify(const fs::path& root, const fs::path& file) const override {
    const std::string name = file.filename().string();
    if (file.parent_path() != root || (name != kChatName && name != kInputName)) return std::nullopt;
    return SourceCandidate{Platform::aider, (root / kChatName).string(), SourceFormat::json};
  }

  bool looks_into(const fs::path& root, const fs::path& directory) const override { return directory == root; }

  std::string session_uid(const SourceCandidate&, std::string_view) const override { return {}; }

  std::unique_ptr<SnapshotReader> open_snapshot(const Source& source, const FileView& files) const override {
    return std::make_unique<ChatHistoryReader>(source.path, files);
  }
};

}  // namespace

}  // namespace memd::aider

MEMD_ADAPTER(aider, aider::AiderAdapter())
