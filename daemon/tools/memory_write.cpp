#include "daemon/tools/memory_write.hpp"

#include "daemon/memories/promotion.hpp"
#include "daemon/tools/reading.hpp"
#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/error.hpp"
#include "store/harvest/draft.hpp"
#include "store/text/redaction/redactor.hpp"
#include "store/text/token_budget.hpp"

#include <fmt/format.h>

#include <utility>

namespace memd::tools {
namespace {

using memories::FoundMemory;
using memories::Notebook;

constexpr std::size_t kAskedTokens = 200;     // of a text in the confirmation prompt
constexpr std::size_t kConflictTokens = 800;  // of the file's text, in the error of a conflict

// The confirmation prompt for the user. Contains no escape sequences, so a terminal can show it.
class AskedOfPerson {
 public:
  explicit AskedOfPerson(std::string what) : text_("memd: " + harmless_line(what)) {}
  AskedOfPerson& show(std::string_view label, std::string_view value) {
    if (!value.empty()) text_.append("\n").append(label).append(": ").append(harmless_line(value));
    return *this;
  }
  AskedOfPerson& quote(std::string text) {
    redact(text);
    if (!text.empty()) text_.append("\n\n").append(harmless(cut_to_tokens(text, kAskedTokens).text));
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Handles one call of memory_write: has the user confirm the change, then makes it. Borrows its arguments; one thread.
class MemoryCall {
 public:
  MemoryCall(const ToolServices& services, const MemoryWriteParams& params, mcp::ToolContext& context)
      : services_(services), params_(params), context_(context), notebook_(notebook_for(services, params, context)) {}

  Result<MemoryWriteAnswer> run() {
    MEMD_TRY(scope_asked(params_));
    if (params_.action == "create") return create();
    if (params_.action == "promote") return promote();
    if (params_.action == "undo") return undo();
    if (params_.slug.empty()) return missing("slug", "which memory: memory_read without slug lists them");
    if (params_.action == "update") return update();
    if (params_.action == "delete") return remove();
    return change_edge(params_.action == "link");
  }

 private:
  static Error missing(std::string_view argument, std::string_view what) {
    return Error(Errc::invalid_argument, fmt::format("{}: send {}", argument, what));
  }

  Result<void> agree(const AskedOfPerson& question) const {
    if (services_.memory.write == MemoryWriting::allow) return {};
    if (context_.elicitation == nullptr)
      return Error(Errc::permission,
                   "nothing was changed: this client does not let memd ask the user (elicitation), and memd changes no "
                   "memory without asking. The user can allow it with `memory: {write: allow}` in memd's "
                   "configuration, or do it with `memd memory`");
    MEMD_TRY_ASSIGN(const auto consent, context_.elicitation->confirm(question.text(), context_.stop));
    if (consent == mcp::Consent::accepted) return {};
    return Error(Errc::permission, consent == mcp::Consent::declined
                                       ? "nothing was changed: the user said no. Do not ask again unless told to"
                                       : "nothing was changed: the user closed the question without an answer");
  }

  memories::Destination destination() const {
    return {parse_memory_type(params_.type.value_or("")), parse_memory_scope(params_.scope.value_or("")), {}};
  }

  Result<MemoryWriteAnswer> create() const {
    if (!params_.type)
      return missing("type", "what it is: " + memory_type_names(MemoryDialect::plugin) + ", " +
                                 memory_type_names(MemoryDialect::repository));
    if (params_.title.value_or("").empty()) return missing("title", "a sentence that says it");
    memories::NewMemory wanted{
        destination(), *params_.title, params_.slug, params_.tags, params_.text.value_or(""), {}};
    MEMD_TRY_ASSIGN(const auto place, notebook_.place_for_new(wanted.to));
    MEMD_TRY_ASSIGN(const MemoryType type, notebook_.type_for_new(wanted.to, place.dialect));
    MEMD_TRY_ASSIGN(wanted.provenance, provenance());
    Memory draft;
    draft.title = wanted.title;
    draft.content = wanted.text;
    if (!params_.force)
      MEMD_TRY(refuse_same(memories::similar_memories(notebook_.places(), draft, services_.clock.now())));
    MEMD_TRY(agree(AskedOfPerson("write this memory?")
                       .show("title", wanted.title)
                       .show("type", to_string(type))
                       .show("where", place.directory.native())
                       .quote(wanted.text)));
    MEMD_TRY_ASSIGN(const auto done, notebook_.create(std::move(wanted), place, type));
    return with_type(told(done.memory, done.masked), type);
  }

  // Tells that the memory has another type than the call asked for.
  MemoryWriteAnswer with_type(MemoryWriteAnswer out, MemoryType type) const {
    const std::string asked = params_.type.value_or("");
    if (!asked.empty() && asked != to_string(type))
      out.notice.say("Kept as ", type, ": memories here have no type ", AnswerText::Id{asked}, ".");
    return out;
  }

  Result<MemoryProvenance> provenance() const {
    if (!params_.from || params_.from->empty()) return MemoryProvenance();
    const auto of = harvest::parse_history_ref(*params_.from);
    if (!of) return missing("from", "the id of a turn or observation, such as x42 or o99");
    MEMD_TRY_ASSIGN(const auto reader, lease_reader(services_, context_.stop));
    MEMD_TRY_ASSIGN(auto material, reader->ask(harvest::MaterialQuery{*of}));
    if (services_.name_events) services_.name_events(*reader, material);
    return harvest::provenance_of(material, material.told, notebook_.places().project);
  }

  static Result<void> refuse_same(const std::vector<harvest::SimilarMemory>& similar) {
    if (similar.empty()) return {};
    AnswerText text = "nothing was written: a memory says the same. Update it, or send force=true.";
    HistoryText which;
    for (const auto& one : similar)
      which.add(one.slug, "  ", to_string(one.scope), "  \"", short_line(one.title, 40), "\"\n");
    return Error(Errc::invalid_argument, text.add("\n").quote(which).str());
  }

  Result<MemoryWriteAnswer> promote() const {
    if (!params_.from) return missing("from", "the id of a turn or observation, such as x42 or o99");
    memories::PromoteRequest request;
    request.from = *params_.from;
    const auto to = destination();
    MEMD_TRY_ASSIGN(request.place, notebook_.place_for_new(to));
    if (to.type) {
      MEMD_TRY_ASSIGN(request.type, notebook_.type_for_new(to, request.place.dialect));
    }
    request.title = params_.title.value_or("");
    request.slug = params_.slug;
    request.tags = params_.tags;
    request.force = params_.force;
    request.dry_run = true;
    MEMD_TRY_ASSIGN(const auto draft, drafted(request));
    if (!params_.force) MEMD_TRY(refuse_same(draft.similar));
    MEMD_TRY(agree(AskedOfPerson("make this memory of " + request.from + "?")
                       .show("title", draft.draft.title)
                       .show("type", to_string(draft.draft.type))
                       .show("where", request.place.directory.native())
                       .quote(draft.draft.content)));
    // Another client may have written it while the person was asked.
    if (!params_.force)
      MEMD_TRY(refuse_same(memories::similar_memories(notebook_.places(), draft.draft, services_.clock.now())));
    MEMD_TRY_ASSIGN(const auto done, memories::write(draft, notebook_.places(), request, services_.clock));
    return with_type(told(done.memory, done.masked), done.memory.type);
  }

  Result<memories::Promotion> drafted(const memories::PromoteRequest& request) const {
    MEMD_TRY_ASSIGN(const auto reader, lease_reader(services_, context_.stop));
    return memories::promote(*reader, notebook_.places(), request, services_.clock, services_.name_events);
  }

  Result<MemoryWriteAnswer> undo() const {
    MEMD_TRY(agree(AskedOfPerson(params_.slug.empty() ? "bring back the memory that was deleted last?"
                                                      : "bring back the deleted memory " + params_.slug + "?")));
    MEMD_TRY_ASSIGN(const auto name, memory_named(params_, params_.slug));
    MEMD_TRY_ASSIGN(const Memory back, notebook_.undo(name));
    return told(back, false);
  }

  Result<MemoryWriteAnswer> update() const {
    MEMD_TRY_ASSIGN(const auto name, memory_named(params_, params_.slug));
    MEMD_TRY_ASSIGN(const FoundMemory found, notebook_.find_to_write(name));
    memory::MemoryChange edit;
    edit.title = params_.title;
    edit.type = parse_memory_type(params_.type.value_or(""));
    if (!params_.tags.empty()) edit.tags = params_.tags;
    edit.content = params_.text;
    if (edit.is_empty()) return missing("text", "what changes: text, title, type or tags");
    const Memory& m = found.read.memory;
    if (edit.type) edit.type = memories::type_in(m.dialect, *edit.type);
    MEMD_TRY(agree(AskedOfPerson("change the memory " + m.slug + "?")
                       .show("file", m.path.native())
                       .show("new title", params_.title.value_or(""))
                       .show("new type", edit.type ? to_string(*edit.type) : "")
                       .show("new tags", fmt::format("{}", fmt::join(params_.tags, ", ")))
                       .quote(params_.text.value_or(""))));
    const auto done = notebook_.change(found, std::move(edit), expected(m));
    if (!done) return with_other_text(done.error(), m);
    return with_type(told(done->memory, done->masked), done->memory.type);
  }

  // Returns the file_hash that the change was made from: the current one if the caller names no version or this one,
  // else the version as named, which causes a conflict.
  std::string expected(const Memory& m) const {
    const std::string named = params_.version.value_or("");
    if (named.empty()) return m.file_hash;  // the version that the user confirms
    return named.size() >= kVersionDigits && m.file_hash.starts_with(named) ? m.file_hash : named;
  }

  // Adds the file's text to the error of a conflict. The caller has its own text, which memd also saves next to the
  // file.
  Error with_other_text(const Error& error, const Memory& m) const {
    if (!error.is(Errc::busy)) return error;
    const auto now = notebook_.find({m.slug, m.scope});
    if (!now) return error;
    std::string text = now->read.memory.content;
    redact(text);
    HistoryText there;
    there.add(HistoryText::Whole{cut_to_tokens(text, kConflictTokens).text});
    return Error(Errc::busy, AnswerText()
                                 .add(AnswerText::Message{error.context}, ". Version ",
                                      AnswerText::Id{version_of(now->read.memory)}, " says:\n")
                                 .quote(there)
                                 .str());
  }

  Result<MemoryWriteAnswer> remove() const {
    MEMD_TRY_ASSIGN(const auto name, memory_named(params_, params_.slug));
    MEMD_TRY_ASSIGN(const FoundMemory found, notebook_.find_to_write(name));
    const Memory& m = found.read.memory;
    MEMD_TRY(agree(AskedOfPerson("put the memory " + m.slug + " into the trash?")
                       .show("title", m.title)
                       .show("file", m.path.native())));
    if (const auto done = notebook_.remove(found, expected(m)); !done) return with_other_text(done.error(), m);
    MemoryWriteAnswer out = told(m, false);
    out.version.reset();
    out.notice.say("action=undo brings it back, with its edges.");
    return out;
  }

  Result<MemoryWriteAnswer> change_edge(bool links) const {
    if (params_.target.value_or("").empty()) return missing("target", "the other memory");
    MEMD_TRY_ASSIGN(const auto name, memory_named(params_, params_.slug));
    MEMD_TRY_ASSIGN(const FoundMemory found, notebook_.find_to_write(name));
    const Memory& m = found.read.memory;
    const auto label = unless_empty(params_.label.value_or(""));
    MEMD_TRY(agree(AskedOfPerson((links ? "link the memory " : "remove the edges of the memory ") + m.slug +
                                 (links ? " to " : " and ") + *params_.target + "?")
                       .show("label", label.value_or(""))));
    MEMD_TRY_ASSIGN(const auto done, links ? notebook_.link(found, *params_.target, label)
                                           : notebook_.unlink(found, *params_.target, label));
    const auto now = notebook_.find({m.slug, m.scope});
    MemoryWriteAnswer out = told(now ? now->read.memory : m, false);
    out.target = *params_.target;
    if (links || label) out.label = done.label;
    out.changed = done.changed;
    return out;
  }

  MemoryWriteAnswer told(const Memory& m, bool masked) const {
    MemoryWriteAnswer out;
    out.action = params_.action;
    out.slug = m.slug;
    out.scope = to_string(m.scope);
    out.path = m.path.string();
    out.version = version_of(m);
    if (masked) out.notice.say("Secrets in it were masked.");
    out.est_tokens = 99;
    out.est_tokens = static_cast<std::int64_t>(estimate_tokens(mcp::to_json(out)));
    return out;
  }

  const ToolServices& services_;
  const MemoryWriteParams& params_;
  mcp::ToolContext& context_;
  const Notebook notebook_;
};

// Counts est_tokens again after the answer was changed.
MemoryWriteAnswer with_size(MemoryWriteAnswer out) {
  out.est_tokens = static_cast<std::int64_t>(estimate_tokens(mcp::to_json(out)));
  return out;
}

}  // namespace

AnswerText render_text(const MemoryWriteAnswer& a) {
  AnswerText out;
  out.add(AnswerText::Id{a.action}, ": ");
  if (!a.changed) out.add("it was so already: ");
  out.add(AnswerText::Name{a.slug});
  if (a.label) out.add(" ", AnswerText::Name{*a.label});
  if (a.target) out.add(" ", AnswerText::Name{*a.target});
  out.add(" (", AnswerText::Id{a.scope}, "), ", AnswerText::Name{a.path});
  if (a.version) out.add(", version ", AnswerText::Id{*a.version});
  out.add(".\n");
  if (!a.notice.empty()) out.add(a.notice, "\n");
  return out;
}

void add_memory_write(mcp::ToolRegistry& registry, const ToolServices& services) {
  mcp::ToolInfo info;
  info.name = "memory_write";
  info.title = "Remember, save or forget";
  info.description =
      "Remember this for next time (\"we use X, not Y\"): save, note down or change a fact, preference, rule "
      "or lesson, forget an old one: create (type, title, text), update, link and unlink (target), delete and "
      "undo, promote (from). Only when the user wants it: the user is asked.";
  info.search_words = "remember save store keep note down lesson preference fact for next time forget delete";
  info.annotations = {false, true, false, false};
  info.waits = true;
  registry.add<MemoryWriteParams, MemoryWriteAnswer>(
      std::move(info), [services](const MemoryWriteParams& p, mcp::ToolContext& c) -> Result<MemoryWriteAnswer> {
        MEMD_TRY_ASSIGN(auto done, MemoryCall(services, p, c).run());
        // Passes the directory, because it may be new and a link changes two files.
        if (services.memory_changed) services.memory_changed(std::filesystem::path(done.path).parent_path());
        return with_size(std::move(done));
      });
}

}  // namespace memd::tools
