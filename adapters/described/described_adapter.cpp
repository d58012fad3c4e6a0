#include "adapters/described/described_adapter.hpp"

#include "adapters/described/file_pattern.hpp"
#include "adapters/described/lookup.hpp"
#include "adapters/described/rule_reader.hpp"
#include "adapters/described/session_document.hpp"
#include "adapters/json/json_writer.hpp"
#include "adapters/json/log_decoder.hpp"
#include "adapters/json/value_scanner.hpp"
#include "adapters/snapshot/held_source.hpp"
#include "adapters/sqlite/query_sessions.hpp"
#include "schemas/base/embedded.hpp"
#include "schemas/base/error.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace memd::described {
namespace {

namespace fs = std::filesystem;

// A source of an agent's, and what its path says.
struct Found {
  const SourceRule* source = nullptr;
  FileMatch match;
};

std::string_view main_file(std::string_view path, SourceFormat format) {
  if (format == SourceFormat::sqlite)
    for (const std::string_view companion : {"-wal", "-shm", "-journal"})
      if (path.ends_with(companion)) path.remove_suffix(companion.size());
  return path;
}

// `fit`: match_file or match_file_end.
template <class Fit>
std::optional<Found> find_source(const Description& agent, std::string_view path, Fit&& fit) {
  for (const SourceRule& source : agent.sources) {
    const auto file = main_file(path, source.format);
    if (std::any_of(source.excepted.begin(), source.excepted.end(), [&](const auto& p) { return fit(p, file); }))
      continue;
    for (const auto& pattern : source.files)
      if (auto match = fit(pattern, file)) return Found{&source, std::move(*match)};
  }
  return std::nullopt;
}

Found source_of(const Description& agent, std::string_view path) {
  return find_source(agent, path, match_file_end).value_or(Found{&agent.sources.front(), {}});
}

// Decodes the lines of a log, or the items of a document or a database. One thread at a time.
class Decoder final : public json::LogDecoder {
 public:
  Decoder(Platform platform, const Description& agent, Found found, const Source& source, json::Detail detail)
      : LogDecoder(platform, {.items = found.source->format != SourceFormat::jsonl}),
        platform_(platform),
        agent_(agent),
        source_(*found.source),
        match_(std::move(found.match)),
        session_uid_(source.session_uid),
        detail_(detail),
        log_time_(source_.record.time_of_file && source_.format == SourceFormat::jsonl ? source.mtime : 0) {
    lookup_.set_folder(fs::path(source.path).parent_path().string());
  }

 protected:
  void begin_source(EventBatch& out) override {
    if (source_.format != SourceFormat::jsonl || match_.parent.empty() || session_uid_.empty()) return;
    json::RecordBuilder c(platform_, session_uid_, {}, detail_, out);
    add_parent(c.add_session());
  }

  bool open(json::od::object& root) const override {
    std::string_view whole;
    json::dom::element record;
    if (root.raw_json().get(whole)) return false;
    if (parser_.parse(whole.data(), whole.size(), false).get(record)) return false;
    bytes_ = whole;
    json::dom::element own;
    session_.reset();
    key_ = {};
    time_of_file_ = log_time_;
    const auto object = record.get_object().value_unsafe();
    if (!object.at_key("@session").get(own)) session_ = own;
    if (object.at_key("@key").get(key_)) key_ = {};
    if (object.at_key("@time").get(time_of_file_)) time_of_file_ = log_time_;
    if (!object.at_key("@value").get(own)) record = own;
    lookup_.begin(record);
    return true;
  }

  bool surely_a_record() const override {
    return fits_a_rule(source_, lookup_) && (source_.record.time.empty() || lookup_.find(source_.record.time, whole()));
  }

  RecordOutcome read(json::od::object&, RawRef raw, EventBatch& out) override {
    const Place place = whole();
    if (source_.format != SourceFormat::jsonl && raw.offset == 0) return read_head(raw, out);
    std::string uid = session_uid_;
    if (source_.each_names_session)
      if (const auto id = lookup_.text(source_.session.id, place); !id.empty()) uid = make_session_uid(platform_, id);
    json::RecordBuilder c(platform_, uid, raw, detail_, out);
    const RecordTerms& terms = source_.record;
    const std::string type = lookup_.text(terms.type, place);
    identify(c, uid, place);
    c.is_sidechain = !match_.parent.empty() || (!terms.subagent.empty() && lookup_.holds(terms.subagent, place));
    if (session_ && !lookup_.text(source_.session.parent, {*session_, {}}).empty()) c.is_sidechain = true;
    c.model = lookup_.text(terms.model, place);
    c.cwd = directory_of(terms.cwd, lookup_, place);
    const bool told = read_time(c, place);
    RuleReader reader(agent_, source_, lookup_, c);
    const std::size_t first = out.events.size();
    RecordOutcome outcome = reader.read();
    const std::string branch = lookup_.text(terms.branch, place);
    const std::string version = lookup_.text(terms.version, place);
    for (std::size_t i = first; i < out.events.size(); ++i) {
      out.events[i].git_branch = branch;
      out.events[i].agent_version = version;
      if (out.events[i].response_key != 0 && out.events[i].model.empty()) out.events[i].model = c.model;
    }
    if (!told && c.emitted()) {
      c.diagnose(DiagnosticType::missing_field, {"time"});
      if (c.time == 0) outcome = RecordOutcome::unknown("no_time");
    }
    return c.finish(std::move(outcome), type);
  }

 private:
  Place whole() const { return {lookup_.record(), {}}; }

  void add_parent(SessionUpdate& update) const {
    update.kind = SessionKind::subagent;
    update.parent_uid = make_session_uid(platform_, match_.parent);
  }

  RecordOutcome read_head(RawRef raw, EventBatch& out) const {
    json::RecordBuilder c(platform_, session_uid_, raw, detail_, out);
    add_session_facts(source_.session, source_.record.local_time, lookup_, whole(), c);
    if (!match_.parent.empty()) add_parent(out.sessions.back());
    return RecordOutcome::indexed("session");
  }

  void identify(json::RecordBuilder& c, const std::string& uid, const Place& place) const {
    const RecordTerms& terms = source_.record;
    const auto native = [&](const std::string& id) { return terms.unique_in_agent ? id : uid + "/" + id; };
    std::string id = lookup_.text(terms.id, place);
    // Rows of several queries are of tables that number their rows alike.
    std::int64_t query = 0;
    if (!id.empty() && !place.here["@query"].get(query) && query > 1) id = std::to_string(query) + ":" + id;
    c.id_is_local = !terms.unique_in_agent || id.empty();
    if (!id.empty())
      c.identify(native(id));
    else if (!key_.empty())
      c.identify(uid + "/" + std::string(key_));
    else
      c.identify(hash64(bytes_, hash64(uid)));
    if (terms.parent.empty() || id.empty()) return;
    const std::string parent = lookup_.text(terms.parent, place);
    if (!parent.empty())
      c.parent = record_key(platform_, native(parent));
    else if (lookup_.finds_null(terms.parent, place))
      c.parent = 0;
  }

  // Returns whether the record has the time that it should have.
  bool read_time(json::RecordBuilder& c, const Place& place) const {
    const RecordTerms& terms = source_.record;
    if (const auto time = lookup_.time(terms.time, place, terms.local_time)) {
      c.time = *time;
      return true;
    }
    c.time_estimated = true;
    c.time = time_of_file_;
    if (session_ && c.time == 0)
      c.time = lookup_.time(source_.session.started, {*session_, {}}, terms.local_time).value_or(0);
    return terms.time.empty() || terms.time_of_file || session_.has_value();
  }

  const Platform platform_;
  const Description& agent_;
  const SourceRule& source_;
  const FileMatch match_;
  const std::string session_uid_;
  const json::Detail detail_;
  const TimeMs log_time_;  // of a log whose records have none
  // Of the record at hand.
  mutable json::dom::parser parser_;
  mutable Lookup lookup_;
  mutable std::string_view bytes_;
  mutable std::optional<json::dom::element> session_;
  mutable std::string_view key_;
  mutable std::int64_t time_of_file_ = 0;
};

// Reads a document that is rewritten as a whole. One thread at a time; `files` must outlive it.
class DocumentReader final : public snapshot::HeldSource {
 public:
  DocumentReader(Platform platform, Found found, const FileView& files, std::string path)
      : HeldSource(files, std::move(path)),
        platform_(platform),
        source_(*found.source),
        match_(std::move(found.match)) {}

 protected:
  Result<void> read() override {
    MEMD_TRY_ASSIGN(const std::string text, files_.read(path_));
    size_ = text.size();
    if (json::trimmed(text).empty()) {
      note("(blank)", Disposition::skipped, "blank", size_, size_ > 0 ? 1 : 0);
      return {};
    }
    TakenApart found = take_apart(source_, text, match_.session);
    if (found.state == TakenApart::State::unfinished) return Error(Errc::busy, path_ + ": it is being written");
    const auto file = files_.stat(path_);
    std::uint64_t items = 0;
    for (auto& parts : found.sessions) {
      Held& held = add_session(parts.id, make_session_uid(platform_, parts.id));
      if (parts.head.size() > 2 || !match_.parent.empty()) held.add_head(std::move(parts.head));
      for (auto& record : parts.records) {
        items += record.bytes;
        // A document written again is no change of its records.
        const std::uint64_t version = hash64(record.json) | 1;
        if (source_.record.time_of_file && file) {
          json::ObjectWriter members;
          members.number("@time", file->mtime);
          record.json = json::with_members(std::move(members), record.json);
        }
        held.session.items.push_back(held.bytes.add(record.key, std::move(record.json), record.bytes, version));
      }
    }
    const std::uint64_t rest = size_ - std::min(size_, items + found.unread + found.damaged);
    if (found.is_other)
      note("(document)", Disposition::unknown, "no_records", rest);
    else
      note("(document)", Disposition::indexed, {}, rest);
    note("(other members)", Disposition::skipped, "not_described", found.unread, found.unread > 0 ? 1 : 0);
    note("(damaged)", Disposition::skipped, "damaged", found.damaged, found.damaged > 0 ? 1 : 0);
    return {};
  }

 private:
  const Platform platform_;
  const SourceRule& source_;
  const FileMatch match_;
};

// Returns the column that a term names; empty: it names none.
std::string column_of(const Term& term) {
  if (term.pointers.empty()) return {};
  const Pointer& pointer = term.pointers.front();
  return pointer.steps.size() == 1 && !pointer.steps.front().opens ? pointer.steps.front().name : std::string();
}

// Gives records the time at which their session's row last changed; it is no part of their version.
void add_time_of_change(std::string_view row, bool local_time, std::vector<sqlite::SessionQueries::Parts>& sessions) {
  json::DomParser parser;
  json::dom::element root;
  Lookup lookup;
  if (!parser.parse(row, root)) return;
  lookup.begin(root);
  const auto time = lookup.time({{}, {{false, false, {{"changed", false}}}}}, {root, {}}, local_time);
  if (!time) return;
  for (auto& session : sessions)
    for (auto& record : session.records) {
      json::ObjectWriter members;
      members.number("@time", *time);
      record.version = hash64(record.json) | 1;
      record.json = json::with_members(std::move(members), record.json);
    }
}

sqlite::SessionQueries queries_of(Platform platform, const SourceRule& source) {
  sqlite::SessionQueries out;
  out.platform = platform;
  out.sessions = source.session_queries;
  out.rows = source.row_queries;
  out.order = source.order;
  if (auto id = column_of(source.session.id); !id.empty()) out.id = std::move(id);
  out.key = source.key.empty() ? column_of(source.record.id) : source.key;
  for (const Term* term : {&source.session.started, &source.session.parent})
    for (const Pointer& pointer : term->pointers)
      if (!pointer.steps.empty()) out.carried.push_back(pointer.steps.front().name);
  out.shared = !source.sessions.empty() || column_of(source.session.id).empty();
  if (out.shared || !source.records.empty())
    out.split = [&source](std::string_view row) {
      auto sessions = take_apart(source, row, {}).sessions;
      if (source.record.time_of_file) add_time_of_change(row, source.record.local_time, sessions);
      return sessions;
    };
  return out;
}

fs::path expanded(const std::string& root, const HomeLayout& home) {
  if (root.starts_with("~/")) return home.home / root.substr(2);
  if (!root.starts_with('$')) return root;
  const auto end = std::min(root.find('/'), root.size());
  const fs::path named = home.directory_of ? home.directory_of(root.substr(1, end - 1).c_str()) : fs::path();
  if (named.empty()) return {};
  return end + 1 < root.size() ? named / root.substr(end + 1) : named;
}

const embedded::EmbeddedFile& embedded_description(Platform platform) {
  const std::string name = std::string(to_string(platform)) + ".yaml";
  for (const auto& file : embedded::described_agents())
    if (file.name == name) return file;
  throw ErrorException(Error(Errc::not_found, "no description " + name));
}

// Returns "#rrggbb" of a hue in degrees and a lightness from 0 to 1.
std::string colour(double hue, double lightness) {
  const double strength = 0.55 * std::min(lightness, 1 - lightness);
  std::array<int, 3> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double k = std::fmod(std::array{0.0, 8.0, 4.0}[i] + hue / 30, 12);
    const double value = lightness - strength * std::max(-1.0, std::min({k - 3, 9 - k, 1.0}));
    parts[i] = static_cast<int>(std::lround(255 * value));
  }
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", parts[0] & 255, parts[1] & 255, parts[2] & 255);
  return text;
}

}  // namespace

DescribedAdapter::DescribedAdapter(Platform platform, Description description)
    : platform_(platform), is_built_in_(false), description_(std::move(description)) {
  std::call_once(parsed_, [&] { description_.adapter.platform = platform_; });
}

const Description& DescribedAdapter::description() const {
  std::call_once(parsed_, [&] {
    const auto& file = embedded_description(platform_);
    description_ = parse_description(file.text, std::string(file.name)).value();
    description_.adapter.platform = platform_;
  });
  return description_;
}

// A start asks all adapters, most of them for nothing else.
std::vector<std::string> DescribedAdapter::roots() const {
  if (is_built_in_) {
    const auto& file = embedded_description(platform_);
    return roots_in(file.text, std::string(file.name));
  }
  std::vector<std::string> out;
  for (const SourceRule& source : description_.sources)
    out.insert(out.end(), source.roots.begin(), source.roots.end());
  return out;
}

std::vector<fs::path> DescribedAdapter::roots(const HomeLayout& home) const {
  if (!home.override_roots.empty()) return home.override_roots;
  constexpr std::string_view kProject = "{project}/";
  std::vector<fs::path> out;
  const auto add = [&](fs::path path) {
    if (!path.empty() && std::find(out.begin(), out.end(), path) == out.end()) out.push_back(std::move(path));
  };
  for (const auto& root : roots()) {
    if (!root.starts_with(kProject)) {
      add(expanded(root, home));
      continue;
    }
    for (const fs::path& project : home.projects)
      add(project / root.substr(kProject.size()));
  }
  return out;
}

std::optional<SourceCandidate> DescribedAdapter::classify(const fs::path& root, const fs::path& file) const {
  const auto found = file == root
                         ? find_source(description(), file.string(), match_file_end)
                         : find_source(description(), file.lexically_relative(root).generic_string(), match_file);
  if (!found) return std::nullopt;
  const std::string path = file.string();
  return SourceCandidate{platform_, std::string(main_file(path, found->source->format)), found->source->format};
}

bool DescribedAdapter::looks_into(const fs::path& root, const fs::path& directory) const {
  if (directory == root) return true;
  const std::string folder = directory.lexically_relative(root).generic_string();
  const auto& sources = description().sources;
  return std::any_of(sources.begin(), sources.end(), [&](const SourceRule& source) {
    return std::any_of(source.files.begin(), source.files.end(), [&](const auto& p) { return may_hold(p, folder); });
  });
}

std::string DescribedAdapter::session_uid(const SourceCandidate& source, std::string_view head) const {
  const Found found = source_of(description(), source.path);
  if (found.source->format != SourceFormat::jsonl || found.source->each_names_session) return {};
  // The head may end within a record, so its members are looked for one by one.
  std::string id = head_text(found.source->session.id, head);
  if (id.empty() && !found.match.session.empty()) id = found.match.session;
  return id.empty() ? std::string() : make_session_uid(platform_, id);
}

std::unique_ptr<RecordDecoder> DescribedAdapter::open(const Source& source) const {
  return std::make_unique<Decoder>(platform_, description(), source_of(description(), source.path), source,
                                   json::Detail::stored);
}

std::unique_ptr<SnapshotReader> DescribedAdapter::open_snapshot(const Source& source, const FileView& files) const {
  Found found = source_of(description(), source.path);
  switch (found.source->format) {
    case SourceFormat::jsonl: break;
    case SourceFormat::json: return std::make_unique<DocumentReader>(platform_, std::move(found), files, source.path);
    case SourceFormat::sqlite:
      return std::make_unique<sqlite::QuerySessions>(files, source.path, queries_of(platform_, *found.source));
  }
  return nullptr;
}

std::optional<std::string> DescribedAdapter::event_text(std::string_view record, EventKind kind,
                                                        std::uint16_t block) const {
  // The record does not tell the source that it is from.
  for (const SourceRule& source : description().sources) {
    Decoder decoder(platform_, description(), {&source, {}}, Source{}, json::Detail::full);
    if (auto text = decoded_text(decoder, record, kind, block)) return text;
  }
  return std::nullopt;
}

const Adapter& built_in_adapter(Platform platform) {
  static std::mutex mutex;
  static std::map<Platform, DescribedAdapter> adapters;
  const std::lock_guard lock(mutex);
  return adapters.try_emplace(platform, platform).first->second;
}

PlatformInfo platform_of(const Description& agent) {
  return {own_platform(agent.key), agent.key, agent.name, agent.light, agent.dark};
}

void settle_colours(Description& agent) {
  const double hue = static_cast<double>(hash64(agent.key) % 360);
  if (agent.light.empty()) agent.light = colour(hue, 0.36);
  if (agent.dark.empty()) agent.dark = colour(hue, 0.68);
}

}  // namespace memd::described
