#include "adapters/described/description.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/yaml_section.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace memd::described {
namespace {

using yaml::refuse;
using yaml::scalar;
using yaml::Section;

constexpr std::size_t kDeepest = 32;       // parts of a pointer
constexpr std::size_t kMostWildcards = 8;  // of a pattern
constexpr int kDeepestEach = 4;

constexpr std::array kOrigins{Origin::typed, Origin::command, Origin::shell,
                              Origin::plan,  Origin::queued,  Origin::parent_agent};
constexpr std::array kRoles{Role::user, Role::assistant, Role::tool, Role::system};
constexpr std::array<std::string_view, 4> kShapes{"text", "anthropic", "openai", "gemini"};

bool is_key(std::string_view text) {
  return !text.empty() && text.size() <= 32 && ascii::is_lower(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return ascii::is_word(c) && !ascii::is_upper(c); });
}

Term pointer_of(std::string path) {
  Term out;
  out.pointers.push_back({false, false, {{std::move(path), false}}});
  return out;
}

Term at(std::initializer_list<std::string_view> path) {
  Term out;
  Pointer& pointer = out.pointers.emplace_back();
  for (const auto name : path)
    pointer.steps.push_back({std::string(name), false});
  return out;
}

Term any_of(std::initializer_list<Term> terms) {
  Term out;
  for (const Term& term : terms)
    out.pointers.insert(out.pointers.end(), term.pointers.begin(), term.pointers.end());
  return out;
}

// Puts the pointers below another one.
Term below(const Term& place, const Term& inner) {
  if (place.pointers.empty()) return inner;
  Term out;
  for (const Pointer& head : place.pointers)
    for (const Pointer& tail : inner.pointers) {
      Pointer joined = head;
      joined.steps.insert(joined.steps.end(), tail.steps.begin(), tail.steps.end());
      out.pointers.push_back(std::move(joined));
    }
  return out;
}

GiveUsage usual_usage(Shape shape, const Term& place) {
  GiveUsage u;
  const auto in = [&](const Term& term) { return below(place, term); };
  switch (shape) {
    case Shape::anthropic:
    case Shape::text:
      u.input = in(at({"input_tokens"}));
      u.output = in(at({"output_tokens"}));
      u.cache_read = in(at({"cache_read_input_tokens"}));
      u.cache_write = in(at({"cache_creation_input_tokens"}));
      break;
    case Shape::openai:
      u.input = in(any_of({at({"prompt_tokens"}), at({"input_tokens"})}));
      u.output = in(any_of({at({"completion_tokens"}), at({"output_tokens"})}));
      u.cache_read = in(any_of({at({"prompt_tokens_details", "cached_tokens"}),
                                at({"input_tokens_details", "cached_tokens"}), at({"cached_input_tokens"})}));
      u.reasoning = in(any_of(
          {at({"completion_tokens_details", "reasoning_tokens"}), at({"output_tokens_details", "reasoning_tokens"})}));
      u.cached_in_input = true;
      break;
    case Shape::gemini:
      u.input = in(at({"promptTokenCount"}));
      u.output = in(at({"candidatesTokenCount"}));
      u.cache_read = in(at({"cachedContentTokenCount"}));
      u.reasoning = in(at({"thoughtsTokenCount"}));
      u.cached_in_input = u.reasoning_beside_output = true;
      break;
  }
  return u;
}

// Reads one description. Borrows the file's name; throws ErrorException.
class Parser {
 public:
  explicit Parser(const std::string& file) : file_(file) {}

  Description read(const YAML::Node& node) {
    Description out;
    std::vector<Rule> shared;
    out.where = file_ + ":" + std::to_string(node.Mark().line + 1);
    out.adapter.data_completeness = DataCompleteness::partial;
    out.adapter.adapter_version = "1.0.0";
    std::vector<Capability> lacking;
    Section(file_, "")
        .key("agent",
             [&](const auto& v, const auto& key) {
               out.key = words(v, key);
               if (!is_key(out.key))
                 refuse(file_, v.Mark(), key + ": expected at most 32 of a-z, 0-9 and _, beginning with a letter");
             })
        .key("name", [&](const auto& v, const auto& key) { out.name = words(v, key); })
        .key("colors", [&](const auto& v, const auto& key) { read_colours(v, key, out); })
        .key("known_from", [&](const auto& v, const auto& key) { words(v, key); })
        .key("version", [&](const auto& v, const auto& key) { out.adapter.adapter_version = words(v, key); })
        .key("completeness",
             [&](const auto& v, const auto& key) {
               const auto found = parse_data_completeness(words(v, key));
               if (!found) refuse(file_, v.Mark(), key + ": expected one of full, partial, metadata_only");
               out.adapter.data_completeness = *found;
             })
        .key("lacks", [&](const auto& v, const auto& key) { read_lacking(v, key, lacking); })
        .key("limits", [&](const auto& v, const auto& key) { out.adapter.limitations = list(v, key); })
        .key("resume", [&](const auto& v, const auto& key) { out.adapter.resume_command = list(v, key); })
        .key("tools", [&](const auto& v, const auto& key) { read_tools(v, key, out); })
        .key("rules", [&](const auto& v, const auto& key) { shared = rules(v, key, 0); })
        .key("sources",
             [&](const auto& v, const auto& key) {
               if (!v.IsSequence() || v.size() == 0) refuse(file_, v.Mark(), key + ": expected a list of sources");
               for (const auto& item : v)
                 out.sources.push_back(source(item, key));
             })
        .read(node);
    if (!node.IsMap() || out.key.empty())
      refuse(file_, node.Mark(), "agent: missing; give the agent a key, such as \"agent: toy\"");
    if (out.name.empty()) refuse(file_, node.Mark(), "name: missing; say how people call the agent");
    if (out.sources.empty()) refuse(file_, node.Mark(), "sources: missing; say where the agent's files are");
    for (SourceRule& one : out.sources) {
      if (one.rules.empty()) one.rules = shared;
      if (one.rules.empty())
        refuse(file_, node.Mark(), "rules: missing; say what a record gives, in the source or beside \"sources\"");
      settle(one);
      for (const auto& root : one.roots)
        out.adapter.storage_locations.push_back(root + "/" + one.files.front());
    }
    for (const Capability c : kAllCapabilities)
      if (std::find(lacking.begin(), lacking.end(), c) == lacking.end()) out.adapter.capabilities.push_back(c);
    return out;
  }

  std::vector<std::string> roots(const YAML::Node& node, const std::string& key) {
    auto out = list(node, key);
    for (auto& root : out) {
      while (root.size() > 1 && root.ends_with('/'))
        root.pop_back();
      if (!root.starts_with("~/") && !root.starts_with('/') && !(root.starts_with('$') && root.size() > 1) &&
          !root.starts_with("{project}/"))
        refuse(file_, node.Mark(), key + ": expected folders that begin with ~/, $VARIABLE, {project}/ or /");
      if (root == "/" || root == "~/")
        refuse(file_, node.Mark(), key + ": expected the agent's own folder, not all files");
    }
    return out;
  }

 private:
  std::string words(const YAML::Node& node, const std::string& key) {
    auto out = scalar<std::string>(file_, node, key, "a text");
    if (out.empty()) refuse(file_, node.Mark(), key + ": expected a text");
    return out;
  }

  // A list of texts; one text is a list of one.
  std::vector<std::string> list(const YAML::Node& node, const std::string& key) {
    std::vector<std::string> out;
    if (node.IsSequence())
      for (const auto& item : node)
        out.push_back(words(item, key));
    else
      out.push_back(words(node, key));
    if (out.empty()) refuse(file_, node.Mark(), key + ": expected a text or a list of texts");
    return out;
  }

  bool flag(const YAML::Node& node, const std::string& key) { return scalar<bool>(file_, node, key, "true or false"); }

  Pointer pointer(const YAML::Node& node, const std::string& key, std::string text) {
    Pointer out;
    out.from_record = text.starts_with('^');
    std::string_view rest = std::string_view(text).substr(out.from_record ? 1 : 0);
    if (rest == "/@key") {
      out.is_key = true;
      return out;
    }
    if (rest == "/") return out;
    while (!rest.empty()) {
      rest.remove_prefix(1);
      const auto end = std::min(rest.find('/'), rest.size());
      std::string_view part = rest.substr(0, end);
      rest.remove_prefix(end);
      Pointer::Step& step = out.steps.emplace_back();
      step.opens = part.ends_with('!');
      if (step.opens) part.remove_suffix(1);
      for (std::size_t i = 0; i < part.size(); ++i)
        if (part[i] == '~' && i + 1 < part.size() && (part[i + 1] == '0' || part[i + 1] == '1'))
          step.name += part[++i] == '0' ? '~' : '/';
        else
          step.name += part[i];
    }
    if (out.steps.size() > kDeepest) refuse(file_, node.Mark(), key + ": this pointer has too many parts");
    return out;
  }

  static bool is_pointer(std::string_view text) { return text.starts_with('/') || text.starts_with("^/"); }

  Term term(const YAML::Node& node, const std::string& key) {
    Term out;
    if (node.IsSequence()) {
      for (const auto& item : node) {
        const auto text = words(item, key);
        if (!is_pointer(text)) refuse(file_, item.Mark(), key + ": expected a list of pointers, which begin with /");
        out.pointers.push_back(pointer(item, key, text));
      }
      return out;
    }
    auto text = words(node, key);
    if (is_pointer(text))
      out.pointers.push_back(pointer(node, key, text));
    else
      out.text = std::move(text);
    return out;
  }

  // A term that has to be a pointer.
  Term way(const YAML::Node& node, const std::string& key) {
    Term out = term(node, key);
    if (out.pointers.empty()) refuse(file_, node.Mark(), key + ": expected a pointer, which begins with /");
    return out;
  }

  auto to(Term& out) {
    return [this, &out](const YAML::Node& v, const std::string& key) { out = term(v, key); };
  }
  auto to_way(Term& out) {
    return [this, &out](const YAML::Node& v, const std::string& key) { out = way(v, key); };
  }
  auto to(bool& out) {
    return [this, &out](const YAML::Node& v, const std::string& key) { out = flag(v, key); };
  }

  void read_colours(const YAML::Node& node, const std::string& name, Description& out) {
    const auto colour = [this](std::string& to) {
      return [this, &to](const YAML::Node& v, const std::string& key) {
        to = words(v, key);
        if (to.size() != 7 || to[0] != '#' || !std::all_of(to.begin() + 1, to.end(), ascii::is_hex))
          refuse(file_, v.Mark(), key + ": expected a colour such as \"#5d7a10\", in quotes");
      };
    };
    Section(file_, name).key("light", colour(out.light)).key("dark", colour(out.dark)).read(node);
  }

  void read_lacking(const YAML::Node& node, const std::string& key, std::vector<Capability>& out) {
    if (node.IsSequence() && node.size() == 0) return;
    for (const auto& word : list(node, key)) {
      const auto found = std::find_if(kAllCapabilities.begin(), kAllCapabilities.end(),
                                      [&](Capability c) { return to_string(c) == word; });
      std::string known;
      for (const Capability c : kAllCapabilities)
        known.append(known.empty() ? "" : ", ").append(to_string(c));
      if (found == kAllCapabilities.end())
        refuse(file_, node.Mark(), key + ": there is no '" + word + "'; expected some of " + known);
      out.push_back(*found);
    }
  }

  void read_tools(const YAML::Node& node, const std::string& name, Description& out) {
    const auto names = [&](FileAccess access) {
      return [this, &out, access](const YAML::Node& v, const std::string& key) {
        for (auto& tool : list(v, key))
          out.tools[std::move(tool)] = access;
      };
    };
    Section(file_, name)
        .key("read", names(FileAccess::read))
        .key("change", names(FileAccess::modified))
        .key("mention", names(FileAccess::referenced))
        .read(node);
  }

  std::vector<std::string> patterns(const YAML::Node& node, const std::string& key) {
    auto out = list(node, key);
    for (const auto& pattern : out) {
      const auto wildcards =
          std::count(pattern.begin(), pattern.end(), '*') + std::count(pattern.begin(), pattern.end(), '{');
      if (pattern.starts_with('/') || wildcards > static_cast<std::ptrdiff_t>(kMostWildcards))
        refuse(file_, node.Mark(), key + ": expected patterns below a root with at most 8 wildcards");
      for (auto at = pattern.find('{'); at != std::string::npos; at = pattern.find('{', at + 1))
        if (!std::string_view(pattern).substr(at).starts_with("{session}") &&
            !std::string_view(pattern).substr(at).starts_with("{parent}"))
          refuse(file_, node.Mark(), key + ": only {session} and {parent} may be in braces");
    }
    return out;
  }

  std::vector<std::string> queries(const YAML::Node& node, const std::string& key, bool of_session) {
    auto out = list(node, key);
    for (const auto& query : out) {
      const bool selects =
          ascii::starts_nocase(ascii::trimmed(query), "select") || ascii::starts_nocase(ascii::trimmed(query), "with");
      if (!selects || query.find(';') != std::string::npos)
        refuse(file_, node.Mark(), key + ": expected one SELECT, without a semicolon");
      if (of_session && query.find(":session") == std::string::npos)
        refuse(file_, node.Mark(), key + ": expected a SELECT of one session's rows: … WHERE session_id = :session");
    }
    return out;
  }

  SourceRule source(const YAML::Node& node, const std::string& name) {
    SourceRule out;
    std::string format;
    Section(file_, name)
        .key("roots", [&](const auto& v, const auto& key) { out.roots = roots(v, key); })
        .key("files", [&](const auto& v, const auto& key) { out.files = patterns(v, key); })
        .key("except", [&](const auto& v, const auto& key) { out.excepted = patterns(v, key); })
        .key("format",
             [&](const auto& v, const auto& key) {
               format = words(v, key);
               if (format != "jsonl" && format != "json" && format != "sqlite")
                 refuse(file_, v.Mark(), key + ": expected one of jsonl, json, sqlite");
               out.format = format == "json"     ? SourceFormat::json
                            : format == "sqlite" ? SourceFormat::sqlite
                                                 : SourceFormat::jsonl;
             })
        .key("sessions",
             [&](const auto& v, const auto& key) {
               if (v.IsMap())
                 Section(file_, key)
                     .key("query", [&](const auto& q, const auto& k) { out.session_queries = queries(q, k, false); })
                     .key("split", to_way(out.sessions))
                     .read(v);
               else if (v.IsScalar() && is_pointer(v.Scalar()))
                 out.sessions = way(v, key);
               else
                 out.session_queries = queries(v, key, false);
             })
        .key("rows", [&](const auto& v, const auto& key) { out.row_queries = queries(v, key, true); })
        .key("key", [&](const auto& v, const auto& key) { out.key = words(v, key); })
        .key("order", [&](const auto& v, const auto& key) { out.order = words(v, key); })
        .key("records", to_way(out.records))
        .key("session", [&](const auto& v, const auto& key) { out.session = session(v, key, &out.each_names_session); })
        .key("record", [&](const auto& v, const auto& key) { out.record = record(v, key); })
        .key("rules", [&](const auto& v, const auto& key) { out.rules = rules(v, key, 0); })
        .read(node);
    const auto need = [&](bool there, const std::string& what) {
      if (!there) refuse(file_, node.Mark(), name + "." + what);
    };
    need(node.IsMap() && !out.roots.empty(), "roots: missing; name the folders of the agent's files");
    need(!out.files.empty(), "files: missing; give a pattern such as \"*/{session}.jsonl\"");
    need(!format.empty(), "format: missing; expected one of jsonl, json, sqlite");
    const bool named = std::all_of(out.files.begin(), out.files.end(),
                                   [](const auto& f) { return f.find("{session}") != std::string::npos; });
    if (out.format == SourceFormat::sqlite) {
      need(!out.session_queries.empty(), "sessions: missing; give a SELECT of one row a session");
      need(!out.row_queries.empty() || !out.records.empty() || !out.sessions.empty(),
           "rows: missing; give a SELECT of a session's rows, or a pointer \"records\" into its row");
    } else {
      need(out.session_queries.empty() && out.row_queries.empty(), "sessions and rows are SELECTs of format sqlite");
      need(named || !out.session.id.empty() || !out.sessions.empty(),
           "session: missing; put {session} into \"files\", or say session: {id: /pointer}");
    }
    if (out.format == SourceFormat::jsonl)
      need(out.records.empty() && out.sessions.empty(), "records: of a log, each line is a record");
    return out;
  }

  SessionTerms session(const YAML::Node& node, const std::string& name, bool* each) {
    SessionTerms out;
    Section section(file_, name);
    section.key("id", to(out.id))
        .key("title", to(out.title))
        .key("cwd", to(out.cwd))
        .key("model", to(out.model))
        .key("branch", to(out.branch))
        .key("version", to(out.version))
        .key("started", to(out.started))
        .key("ended", to(out.ended))
        .key("parent", to(out.parent))
        .key("agent", to(out.agent))
        .key("forked_from", to(out.forked_from))
        .key("mode", to(out.mode))
        .key("cost", to(out.cost));
    if (each != nullptr)
      section.key("each", [&](const auto& v, const auto& key) {
        out.id = way(v, key);
        *each = true;
      });
    section.read(node);
    return out;
  }

  RecordTerms record(const YAML::Node& node, const std::string& name) {
    RecordTerms out;
    Section(file_, name)
        .key("id", to_way(out.id))
        .key("unique",
             [&](const auto& v, const auto& key) {
               const auto word = words(v, key);
               if (word != "session" && word != "agent") refuse(file_, v.Mark(), key + ": expected session or agent");
               out.unique_in_agent = word == "agent";
             })
        .key("parent", to_way(out.parent))
        .key("time",
             [&](const auto& v, const auto& key) {
               YAML::Node places = YAML::Clone(v);
               if (v.IsSequence() && v.size() > 1 && words(v[v.size() - 1], key) == "file") {
                 places.remove(v.size() - 1);
                 out.time_of_file = true;
               }
               out.time = term(places, key);
               out.time_of_file |= out.time.text == "file";
               if (!out.time_of_file && !out.time.text.empty())
                 refuse(file_, v.Mark(), key + ": expected a pointer, or the word file");
               out.time.text.clear();
             })
        .key("zone",
             [&](const auto& v, const auto& key) {
               const auto word = words(v, key);
               if (word != "local" && word != "utc") refuse(file_, v.Mark(), key + ": expected local or utc");
               out.local_time = word == "local";
             })
        .key("model", to(out.model))
        .key("cwd", to(out.cwd))
        .key("branch", to(out.branch))
        .key("version", to(out.version))
        .key("type", to(out.type))
        .key("subagent", [&](const auto& v, const auto& key) { out.subagent = holding(v, key); })
        .read(node);
    return out;
  }

  // A pointer to what is true, or a condition.
  Condition holding(const YAML::Node& node, const std::string& key) {
    if (node.IsMap()) return condition(node, key);
    Condition out(1);
    out.front().at = way(node, key);
    out.front().kind = Test::Kind::holds;
    return out;
  }

  Condition condition(const YAML::Node& node, const std::string& key) {
    if (!node.IsMap()) refuse(file_, node.Mark(), key + ": expected tests such as {/type: user}");
    Condition out;
    for (const auto& entry : node) {
      Test begun;
      begun.at = way(entry.first, key);
      read_tests(entry.second, key + " " + entry.first.Scalar(), begun, out);
    }
    return out;
  }

  // Adds the tests of one value. `begun`: its place, and whether they are negated.
  void read_tests(const YAML::Node& node, const std::string& name, const Test& begun, Condition& out) {
    if (!node.IsMap()) {
      out.push_back(begun);
      out.back().values = values(node, name);
      return;
    }
    const auto test = [&](Test::Kind kind) {
      return [this, &out, &begun, kind](const YAML::Node& v, const std::string& key) {
        Test& added = out.emplace_back(begun);
        added.kind = kind;
        if (kind == Test::Kind::exists)
          added.is_negated ^= !flag(v, key);
        else
          added.values = values(v, key);
      };
    };
    Section(file_, name)
        .key("exists", test(Test::Kind::exists))
        .key("not",
             [&](const auto& v, const auto& key) {
               Test opposite = begun;
               opposite.is_negated = !opposite.is_negated;
               read_tests(v, key, opposite, out);
             })
        .key("starts", test(Test::Kind::starts))
        .key("has", test(Test::Kind::has))
        .key("is", test(Test::Kind::is_type))
        .read(node);
  }

  // Scalars to compare with; they may be empty.
  std::vector<std::string> values(const YAML::Node& node, const std::string& key) {
    std::vector<std::string> out;
    if (!node.IsSequence()) return {scalar<std::string>(file_, node, key, "a text, a number or true or false")};
    for (const auto& item : node)
      out.push_back(scalar<std::string>(file_, item, key, "a list of texts, numbers, true or false"));
    return out;
  }

  std::vector<Rule> rules(const YAML::Node& node, const std::string& name, int depth) {
    if (!node.IsSequence() || node.size() == 0) refuse(file_, node.Mark(), name + ": expected a list of rules");
    if (depth > kDeepestEach) refuse(file_, node.Mark(), name + ": `each` may be in `each` four times");
    std::vector<Rule> out;
    for (const auto& item : node)
      out.push_back(rule(item, name, depth));
    return out;
  }

  Rule rule(const YAML::Node& node, const std::string& name, int depth) {
    Rule out;
    using As = GiveText::As;
    const auto text = [&](As as, const char* main, std::string_view usual) {
      return [this, &out, as, main, usual](const YAML::Node& v, const std::string& key) {
        out.gives.emplace_back(give_text(v, key, as, main, usual));
      };
    };
    Section(file_, name)
        .key("when", [&](const auto& v, const auto& key) { out.when = condition(v, key); })
        .key("message", [&](const auto& v, const auto& key) { out.gives.emplace_back(message(v, key)); })
        .key("prompt", text(As::prompt, "text", {}))
        .key("answer", text(As::answer, "text", {}))
        .key("thinking", text(As::thinking, "text", {}))
        .key("compaction", text(As::compaction, "summary", {}))
        .key("injected", text(As::injected, "text", "context"))
        .key("error", text(As::error, "text", "api_error"))
        .key("interrupt", text(As::interrupt, "text", "interrupt"))
        .key("note", text(As::note, "text", {}))
        .key("call", [&](const auto& v, const auto& key) { out.gives.emplace_back(call(v, key)); })
        .key("result", [&](const auto& v, const auto& key) { out.gives.emplace_back(result(v, key)); })
        .key("usage", [&](const auto& v, const auto& key) { out.gives.emplace_back(usage(v, key)); })
        .key("session", [&](const auto& v, const auto& key) { out.gives.emplace_back(session(v, key, nullptr)); })
        .key("stop",
             [&](const auto& v, const auto& key) {
               if (flag(v, key)) out.gives.emplace_back(GiveStop{});
             })
        .key("each",
             [&](const auto& v, const auto& key) {
               if (v.IsSequence())
                 for (const auto& item : v)
                   out.gives.emplace_back(each(item, key, depth));
               else
                 out.gives.emplace_back(each(v, key, depth));
             })
        .key("skip",
             [&](const auto& v, const auto& key) {
               out.skip = words(v, key);
               if (!std::all_of(out.skip.begin(), out.skip.end(), ascii::is_word))
                 refuse(file_, v.Mark(), key + ": expected a reason in one word, such as bookkeeping");
             })
        .key("go_on", to(out.goes_on))
        .read(node);
    if (!node.IsMap() || (out.gives.empty() && out.skip.empty()))
      refuse(file_, node.Mark(), name + ": a rule gives something, or says why not with \"skip: reason\"");
    if (!out.gives.empty() && !out.skip.empty())
      refuse(file_, node.Mark(), name + ": a rule with \"skip\" gives nothing else");
    return out;
  }

  GiveText give_text(const YAML::Node& node, const std::string& name, GiveText::As as, const char* main,
                     std::string_view usual) {
    GiveText out;
    out.as = as;
    out.name = usual;
    if (!node.IsMap()) {
      out.text = term(node, name);
      const bool is_said = as == GiveText::As::prompt || as == GiveText::As::answer || as == GiveText::As::thinking;
      if (is_said && out.text.pointers.empty())
        refuse(file_, node.Mark(), name + ": expected a pointer, which begins with /");
    } else {
      Section section(file_, name);
      section.key(main, to(out.text));
      if (as == GiveText::As::compaction) section.key("details", to(out.details));
      if (as == GiveText::As::injected || as == GiveText::As::note || as == GiveText::As::error)
        section.key("name", [&](const auto& v, const auto& key) { out.name = words(v, key); });
      if (as == GiveText::As::prompt)
        section.key("files", to_way(out.files)).key("origin", [&](const auto& v, const auto& key) {
          const auto word = words(v, key);
          const auto found =
              std::find_if(kOrigins.begin(), kOrigins.end(), [&](Origin o) { return to_string(o) == word; });
          if (found == kOrigins.end())
            refuse(file_, v.Mark(), key + ": expected one of typed, command, shell, plan, queued, parent_agent");
          out.origin = *found;
        });
      section.read(node);
    }
    if (as == GiveText::As::note && out.name.empty())
      refuse(file_, node.Mark(), name + ": expected {name: a_word, text: /pointer}");
    return out;
  }

  Shape shape(const YAML::Node& node, const std::string& key) {
    const auto found = std::find(kShapes.begin(), kShapes.end(), words(node, key));
    if (found == kShapes.end()) refuse(file_, node.Mark(), key + ": expected one of anthropic, openai, gemini, text");
    return static_cast<Shape>(found - kShapes.begin());
  }

  GiveMessage message(const YAML::Node& node, const std::string& name) {
    GiveMessage out;
    std::optional<Shape> as;
    if (!node.IsMap())
      as = shape(node, name);
    else
      Section(file_, name)
          .key("as", [&](const auto& v, const auto& key) { as = shape(v, key); })
          .key("at", to_way(out.at))
          .key("role", to(out.role))
          .key("content", to_way(out.content))
          .key("roles", [&](const auto& v, const auto& key) { read_roles(v, key, out); })
          .key("injected", [&](const auto& v, const auto& key) { out.injected = list(v, key); })
          .key("system",
               [&](const auto& v, const auto& key) {
                 const auto word = words(v, key);
                 if (word != "skip" && word != "injected") refuse(file_, v.Mark(), key + ": expected skip or injected");
                 out.keeps_system = word == "injected";
               })
          .read(node);
    if (!as) refuse(file_, node.Mark(), name + ".as: missing; expected one of anthropic, openai, gemini, text");
    out.shape = *as;
    if (out.role.empty()) out.role = pointer_of("role");
    if (out.content.empty())
      out.content = out.shape == Shape::gemini ? any_of({at({"parts"}), at({"content", "parts"}), at({"content"})})
                                               : any_of({at({"content"}), at({"text"})});
    return out;
  }

  void read_roles(const YAML::Node& node, const std::string& name, GiveMessage& out) {
    Section section(file_, name);
    for (const Role role : kRoles)
      section.key(std::string(to_string(role)), [this, &out, role](const YAML::Node& v, const std::string& key) {
        for (auto& word : list(v, key))
          out.roles[std::move(word)] = role;
      });
    section.read(node);
  }

  GiveCall call(const YAML::Node& node, const std::string& name) {
    GiveCall out;
    Section(file_, name)
        .key("tool", to(out.tool))
        .key("id", to(out.id))
        .key("input",
             [&](const auto& v, const auto& key) {
               if (!v.IsMap()) {
                 out.input = way(v, key);
                 return;
               }
               for (const auto& entry : v)
                 out.arguments[words(entry.first, key)] = term(entry.second, key);
             })
        .read(node);
    if (out.tool.empty()) refuse(file_, node.Mark(), name + ".tool: missing; name the tool, or point to its name");
    return out;
  }

  GiveResult result(const YAML::Node& node, const std::string& name) {
    GiveResult out;
    Section(file_, name)
        .key("tool", to(out.tool))
        .key("id", to(out.id))
        .key("output", to_way(out.output))
        .key("exit", to_way(out.exit))
        .key("failed", [&](const auto& v, const auto& key) { out.failed = holding(v, key); })
        .read(node);
    return out;
  }

  GiveUsage usage(const YAML::Node& node, const std::string& name) {
    const auto usual_place = [](Shape s) { return pointer_of(s == Shape::gemini ? "usageMetadata" : "usage"); };
    if (!node.IsMap()) {
      const Shape as = shape(node, name);
      return usual_usage(as, usual_place(as));
    }
    std::optional<Shape> as;
    Term place;
    if (const auto word = node["as"]) as = shape(word, name + ".as");
    if (const auto where = node["at"]) place = way(where, name + ".at");
    GiveUsage out = as ? usual_usage(*as, place.empty() ? usual_place(*as) : place) : GiveUsage{};
    const auto nothing = [](const YAML::Node&, const std::string&) {};
    Section(file_, name)
        .key("as", nothing)
        .key("at", nothing)
        .key("input", to_way(out.input))
        .key("output", to_way(out.output))
        .key("cache_read", to_way(out.cache_read))
        .key("cache_write", to_way(out.cache_write))
        .key("reasoning", to_way(out.reasoning))
        .key("cost", to_way(out.cost))
        .key("response", to_way(out.response))
        .key("cached_in_input", to(out.cached_in_input))
        .read(node);
    return out;
  }

  GiveEach each(const YAML::Node& node, const std::string& name, int depth) {
    GiveEach out;
    Section(file_, name)
        .key("at", to_way(out.at))
        .key("rules", [&](const auto& v, const auto& key) { out.rules = rules(v, key, depth + 1); })
        .read(node);
    if (!node.IsMap() || out.at.empty() || out.rules.empty())
      refuse(file_, node.Mark(), name + ": expected {at: /pointer, rules: [...]}");
    return out;
  }

  // What a description leaves open.
  static void settle(SourceRule& source) {
    if (source.format == SourceFormat::sqlite && source.session.id.empty() && source.sessions.empty())
      source.session.id = pointer_of("id");
    if (!source.record.type.empty()) return;
    for (const Rule& rule : source.rules)
      for (const Test& test : rule.when)
        if (test.kind == Test::Kind::equals) {
          source.record.type = test.at;
          return;
        }
    for (const Rule& rule : source.rules)
      for (const Give& give : rule.gives)
        if (const auto* message = std::get_if<GiveMessage>(&give)) {
          source.record.type = below(message->at, message->role);
          return;
        }
    source.record.type.text = "record";
  }

  const std::string& file_;
};

}  // namespace

Description read_description(const YAML::Node& node, const std::string& file) { return Parser(file).read(node); }

std::vector<std::string> roots_in(std::string_view yaml, const std::string& file) {
  std::string lines;  // a sequence of mappings with nothing but roots
  bool is_of_roots = false;
  while (!yaml.empty()) {
    const std::string_view line = yaml.substr(0, std::min(yaml.find('\n'), yaml.size() - 1) + 1);
    yaml.remove_prefix(line.size());
    is_of_roots = line.starts_with("  - roots:") || (is_of_roots && line.starts_with("      "));
    if (is_of_roots) lines.append(line);
  }
  std::vector<std::string> out;
  for (const auto& source : YAML::Load(lines))
    for (auto& root : Parser(file).roots(source["roots"], "roots"))
      out.push_back(std::move(root));
  return out;
}

Result<Description> parse_description(std::string_view yaml, const std::string& file) {
  try {
    return read_description(YAML::Load(std::string(yaml)), file);
  } catch (const ErrorException& e) {
    return e.error();
  } catch (const YAML::Exception& e) {
    return Error(Errc::bad_config, file + ":" + std::to_string(e.mark.line + 1) + ": not valid YAML: " + e.msg);
  }
}

}  // namespace memd::described
