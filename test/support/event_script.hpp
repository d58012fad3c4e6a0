#pragma once

#include "schemas/event_batch.hpp"
#include "schemas/source.hpp"

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace memd::test {

// Builds a session's events as an adapter would. Each call adds one event, one second after the previous one.
class EventScript {
 public:
  explicit EventScript(std::string uid = "claude_code:s1") : uid_(std::move(uid)) {}

  EventScript& user(std::string text, Origin origin = Origin::typed) {
    Event& e = add(EventKind::user_msg, Role::user);
    e.text = std::move(text);
    e.origin = origin;
    e.starts_exchange = true;
    return *this;
  }
  EventScript& queued(std::string text) {
    Event& e = add(EventKind::user_msg, Role::user);
    e.text = std::move(text);
    e.origin = Origin::queued;
    return *this;
  }
  EventScript& intervention(std::string text) {
    Event& e = add(EventKind::human_intervention, Role::user);
    e.text = std::move(text);
    e.origin = Origin::embedded;
    return *this;
  }
  EventScript& answer(std::string text, std::uint64_t response = 0, TokenUsage usage = {}) {
    Event& e = add(EventKind::assistant_msg, Role::assistant);
    e.text = std::move(text);
    e.response_key = response << 16;  // the lower bits are no part of the response's name (schemas/usage.hpp)
    e.usage = usage;
    return *this;
  }
  // `text` is "question: answer": the user's choice in a dialog.
  EventScript& choice(std::string text) {
    Event& e = add(EventKind::decision, Role::user);
    e.text = std::move(text);
    e.origin = Origin::embedded;
    return *this;
  }
  EventScript& call(std::string id, std::string tool, std::string input, std::string modifies = {}) {
    Event& e = add(EventKind::tool_call, Role::assistant);
    e.call_id = std::move(id);
    e.tool = tool;
    e.summary = tool + ": " + input;
    e.search_text = input;
    e.input_hash = std::hash<std::string>{}(tool + input) | 1;
    e.is_test = input.starts_with("go test");
    if (tool == "Bash") {
      const auto purpose = e.is_test                       ? CommandPurpose::test
                           : input.starts_with("go build") ? CommandPurpose::build
                                                           : CommandPurpose::other;
      e.facts.commands.push_back({input, {}, purpose, true, false});
    }
    if (!e.facts.commands.empty()) shell_calls_.insert(e.call_id);
    if (!modifies.empty()) e.files.push_back({std::move(modifies), FileAccess::modified, 0, 0});
    return *this;
  }
  EventScript& result(std::string id, std::string text, bool is_error = false, int added = 0, int removed = 0) {
    Event& e = add(EventKind::tool_result, Role::tool);
    e.call_id = std::move(id);
    e.text = std::move(text);
    e.is_error = is_error;
    if (shell_calls_.contains(e.call_id)) e.facts.exit_code = is_error ? 1 : 0;
    if (added + removed > 0) e.files.push_back({"/w/p/a.go", FileAccess::modified, added, removed});
    return *this;
  }
  EventScript& about(std::string pull_request) {  // changes the result added last
    events_.back().pull_request = std::move(pull_request);
    return *this;
  }
  EventScript& facts(ToolFacts facts) {  // changes the event added last
    events_.back().facts = std::move(facts);
    return *this;
  }
  EventScript& lifecycle(std::string name, std::string detail = {}) {
    Event& e = add(EventKind::lifecycle, Role::system);
    e.lifecycle = std::move(name);
    e.summary = std::move(detail);
    return *this;
  }
  EventScript& in(std::string cwd, std::string branch) {  // for the events that follow
    cwd_ = std::move(cwd);
    branch_ = std::move(branch);
    return *this;
  }
  EventScript& begun_in(std::string cwd) {  // said for the session as a whole, by none of its events
    in({}, {});
    whole_.session_uid = uid_;
    whole_.cwd = std::move(cwd);
    return *this;
  }

  const std::vector<Event>& events() const { return events_; }
  EventBatch batch() const {
    EventBatch b;
    b.events = events_;
    if (!whole_.session_uid.empty()) b.sessions.push_back(whole_);
    return b;
  }

 private:
  Event& add(EventKind kind, Role role) {
    Event e;
    e.session_uid = uid_;
    e.event_id = record_key(Platform::claude_code, uid_ + "#" + std::to_string(events_.size()));
    e.time = 1'770'000'000'000 + static_cast<TimeMs>(events_.size()) * 1000;
    e.kind = kind;
    e.role = role;
    e.cwd = cwd_;
    e.git_branch = branch_;
    e.raw = {events_.size() * 100, 100, 0};
    events_.push_back(std::move(e));
    return events_.back();
  }

  std::string uid_;
  std::string cwd_ = "/w/p";
  std::string branch_ = "main";
  std::vector<Event> events_;
  std::set<std::string> shell_calls_;
  SessionUpdate whole_;
};

}  // namespace memd::test
