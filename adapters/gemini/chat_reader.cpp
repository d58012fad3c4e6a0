#include "adapters/gemini/chat_reader.hpp"

#include "adapters/gemini/message_parts.hpp"
#include "adapters/gemini/paths.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/json_writer.hpp"
#include "adapters/json/value_scanner.hpp"
#include "adapters/snapshot/held_source.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <unordered_map>
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

class ChatReader final : public snapshot::HeldSource {
 public:
  ChatReader(const FileView& files, std::string path, ChatPath place)
      : HeldSource(files, std::move(path), {project_root_file(place)}), place_(std::move(place)) {}

 protected:
  Result<void> read() override {
    MEMD_TRY_ASSIGN(text_, files_.read(path_));
    size_ = text_.size();
    messages_.clear();
    index_.clear();
    header_.clear();
    accounted_ = 0;
    bool has_lines = false;
    if (place_.is_log)
      has_lines = read_log();
    else if (!read_document())
      return Error(Errc::busy, "the chat is being written");
    settle();
    for (const Message& message : messages_)
      accounted_ += message.taken;
    note("(structure)", Disposition::indexed, {}, size_ - accounted_);
    // Kinds without entries are listed too, because they may have had some before.
    for (const char* kind : {"blank", "unfinished", "superseded", "rewound"})
      note("(" + std::string(kind) + ")", Disposition::skipped, kind, 0, 0);
    for (const char* kind : {"$set", "$rewindTo"})
      note(kind, Disposition::indexed, {}, 0, 0);
    if (messages_.empty() && header_.empty() && !has_lines) return {};

    native_id_ = native_session_id(place_, header("sessionId"));
    project_root_ = find_project_root(files_, place_);
    Held& held = add_session(native_id_, make_session_uid(Platform::gemini, native_id_));
    held.add_head(head());
    for (const Message& message : messages_) {
      std::string item = item_of(message, message.repeats);
      const std::uint64_t version = hash64(item);
      held.add(message.key, std::move(item), message.taken, version);
    }
    return {};
  }

  // A file that was written anew lacks what a message repeats; the store has it.
  void compare(std::span<const SourceItem> known, Session& session) const override {
    std::unordered_map<std::string_view, std::uint64_t> versions;
    for (const SourceItem& item : known)
      versions.emplace(item.key, item.version);
    for (Item& item : session.items)
      if (const auto stored = versions.find(item.key); stored != versions.end() && stored->second != item.version)
        if (stored->second == hash64(item_of(messages_[index_.at(item.key)], true))) item.version = stored->second;
  }

 private:
  struct Message {
    std::string key;               // native id, made unique
    std::string_view bytes;        // view into the file's text; empty for a damaged range
    std::uint64_t taken = 0;       // bytes of the file, including the newline of a line
    bool summary = false;          // of a compaction
    bool acknowledgement = false;  // made up by the client, behind a summary
    bool repeats = false;          // written again by a compaction; earlier messages tell all of it
    std::string trigger;           // of the compaction: "auto", "manual" or unknown
    std::string untold;            // parts of the content with calls and responses that no toolCalls has: "0 2"
    int alike = 0;                 // messages without an id before it, as this one, that say the same
  };

  // Returns false when the document is truncated.
  bool read_document() {
    ValueScanner scanner(text_);
    const auto open = [&](std::string_view key) {
      if (key != "messages" || scanner.peek() != '[') return false;
      scanner.elements(
          [&](std::string_view element) { add_message(element, read_members(element).id, element.size()); });
      return true;
    };
    scanner.members(open, [&](std::string_view key, std::string_view value) { set_header(key, value); });
    if (scanner.state() == State::unfinished) return false;
    // After a surplus bracket or inside a damaged range: the rest contains no messages.
    if (scanner.state() == State::broken || scanner.peek() != '\0' || scanner.at() < text_.size())
      add_damaged(text_.size() - scanner.at());
    return true;
  }

  // Returns whether there are whole lines.
  bool read_log() {
    bool has_lines = false;
    json::for_each_line(text_, [&](std::string_view line, std::size_t taken, bool finished) {
      if (json::trimmed(line).empty())
        leave("(blank)", Disposition::skipped, "blank", taken);
      else if (!finished && !read_members(line).whole)
        leave("(unfinished)", Disposition::skipped, "unfinished", taken);
      else
        has_lines = true, read_line(line, taken);
    });
    return has_lines;
  }

  void read_line(std::string_view line, std::uint64_t taken) {
    const Line members = read_members(line.substr(0, line.find_last_not_of(" \t\r") + 1));
    if (!members.whole) return add_damaged(taken);
    if (!members.rewind.empty()) {
      rewind_to(json::unescaped(members.rewind));
      return leave("$rewindTo", Disposition::indexed, {}, taken);
    }
    if (!members.id.empty() || (members.has_content && members.set.empty()))
      return add_message(line, members.id, taken);
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
    leave("$set", Disposition::indexed, {}, taken - elements);
    if (!list.empty()) replace_list(list);
  }

  void add_message(std::string_view bytes, std::string_view id, std::uint64_t taken) {
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
    leave("(superseded)", Disposition::skipped, "superseded", message.taken);
    message.bytes = bytes;
    message.taken = taken;
  }

  void add_damaged(std::uint64_t taken) {
    add_message({}, "(damaged " + std::to_string(messages_.size() + 1) + ")", taken);
  }

  void replace_list(const std::vector<std::string_view>& list) {
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
      // Gemini CLI adds nothing to a message here; it masks old results, drops what is only shown, and gives prompts
      // the time at which the session was resumed.
      const bool is_told = known != index_.end() && (element.size() <= messages_[known->second].bytes.size() ||
                                                     read_members(messages_[known->second].bytes).has_calls);
      if (known != index_.end())
        keys.push_back(known->first);
      else
        keys.push_back(members.id.empty() ? "#" + std::to_string(messages_.size() + 1) : members.id);
      if (is_told)
        leave("(superseded)", Disposition::skipped, "superseded", element.size());
      else
        add_message(element, keys.back(), element.size());
    }
    mark_compaction(keys);
  }

  // Marks the messages of a list with a new acknowledgement: its summary, and the turns that repeat earlier ones.
  void mark_compaction(const std::vector<std::string>& list) {
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

  void settle() {
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
      if (message.key.front() == '#' && !message.bytes.empty())
        message.alike = unnamed[json::compacted(message.bytes)]++;
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
  void rewind_to(std::string_view id) {
    const auto it = index_.find(std::string(id));
    const std::size_t keep = it == index_.end() ? 0 : it->second;
    for (std::size_t i = keep; i < messages_.size(); ++i)
      leave("(rewound)", Disposition::skipped, "rewound", messages_[i].taken);
    messages_.resize(keep);
    reindex();
  }

  void reindex() {
    index_.clear();
    for (std::size_t i = 0; i < messages_.size(); ++i)
      if (!index_.try_emplace(messages_[i].key, i).second) {
        messages_[i].key += "#" + std::to_string(i + 1);  // the same id twice in one list
        index_.try_emplace(messages_[i].key, i);
      }
  }

  void set_header(std::string_view name, std::string_view value) {
    if (name == "messages") return;
    // Gemini CLI writes another header when it resumes a chat; the first one has the start of the session.
    const auto [it, is_new] = header_.try_emplace(std::string(name), value);
    if (!is_new && name != "startTime") it->second = value;
  }

  std::string header(std::string_view name) const {
    const auto it = header_.find(std::string(name));
    return it == header_.end() ? std::string() : json::unescaped(it->second);
  }

  // Returns the message with the working directory and what other messages tell of it.
  std::string item_of(const Message& message, bool repeats) const {
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

  std::string head() const {
    json::ObjectWriter out;
    out.some_text("sessionId", native_id_)
        .some_text("kind", header("kind"))
        .some_text("startTime", header("startTime"));
    out.some_text("summary", header("summary")).some_text("cwd", project_root_);
    return std::move(out).finish();
  }

  void leave(std::string_view type, Disposition disposition, std::string_view reason, std::uint64_t bytes) {
    note(type, disposition, reason, bytes);
    accounted_ += bytes;
  }

  const ChatPath place_;
  std::string text_;
  std::vector<Message> messages_;
  std::unordered_map<std::string, std::size_t> index_;  // key → index in messages_
  std::unordered_map<std::string, std::string_view> header_;
  std::uint64_t accounted_ = 0;  // bytes
  std::string native_id_;
  std::string project_root_;
};

}  // namespace

std::unique_ptr<SnapshotReader> open_chat(const FileView& files, std::string path, ChatPath place) {
  return std::make_unique<ChatReader>(files, std::move(path), std::move(place));
}

}  // namespace memd::gemini
