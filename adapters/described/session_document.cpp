#include "adapters/described/session_document.hpp"

#include "adapters/described/lookup.hpp"
#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/json_writer.hpp"
#include "adapters/json/value_scanner.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace memd::described {
namespace {

using json::ValueScanner;
using Parts = sqlite::SessionQueries::Parts;
using Steps = std::span<const Pointer::Step>;

constexpr std::string_view kWhole = "record";  // the key of a document that is one record

// The elements at a pointer, and the range of the document that holds them.
class Elements {
 public:
  // `visit`(key, raw value)
  template <class Visit>
  Elements(std::string_view text, const Term& term, Visit&& visit) {
    for (const Pointer& pointer : term.pointers) {
      ValueScanner scanner(text);
      walk(scanner, pointer.steps, visit, true);
      state_ = scanner.state();
      at_ = scanner.at();
      if (found_) return;
    }
  }

  bool found() const { return found_; }
  ValueScanner::State state() const { return state_; }
  std::size_t at() const { return at_; }  // where the scan of the document ended
  std::size_t begin() const { return begin_; }
  std::size_t end() const { return end_; }
  // What stands for the range where the elements are left out.
  const std::string& substitute() const { return substitute_; }

 private:
  template <class Visit>
  void walk(ValueScanner& scanner, Steps steps, Visit& visit, bool is_outer) {
    const char first = scanner.peek();
    if (is_outer) begin_ = scanner.at();
    if (steps.empty()) {
      if (first == '[') {
        std::size_t number = 0;
        scanner.elements([&](std::string_view value) { visit(std::to_string(number++), value); });
      } else if (first == '{') {
        scanner.members([&](std::string_view key, std::string_view value) {
          std::string name;
          json::append_unescaped(key, name);
          visit(name, value);
        });
      } else {
        scanner.value();
        return;
      }
      found_ = true;
      if (is_outer) end_ = scanner.at();
      return;
    }
    const Pointer::Step& step = steps.front();
    const auto nothing = [](std::string_view, std::string_view) {};
    if (step.name.empty() && step.opens && first == '"') return open(scanner, steps, visit, is_outer);
    if (first == '{') {
      const auto open_member = [&](std::string_view key) {
        if (key != step.name || found_) return false;
        if (step.opens && scanner.peek() == '"')
          open(scanner, steps, visit, is_outer);
        else
          walk(scanner, steps.subspan(1), visit, is_outer);
        return true;
      };
      scanner.members(open_member, nothing);
    } else if (first == '[') {
      std::size_t number = 0;
      scanner.elements([&](std::string_view value) {
        if (std::to_string(number++) != step.name || found_) return;
        ValueScanner inner(value);
        walk(inner, steps.subspan(1), visit, false);
        // The bytes of the whole element are replaced.
        if (found_ && is_outer) {
          end_ = scanner.at();
          begin_ = end_ - value.size();
        }
      });
    } else {
      scanner.value();
    }
  }

  // Goes on in a string that holds JSON. Its other members stay.
  template <class Visit>
  void open(ValueScanner& scanner, Steps steps, Visit& visit, bool is_outer) {
    scanner.skip_blanks();
    const std::size_t begin = scanner.at();
    std::string text;
    json::append_unescaped(scanner.string_body(), text);
    ValueScanner inner(text);
    walk(inner, steps.subspan(1), visit, is_outer);
    if (!is_outer) return;
    if (found_) {
      text.replace(begin_, end_ - begin_, substitute_);
      substitute_.clear();
      json::append_quoted(text, substitute_);
    }
    begin_ = begin;
    end_ = scanner.at();
  }

  bool found_ = false;
  ValueScanner::State state_ = ValueScanner::State::good;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::string substitute_ = "null";
};

void add_names(const Term& term, std::set<std::string, std::less<>>& out) {
  for (const Pointer& pointer : term.pointers)
    if (!pointer.steps.empty()) out.insert(pointer.steps.front().name);
}

std::set<std::string, std::less<>> names_of(const SessionTerms& s) {
  std::set<std::string, std::less<>> out;
  for (const Term* term : {&s.id, &s.title, &s.cwd, &s.model, &s.branch, &s.version, &s.started, &s.ended, &s.parent,
                           &s.agent, &s.forked_from, &s.mode, &s.cost})
    add_names(*term, out);
  return out;
}

// Writes the members of an object whose names are in a set, and returns the bytes of the others.
std::uint64_t write_members(std::string_view object, const std::set<std::string, std::less<>>& names,
                            json::ObjectWriter& out) {
  std::uint64_t others = 0;
  ValueScanner scanner(object);
  if (scanner.peek() != '{') return 0;
  scanner.members([&](std::string_view key, std::string_view value) {
    if (names.contains(key))
      out.json(key, value);
    else
      others += value.size();
  });
  return others;
}

class Session {
 public:
  Session(const SourceRule& source, std::string_view text, std::string_view key, std::string_view named)
      : source_(source), text_(text), key_(key), named_(named) {}

  void read(TakenApart& out, bool is_outer) {
    Parts parts;
    std::vector<std::pair<std::string, std::string_view>> found;
    std::deque<std::string> kept;  // an element may be in a text that was opened
    const Elements elements(text_, source_.records, [&](const std::string& key, std::string_view value) {
      found.emplace_back(key, kept.emplace_back(value));
    });
    if (source_.records.empty() && is_outer) {
      ValueScanner scanner(text_);
      scanner.value();
      if (scanner.state() == ValueScanner::State::unfinished) out.state = TakenApart::State::unfinished;
    }
    std::string head(text_);
    if (elements.found() && elements.end() >= elements.begin())
      head.replace(elements.begin(), elements.end() - elements.begin(), elements.substitute());
    json::ObjectWriter told;
    const std::uint64_t others = write_members(head, names_of(source_.session), told);
    if (!source_.records.empty()) out.unread += others;
    parts.head = std::move(told).finish();
    std::set<std::string, std::less<>> carried_names;
    add_names(source_.session.started, carried_names);
    add_names(source_.session.parent, carried_names);
    json::ObjectWriter carried;
    write_members(parts.head, carried_names, carried);
    carried_ = std::move(carried).finish();
    parts.id = id_of(parts.head);
    if (source_.records.empty()) {
      add(parts, std::string(kWhole), text_);
      parts.records.back().key = kWhole;
    }
    for (const auto& [key, value] : found)
      add(parts, key, value);
    parts.head_bytes = text_.size();
    for (const auto& record : parts.records)
      parts.head_bytes -= std::min(parts.head_bytes, record.bytes);
    if (is_outer && !source_.records.empty()) {
      out.is_other = !elements.found();
      out.state = elements.state() == ValueScanner::State::unfinished ? TakenApart::State::unfinished
                  : elements.state() == ValueScanner::State::broken   ? TakenApart::State::broken
                                                                      : TakenApart::State::whole;
      if (out.state == TakenApart::State::broken) out.damaged = text_.size() - std::min(text_.size(), elements.at());
    }
    if (!parts.id.empty() && !out.is_other) out.sessions.push_back(std::move(parts));
  }

 private:
  std::string id_of(const std::string& head) {
    json::dom::element root;
    std::string id;
    if (parser_.parse(head, root)) {
      lookup_.begin(root);
      id = lookup_.text(source_.session.id, {root, key_});
    }
    if (id.empty()) id = named_;
    return id;
  }

  void add(Parts& parts, const std::string& key, std::string_view value) {
    sqlite::SessionQueries::Record record;
    std::string json = json::compacted(value);
    json::ObjectWriter members;
    json::dom::element root;
    if (parser_.parse(json, root)) {
      lookup_.begin(root);
      record.key = lookup_.text(source_.record.id, {root, key});
    }
    const bool is_object = json.starts_with('{');
    if (record.key.empty()) {
      record.key = format_key(hash64(json));
      const int n = ++times_[record.key];
      if (n > 1) record.key += "#" + std::to_string(n);
      members.text("@key", record.key);
    } else if (const int n = ++times_[record.key]; n > 1) {
      record.key += "#" + std::to_string(n);
    }
    if (carried_.size() > 2) members.raw("@session", carried_);
    if (!is_object) members.raw("@value", json.empty() ? "null" : json);
    record.json = is_object ? json::with_members(std::move(members), json) : std::move(members).finish();
    record.bytes = value.size();
    parts.records.push_back(std::move(record));
  }

  const SourceRule& source_;
  const std::string_view text_;
  const std::string_view key_;
  const std::string_view named_;
  std::string carried_;
  json::DomParser parser_;
  Lookup lookup_;
  std::map<std::string, int> times_;
};

}  // namespace

TakenApart take_apart(const SourceRule& source, std::string_view document, std::string_view named) {
  TakenApart out;
  if (source.sessions.empty()) {
    Session(source, document, {}, named).read(out, true);
    return out;
  }
  const Elements sessions(document, source.sessions, [&](const std::string& key, std::string_view value) {
    Session(source, value, key, {}).read(out, false);
  });
  out.is_other = !sessions.found();
  if (sessions.state() == ValueScanner::State::unfinished) out.state = TakenApart::State::unfinished;
  if (sessions.state() == ValueScanner::State::broken) {
    out.state = TakenApart::State::broken;
    out.damaged = document.size() - std::min(document.size(), sessions.at());
  }
  return out;
}

}  // namespace memd::described
