#pragma once

#include "adapters/adapter.hpp"
#include "adapters/snapshot_reader.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace memd::test {

// The in-memory sessions of an agent: a source that a test changes in place. Texts of items are "kind;name=value;…":
// see ScriptedDecoder. Thread-safe.
class ScriptedSource {
 public:
  struct Item {
    std::string key;
    std::string text;
  };
  struct Session {
    std::string head;  // empty if the session has none
    std::vector<Item> items;
    std::uint64_t changed = 0;  // revision of the latest change
  };

  // The text contains its key, because event ids are derived from it.
  static Item item(std::string key, const std::string& text) {
    std::string whole = text + ";key=" + key;
    return {std::move(key), std::move(whole)};
  }
  template <class Change>
  void change(const std::string& session, Change change) {
    const std::lock_guard lock(mutex_);
    Session& s = sessions_[session];
    change(s);
    s.changed = ++revision_;
  }
  void add(const std::string& session, std::string key, std::string text) {
    change(session, [&](Session& s) { s.items.push_back(item(std::move(key), text)); });
  }
  void set(const std::string& session, const std::string& key, const std::string& text) {
    change(session, [&](Session& s) {
      for (auto& item : s.items)
        if (item.key == key) item = ScriptedSource::item(key, text);
    });
  }
  void erase_session(const std::string& session) {
    const std::lock_guard lock(mutex_);
    sessions_[session] = {"", {}, ++revision_};
    erased_.push_back(session);
  }
  void set_rest(std::vector<CoverageEntry> rest) {
    const std::lock_guard lock(mutex_);
    rest_ = std::move(rest);
    ++revision_;
  }

  std::uint64_t size() const {
    const std::lock_guard lock(mutex_);
    return size_locked();
  }
  // After `calls` more calls, the next `times` calls find the source busy.
  void be_busy(int times, int calls = 0) {
    const std::lock_guard lock(mutex_);
    busy_ = times;
    before_busy_ = calls;
  }
  std::string mark_more;  // end of each mark
  // If set, an item that did not change is reported with version 0.
  bool tells_only_changes = false;
  struct Counts {
    int plans = 0;
    int sessions = 0;
    int items = 0;
  };
  Counts counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  friend class ScriptedReader;
  static std::uint64_t bytes_of(const Item& item) { return item.key.size() + item.text.size(); }
  std::uint64_t size_locked() const {
    std::uint64_t size = 0;
    for (const auto& [key, s] : sessions_) {
      size += s.head.size();
      for (const auto& item : s.items)
        size += bytes_of(item);
    }
    for (const auto& line : rest_)
      size += line.bytes;
    return size;
  }

  mutable std::mutex mutex_;
  std::map<std::string, Session> sessions_;
  std::vector<std::string> erased_;
  std::vector<CoverageEntry> rest_;
  std::uint64_t revision_ = 0;
  int busy_ = 0;
  int before_busy_ = 0;
  Counts counts_;
};

class ScriptedReader final : public SnapshotReader {
 public:
  ScriptedReader(ScriptedSource& source, Platform platform) : s_(source), platform_(platform) {}

  Result<Plan> plan(const std::string& mark) override {
    const std::lock_guard lock(s_.mutex_);
    MEMD_TRY(busy());
    ++s_.counts_.plans;
    Plan plan;
    plan.mark = std::to_string(s_.revision_) + s_.mark_more;
    plan.unchanged = plan.mark == mark;
    plan.size = s_.size_locked();
    const std::uint64_t since = mark.empty() ? 0 : std::stoull(mark);
    std::vector<std::pair<std::uint64_t, std::string>> changed;
    for (const auto& [key, session] : s_.sessions_)
      if (session.changed > since) changed.emplace_back(session.changed, key);
    std::sort(changed.begin(), changed.end());
    for (auto& [when, key] : changed)
      plan.sessions.push_back(std::move(key));
    plan.rest = s_.rest_;
    return plan;
  }

  Result<std::optional<Session>> session(const std::string& key, std::span<const SourceItem> known) override {
    const std::lock_guard lock(s_.mutex_);
    MEMD_TRY(busy());
    ++s_.counts_.sessions;
    const auto it = s_.sessions_.find(key);
    const bool erased = std::find(s_.erased_.begin(), s_.erased_.end(), key) != s_.erased_.end();
    if (it == s_.sessions_.end() || (erased && it->second.items.empty())) return std::nullopt;
    Session out;
    out.session_uid = make_session_uid(platform_, key);
    if (!it->second.head.empty()) out.head = Item{"head", hash64(it->second.head) | 1, it->second.head.size()};
    for (const auto& item : it->second.items) {
      out.items.push_back({item.key, hash64(item.text) | 1, ScriptedSource::bytes_of(item)});
      const bool same = std::any_of(known.begin(), known.end(), [&](const SourceItem& k) {
        return k.key == item.key && k.version == out.items.back().version;
      });
      if (same && s_.tells_only_changes) out.items.back().version = out.items.back().ledger_bytes = 0;
    }
    return out;
  }

  Result<std::string> item(const std::string& key, const std::string& item_key) override {
    const std::lock_guard lock(s_.mutex_);
    MEMD_TRY(busy());
    ++s_.counts_.items;
    const auto it = s_.sessions_.find(key);
    if (it == s_.sessions_.end()) return Error(Errc::not_found, "no such session");
    if (item_key == "head") return it->second.head;
    for (const auto& item : it->second.items)
      if (item.key == item_key) return item.text;
    return Error(Errc::not_found, "no such item");
  }

 private:
  Result<void> busy() {
    if (s_.busy_ == 0 || s_.before_busy_-- > 0) return {};
    --s_.busy_;
    return Error(Errc::busy, "somebody writes");
  }
  ScriptedSource& s_;
  const Platform platform_;
};

// A decoder of "kind;name=value;…" items.
// Kinds: user, answer, call, result, tool (call and result in one), life, head; any other is unknown.
// Names: text, id, tool, input, file, added, removed, error, name, at (seconds), cwd, branch, model, response, out,
// title, mode, started, ended, key, shared, version, context, cost.
class ScriptedDecoder final : public RecordDecoder {
 public:
  ScriptedDecoder(std::string uid, Platform platform) : uid_(std::move(uid)), platform_(platform) {}
  bool is_complete(std::string_view) const override { return true; }

  void decode(const RawRecord& r, EventBatch& out) override {
    const auto fields = parse(r.bytes);
    const std::string kind = get(fields, "kind");
    const std::uint64_t bytes = r.bytes.size() + (r.newline_follows ? 1 : 0);
    if (kind == "head") return decode_head(r, fields, out);
    Event e = base(r, fields);
    if (kind == "user") {
      e.kind = EventKind::user_msg;
      e.role = Role::user;
      e.origin = Origin::typed;
      e.starts_exchange = true;
    } else if (kind == "answer") {
      e.kind = EventKind::assistant_msg;
      e.role = Role::assistant;
      if (const auto key = get(fields, "response"); !key.empty()) {
        e.response_key = hash64(uid_ + key);
        e.usage = {1, std::stoll("0" + get(fields, "out")), 2, 3};
      }
    } else if (kind == "call" || kind == "tool") {
      as_call(e, fields);
    } else if (kind == "result") {
      as_result(e, fields);
    } else if (kind == "life") {
      e.kind = EventKind::lifecycle;
      e.role = Role::system;
      e.lifecycle = get(fields, "name");
    } else {
      out.cover(kind, Disposition::unknown, "", bytes);
      out.diagnostics.push_back({platform_, DiagnosticType::unknown_record_type, Severity::warning, {}, 0, r.offset});
      return;
    }
    out.cover(kind, Disposition::indexed, "", bytes);
    if (kind == "tool") {
      Event result = base(r, fields);
      result.event_id = event_key(e.event_id, 1);
      result.raw.block = 1;
      as_result(result, fields);
      out.events.push_back(std::move(e));
      e = std::move(result);
    }
    out.events.push_back(std::move(e));
  }

 private:
  using Fields = std::map<std::string, std::string, std::less<>>;
  static Fields parse(std::string_view text) {
    Fields out;
    for (bool first = true; !text.empty() || first; first = false) {
      const auto end = std::min(text.find(';'), text.size());
      const auto part = text.substr(0, end);
      const auto eq = part.find('=');
      if (first)
        out["kind"] = part;
      else if (eq != std::string_view::npos)
        out[std::string(part.substr(0, eq))] = part.substr(eq + 1);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
  }
  static std::string get(const Fields& f, std::string_view name) {
    const auto it = f.find(name);
    return it == f.end() ? std::string() : it->second;
  }
  Event base(const RawRecord& r, const Fields& f) const {
    Event e;
    e.session_uid = uid_;
    e.event_id = record_key(platform_, get(f, "shared").empty() ? uid_ + "/" + get(f, "key") : get(f, "shared"));
    const auto at = get(f, "at");
    e.time = 1'770'000'000'000 + std::stoll("0" + at) * 1000;
    e.text = get(f, "text");
    e.cwd = get(f, "cwd");
    e.git_branch = get(f, "branch");
    e.model = get(f, "model");
    e.agent_version = get(f, "version");
    e.raw = {r.offset, static_cast<std::uint32_t>(r.bytes.size()), 0};
    return e;
  }
  static void as_call(Event& e, const Fields& f) {
    e.kind = EventKind::tool_call;
    e.role = Role::assistant;
    e.call_id = get(f, "id");
    e.tool = get(f, "tool");
    e.search_text = get(f, "input");
    e.text.clear();
    e.summary = e.tool + ": " + e.search_text;
    e.input_hash = hash64(e.summary) | 1;
    e.is_test = e.search_text.starts_with("go test");
    if (const auto file = get(f, "file"); !file.empty()) e.files.push_back({file, FileAccess::modified, 0, 0});
  }
  static void as_result(Event& e, const Fields& f) {
    e.kind = EventKind::tool_result;
    e.role = Role::tool;
    e.call_id = get(f, "id");
    e.is_error = !get(f, "error").empty();
    if (const auto file = get(f, "file"); !file.empty())
      e.files.push_back(
          {file, FileAccess::modified, std::stoi("0" + get(f, "added")), std::stoi("0" + get(f, "removed"))});
  }
  void decode_head(const RawRecord& r, const Fields& f, EventBatch& out) const {
    out.cover("head", Disposition::indexed, "", r.bytes.size());
    SessionUpdate u;
    u.session_uid = uid_;
    u.platform = platform_;
    u.title = get(f, "title");
    u.title_rank = TitleRank::ai;
    u.cwd = get(f, "cwd");
    u.git_branch = get(f, "branch");
    u.model = get(f, "model");
    u.mode = get(f, "mode");
    u.context_tokens = std::stoll("0" + get(f, "context"));
    const auto time = [&](std::string_view name) {
      const auto seconds = get(f, name);
      return seconds.empty() ? 0 : 1'770'000'000'000 + std::stoll(seconds) * 1000;
    };
    u.started_at = time("started");
    u.ended_at = time("ended");
    if (const auto cost = get(f, "cost"); !cost.empty()) u.cost_usd = std::stod(cost);
    out.sessions.push_back(std::move(u));
  }

  const std::string uid_;
  const Platform platform_;
};

// A platform whose only snapshot source is a ScriptedSource. On disk a file "script.db" represents it.
class ScriptedAdapter final : public Adapter {
 public:
  explicit ScriptedAdapter(ScriptedSource& source, Platform platform = Platform::thunderus) : source_(source) {
    description_.platform = platform;
    description_.adapter_version = "test-1";
  }
  const AdapterDescription& describe() const override { return description_; }
  std::vector<std::filesystem::path> roots(const HomeLayout& home) const override { return {home.home / "scripted"}; }
  std::optional<SourceCandidate> classify(const std::filesystem::path&,
                                          const std::filesystem::path& file) const override {
    if (file.filename() == "script.db")
      return SourceCandidate{description_.platform, file.string(), SourceFormat::sqlite};
    if (file.extension() == ".jsonl") return SourceCandidate{description_.platform, file.string(), SourceFormat::jsonl};
    return std::nullopt;
  }
  std::string session_uid(const SourceCandidate& source, std::string_view) const override {
    if (source.format == SourceFormat::sqlite) return {};
    return make_session_uid(description_.platform, std::filesystem::path(source.path).stem().string());
  }
  std::unique_ptr<RecordDecoder> open(const Source& source) const override {
    return std::make_unique<ScriptedDecoder>(source.session_uid, description_.platform);
  }
  std::unique_ptr<SnapshotReader> open_snapshot(const Source& source, const FileView& files) const override {
    if (source.format != SourceFormat::sqlite) return nullptr;
    (void)files;
    return std::make_unique<ScriptedReader>(source_, description_.platform);
  }
  std::optional<std::string> event_text(std::string_view record, EventKind, std::uint16_t) const override {
    return std::string(record);
  }

 private:
  ScriptedSource& source_;
  AdapterDescription description_;
};

}  // namespace memd::test
