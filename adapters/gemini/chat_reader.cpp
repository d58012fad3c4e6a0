#include "adapters/gemini/chat_reader.hpp"

#include "adapters/gemini/message_parts.hpp"
#include "adapters/gemini/paths.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/json_writer.hpp"
#include "adapters/json/value_scanner.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <utility>

namespace memd::gemini {
namespace {

using json::ValueScanner;

using State = ValueScanner::State;

// The members of a message or a line that concern the chat as a whole.
struct Line {
  bool whole = false;
  bool has_calls = false;  // of tools, with their results
  bool has_content = false;
  std::string id;
  std::string_view rewind;
  std::string_view set;
  std::vector<std::pair<std::string_view, std::string_view>> members;
};

Line read_members(std::string_view object) {
  Line line;
  ValueScanner scanner(object);
  line.whole = scanner.members([&](std::string_view key, std::string_view value) {
    if (key == "id" && json::is_string(value)) line.id = json::unescaped(value);
    if (key == "content") line.has_content = true;
    if (key == "toolCalls" && value.size() > 2) line.has_calls = true;
    if (key == "$rewindTo" && json::is_string(value)) line.rewind = value;
    if (key == "$set" && value.starts_with('{')) line.set = value;
    line.members.emplace_back(key, value);
  });
  line.whole = line.whole && scanner.peek() == '\0' && scanner.at() >= object.size();
  return line;
}

constexpr std::string_view kDamagedItem = R"({"damaged":true})";

}  // namespace

Result<ChatFile> ChatFile::parse(std::string text, bool is_log) {
  ChatFile chat(std::move(text));
  if (is_log)
    chat.read_log();
  else if (!chat.read_document())
    return Error(Errc::busy, "the chat is being written");
  chat.settle();
  return chat;
}

bool ChatFile::read_document() {
  ValueScanner scanner(*text_);
  const auto open = [&](std::string_view key) {
    if (key != "messages" || scanner.peek() != '[') return false;
    scanner.elements([&](std::string_view element) { add_message(element, read_members(element).id, element.size()); });
    return true;
  };
  scanner.members(open, [&](std::string_view key, std::string_view value) { set_header(key, value); });
  if (scanner.state() == State::unfinished) return false;
  // After a surplus bracket or inside a damaged range: the rest contains no messages.
  if (scanner.state() == State::broken || scanner.peek() != '\0' || scanner.at() < text_->size())
    add_damaged(text_->size() - scanner.at());
  return true;
}

void ChatFile::read_log() {
  json::for_each_line(*text_, [&](std::string_view line, std::size_t taken, bool finished) {
    if (json::trimmed(line).empty())
      note("(blank)", Disposition::skipped, "blank", taken);
    else if (!finished && !read_members(line).whole)
      note("(unfinished)", Disposition::skipped, "unfinished", taken);
    else
      read_line(line, taken);
  });
}

void ChatFile::read_line(std::string_view line, std::uint64_t taken) {
  const Line members = read_members(line.substr(0, line.find_last_not_of(" \t\r") + 1));
  has_lines_ = true;
  if (!members.whole) return add_damaged(taken);
  if (!members.rewind.empty()) {
    rewind_to(json::unescaped(members.rewind));
    return note("$rewindTo", Disposition::indexed, {}, taken);
  }
  if (!members.id.empty() || (members.has_content && members.set.empty())) return add_message(line, members.id, taken);
  if (members.set.empty()) {
    for (const auto& [key, value] : members.members)
      set_header(key, value);
    return;  // the header: structure
  }
  std::vector<std::string_view> list;
  ValueScanner scanner(members.set);
  const auto open = [&](std::string_view key) {
    if (key != "messages" || scanner.peek() != '[') return false;
    scanner.elements([&](std::string_view element) { list.push_back(element); });
    return true;
  };
  scanner.members(open, [&](std::string_view key, std::string_view value) { set_header(key, value); });
  std::uint64_t elements = 0;
  for (const auto element : list)
    elements += element.size();
  note("$set", Disposition::indexed, {}, taken - elements);
  if (!list.empty()) replace_list(list);
}

void ChatFile::add_message(std::string_view bytes, std::string_view id, std::uint64_t taken) {
  std::string key = id.empty() ? "#" + std::to_string(messages_.size() + 1) : std::string(id);
  const auto [it, is_new] = index_.try_emplace(key, messages_.size());
  if (is_new) {
    Message& added = messages_.emplace_back();
    added.key = std::move(key);
    added.bytes = bytes;
    added.taken = taken;
    return;
  }
  Message& message = messages_[it->second];
  note("(superseded)", Disposition::skipped, "superseded", message.taken);
  message.bytes = bytes;
  message.taken = taken;
}

void ChatFile::add_damaged(std::uint64_t taken) {
  add_message({}, "(damaged " + std::to_string(messages_.size() + 1) + ")", taken);
}

void ChatFile::replace_list(const std::vector<std::string_view>& list) {
  std::vector<std::string> keys;
  std::unordered_map<std::string_view, std::size_t> unnamed;  // bytes of a message without an id → where to look on
  for (const auto element : list) {
    const Line members = read_members(element);
    auto known = index_.find(members.id);
    if (members.id.empty()) {
      std::size_t& at = unnamed[element];
      while (at < messages_.size() && (messages_[at].key.front() != '#' || messages_[at].bytes != element))
        ++at;
      if (at < messages_.size()) known = index_.find(messages_[at].key);
      ++at;
    }
    // Gemini CLI adds nothing to a message here; it masks old results, drops what is only shown, and gives prompts the
    // time at which the session was resumed.
    const bool is_told = known != index_.end() && (element.size() <= messages_[known->second].bytes.size() ||
                                                   read_members(messages_[known->second].bytes).has_calls);
    if (known != index_.end())
      keys.push_back(known->first);
    else
      keys.push_back(members.id.empty() ? "#" + std::to_string(messages_.size() + 1) : members.id);
    if (is_told)
      note("(superseded)", Disposition::skipped, "superseded", element.size());
    else
      add_message(element, keys.back(), element.size());
  }
  mark_compaction(keys);
}

// Marks the messages of a list with a new acknowledgement: its summary, and the turns that repeat earlier ones.
void ChatFile::mark_compaction(const std::vector<std::string>& list) {
  std::vector<std::size_t> places;
  for (const auto& key : list)
    places.push_back(index_.at(key));
  const auto is_new_ack = [&](std::size_t place) {
    return !messages_[place].acknowledgement && is_acknowledgement(messages_[place].bytes);
  };
  const auto ack = std::find_if(places.begin(), places.end(), is_new_ack);
  if (ack == places.end()) return;
  messages_[*ack].acknowledgement = true;
  std::size_t end = *ack;
  if (ack != places.begin() && read_parts(messages_[*(ack - 1)].bytes).of_user) {
    messages_[*(ack - 1)].summary = true;
    end = std::min(end, *(ack - 1));
  }
  std::vector<MessageParts> before;
  for (std::size_t i = 0; i < end; ++i)
    before.push_back(read_parts(messages_[i].bytes));
  std::vector<MessageParts> kept;
  const std::vector<std::size_t> known(ack + 1, places.end());
  for (const std::size_t place : known)
    kept.push_back(read_parts(messages_[place].bytes));
  const auto repeats = find_repeats(kept, known, before);
  for (std::size_t i = 0; i < known.size(); ++i)
    if (repeats[i]) messages_[known[i]].repeats = true;
}

void ChatFile::settle() {
  constexpr std::string_view kSnapshot = "<state_snapshot>";
  std::vector<MessageParts> parts;
  parts.reserve(messages_.size());
  for (const Message& message : messages_)
    parts.push_back(read_parts(message.bytes));
  std::vector<MessageParts::Call> calls;
  std::vector<MessageParts::Call> results;
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    calls.insert(calls.end(), parts[i].recorded_calls.begin(), parts[i].recorded_calls.end());
    results.insert(results.end(), parts[i].recorded_results.begin(), parts[i].recorded_results.end());
    // A chat that was copied to a new file has no lists.
    const bool follows = i > 0 && parts[i - 1].of_user && !parts[i - 1].texts.empty() &&
                         parts[i - 1].texts.front().find(kSnapshot) != std::string::npos;
    if (follows && is_acknowledgement(parts[i])) messages_[i - 1].summary = messages_[i].acknowledgement = true;
  }
  std::unordered_map<std::string, int> unnamed;
  for (Message& message : messages_)
    if (message.key.front() == '#' && !message.bytes.empty()) message.alike = unnamed[json::compacted(message.bytes)]++;
  const auto note_untold = [](std::vector<MessageParts::Call>& told, const std::vector<MessageParts::Call>& found,
                              std::string& out) {
    for (const auto& call : found) {
      if (std::any_of(told.begin(), told.end(), [&](const auto& c) { return c.fits(call); })) continue;
      out.append(out.empty() ? "" : " ").append(std::to_string(call.part));
      told.push_back(call);
    }
  };
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    Message& message = messages_[i];
    if (message.repeats) continue;
    note_untold(calls, parts[i].calls, message.untold);
    note_untold(results, parts[i].responses, message.untold);
    if (!message.summary) continue;
    // The client reports a compaction of its own; one by command leaves an empty notice.
    for (std::size_t next = i + 1; next < messages_.size(); ++next) {
      if (messages_[next].acknowledgement || messages_[next].repeats) continue;
      if (parts[next].of_user || parts[next].of_model) break;
      if (parts[next].texts.empty())
        message.trigger = "manual";
      else if (parts[next].texts.front().find("ompress") != std::string::npos)
        message.trigger = "auto";
      break;
    }
  }
}

// Like Gemini CLI: an unknown id removes everything.
void ChatFile::rewind_to(std::string_view id) {
  const auto it = index_.find(std::string(id));
  const std::size_t keep = it == index_.end() ? 0 : it->second;
  for (std::size_t i = keep; i < messages_.size(); ++i)
    note("(rewound)", Disposition::skipped, "rewound", messages_[i].taken);
  messages_.resize(keep);
  reindex();
}

void ChatFile::reindex() {
  index_.clear();
  for (std::size_t i = 0; i < messages_.size(); ++i)
    if (!index_.try_emplace(messages_[i].key, i).second) {
      messages_[i].key += "#" + std::to_string(i + 1);  // the same id twice in one list
      index_.try_emplace(messages_[i].key, i);
    }
}

void ChatFile::set_header(std::string_view name, std::string_view value) {
  if (name == "messages") return;
  // Gemini CLI writes another header when it resumes a chat; the first one has the start of the session.
  const auto [it, is_new] = header_.try_emplace(std::string(name), value);
  if (!is_new && name != "startTime") it->second = value;
}

void ChatFile::note(std::string_view type, Disposition disposition, std::string_view reason, std::uint64_t bytes) {
  const auto same = [&](const CoverageEntry& e) { return e.record_type == type; };
  auto it = std::find_if(rest_.begin(), rest_.end(), same);
  if (it == rest_.end()) it = rest_.insert(it, {std::string(type), disposition, std::string(reason), 0, 0});
  ++it->records;
  it->bytes += bytes;
}

const ChatFile::Message* ChatFile::find(std::string_view key) const {
  const auto it = index_.find(std::string(key));
  return it == index_.end() ? nullptr : &messages_[it->second];
}

std::string ChatFile::header(std::string_view name) const {
  const auto it = header_.find(std::string(name));
  return it == header_.end() ? std::string() : json::unescaped(it->second);
}

std::vector<CoverageEntry> ChatFile::rest() const {
  std::vector<CoverageEntry> rest = rest_;
  std::uint64_t accounted = 0;
  for (const auto& message : messages_)
    accounted += message.taken;
  for (const auto& line : rest)
    accounted += line.bytes;
  rest.push_back({"(structure)", Disposition::indexed, {}, 1, text_->size() - accounted});
  // Kinds without entries are listed too, because they may have had some before.
  const auto name = [&](std::string_view type, std::string_view reason) {
    for (const auto& line : rest_)
      if (line.record_type == type) return;
    rest.push_back(
        {std::string(type), reason.empty() ? Disposition::indexed : Disposition::skipped, std::string(reason), 0, 0});
  };
  name("(blank)", "blank");
  name("(unfinished)", "unfinished");
  name("(superseded)", "superseded");
  name("(rewound)", "rewound");
  name("$set", {});
  name("$rewindTo", {});
  return rest;
}

Result<void> ChatReader::read() {
  MEMD_TRY_ASSIGN(std::string text, files_.read(path_));
  MEMD_TRY_ASSIGN(chat_, ChatFile::parse(std::move(text), place_.is_log));
  native_id_ = native_session_id(place_, chat_->header("sessionId"));
  project_root_ = find_project_root(files_, place_);
  size_ = chat_->size();
  for (const auto& line : chat_->rest())
    note(line.record_type, line.disposition, line.reason, line.bytes, line.records);
  if (!chat_->has_content()) return {};
  Held& held = add_session(native_id_, make_session_uid(Platform::gemini, native_id_));
  held.add_head(head());
  for (const auto& message : chat_->messages()) {
    std::string item = item_of(message, message.repeats);
    const std::uint64_t version = hash64(item);
    held.add(message.key, std::move(item), message.taken, version);
  }
  return {};
}

// A file that was written anew lacks what a message repeats; the store has it.
void ChatReader::compare(std::span<const SourceItem> known, Session& session) const {
  std::unordered_map<std::string_view, std::uint64_t> versions;
  for (const SourceItem& item : known)
    versions.emplace(item.key, item.version);
  for (Item& item : session.items)
    if (const auto stored = versions.find(item.key); stored != versions.end() && stored->second != item.version)
      if (stored->second == hash64(item_of(*chat_->find(item.key), true))) item.version = stored->second;
}

// Returns the message with the working directory and what other messages tell of it.
std::string ChatReader::item_of(const ChatFile::Message& message, bool repeats) const {
  if (message.bytes.empty()) return std::string(kDamagedItem);
  std::string item = json::compacted(message.bytes);
  json::ObjectWriter out;
  if (message.key.starts_with('#')) {  // without an id, its bytes identify it
    if (message.alike == 0) return item;
    out.number("alike", message.alike);
    return json::with_members(std::move(out), item);
  }
  out.some_text("cwd", project_root_);
  if (message.summary) out.text("compaction", message.trigger);
  out.flag("acknowledges", message.acknowledgement).flag("repeats", repeats);
  if (!repeats) out.some_text("untold", message.untold);
  return json::with_members(std::move(out), item);
}

std::string ChatReader::head() const {
  json::ObjectWriter out;
  out.some_text("sessionId", native_id_)
      .some_text("kind", chat_->header("kind"))
      .some_text("startTime", chat_->header("startTime"));
  out.some_text("summary", chat_->header("summary")).some_text("cwd", project_root_);
  return std::move(out).finish();
}

}  // namespace memd::gemini
