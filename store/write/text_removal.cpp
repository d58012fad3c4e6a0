#include "store/write/text_removal.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/json_writer.hpp"
#include "store/enrich/enrichment.hpp"
#include "store/enrich/second_look.hpp"
#include "store/raw/raw_archive.hpp"
#include "store/text/redaction/redactor.hpp"
#include "store/write/exchange_rows.hpp"
#include "store/write/session_tables.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace memd::removal {
namespace {

constexpr std::string_view kMask = "[redacted:forgotten]";

bool holds(const redaction::ForgottenTexts& texts, std::string_view text, std::set<std::string>* found = nullptr) {
  std::vector<redaction::Secret> places;
  texts.find_escaped(text, places, found);
  return !places.empty();
}

std::string with_single_blanks(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (!ascii::is_space(c))
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  return out;
}

// Masks texts and, where told to, what is left of them in texts that were made from others.
class TextMask {
 public:
  TextMask(const redaction::ForgottenTexts& texts, const std::set<std::string>& whole) : texts_(texts) {
    for (const std::string& text : whole) {
      // Also as rows quote it: in JSON, on one line, with single blanks.
      std::string quoted;
      json::append_string(quoted, text);
      quoted = quoted.substr(1, quoted.size() - 2);
      for (const std::string& form : {text, quoted, with_single_blanks(text), with_single_blanks(quoted)}) {
        if (std::find(cut_.begin(), cut_.end(), form) != cut_.end()) continue;
        cut_.push_back(form);
        if (form != text && form.size() >= redaction::kShortestForgotten) pieces_.push_back(form);
      }
      add_pieces(text);
    }
    std::sort(pieces_.begin(), pieces_.end(),
              [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
  }

  // Returns whether something was masked.
  bool mask(std::string& text, bool with_pieces) const {
    bool masked = redact_forgotten(text, texts_);
    if (!with_pieces) return masked;
    for (const std::string& piece : pieces_)
      for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + kMask.size())) {
        text.replace(at, piece.size(), kMask);
        masked = true;
      }
    for (const std::string& whole : cut_)
      masked = mask_cut(text, whole) || masked;
    return masked;
  }

 private:
  static constexpr std::size_t kTelling = 16;  // bytes; shorter parts say little, and stand elsewhere

  // Lines and sentences: titles, summaries and observations quote one.
  void add_pieces(std::string_view text) {
    const std::size_t before = pieces_.size();
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t line_end = std::min(rest.find('\n'), rest.size());
      std::string_view line = rest.substr(0, line_end);
      const bool is_last = line_end == rest.size();
      const std::size_t least = pieces_.size() == before || is_last ? redaction::kShortestForgotten : kTelling;
      if (ascii::trimmed(line).size() >= least) pieces_.emplace_back(ascii::trimmed(line));
      while (!line.empty()) {
        const std::size_t end = std::min({line.find(". "), line.find("! "), line.find("? "), line.size()});
        const std::string_view sentence = ascii::trimmed(line.substr(0, end));
        if (sentence.size() >= kTelling) pieces_.emplace_back(sentence);
        line.remove_prefix(std::min(end + 2, line.size()));
      }
      rest.remove_prefix(std::min(line_end + 1, rest.size()));
    }
  }

  static bool mask_cut(std::string& text, std::string_view whole) {
    bool masked = false;
    const std::size_t kept = end_before_cut_mark(text);
    const std::size_t least = kept < text.size() ? redaction::kShortestForgotten : kTelling;
    for (std::size_t n = std::min(whole.size() - 1, kept); n >= least; --n)
      if (text.compare(kept - n, n, whole, 0, n) == 0) {
        text.replace(kept - n, n, kMask);
        masked = true;
        break;
      }
    for (std::size_t n = std::min(whole.size() - 1, text.size()); n >= kTelling; --n)
      if (text.compare(0, n, whole, whole.size() - n, n) == 0) {
        text.replace(0, n, kMask);
        masked = true;
        break;
      }
    return masked;
  }

  static std::size_t end_before_cut_mark(std::string_view text) {
    if (const auto mark = text.rfind("\n[cut: "); mark != std::string_view::npos && text.ends_with(']')) return mark;
    for (const std::string_view mark : {std::string_view(" …"), std::string_view("…"), std::string_view("...")})
      if (text.ends_with(mark)) return text.size() - mark.size();
    return text.size();
  }

  const redaction::ForgottenTexts& texts_;
  std::vector<std::string> cut_;     // whole texts, of which a row may have the beginning or the end
  std::vector<std::string> pieces_;  // the longest first
};

// masked(text, with_pieces)
void masked(sqlite3_context* context, int, sqlite3_value** values) {
  const auto* mask = static_cast<const TextMask*>(sqlite3_user_data(context));
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
  if (bytes == nullptr) return sqlite3_result_null(context);
  std::string text(bytes, static_cast<std::size_t>(sqlite3_value_bytes(values[0])));
  mask->mask(text, sqlite3_value_int(values[1]) != 0);
  sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

// The function masked() of a connection, while it lives.
class MaskFunction {
 public:
  MaskFunction(sqlite::Database& db, const TextMask& mask) : db_(db) { set(const_cast<TextMask*>(&mask), masked); }
  ~MaskFunction() { set(nullptr, nullptr); }
  MaskFunction(const MaskFunction&) = delete;
  MaskFunction& operator=(const MaskFunction&) = delete;

 private:
  void set(void* data, void (*function)(sqlite3_context*, int, sqlite3_value**)) {
    sqlite3_create_function(db_.handle(), "memd_masked", 2, SQLITE_UTF8, data, function, nullptr, nullptr);
  }
  sqlite::Database& db_;
};

// Names, places and keys that link rows, and what has another way to be changed.
bool is_left_out(std::string_view table, std::string_view column) {
  constexpr std::array kTables{"exchanges",     "exchanges_fts",    "sources",       "projects",  "tools",
                               "meta",          "coverage",         "source_items",  "raw_files", "raw_frames",
                               "doc_places",    "doc_catalog",      "vector_models", "doc_edges", "own_sessions",
                               "raw_evictions", "identifier_parts", "topics"};
  constexpr std::array kColumns{"uid",         "native_id", "parent_uid",    "parent_call_id", "forked_from",
                                "session_uid", "platform",  "superseded_by", "slug",           "file_hash",
                                "commit_sha",  "sha",       "type"};
  const auto is = [](const auto& list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  return is(kTables, table) || is(kColumns, column) || (column == "path" && table != "paths");
}

struct TextColumn {
  std::string table;
  std::string name;
  bool is_of_session = false;  // the table has session_pk
};

std::vector<TextColumn> text_columns(sqlite::Database& db) {
  std::vector<TextColumn> out;
  auto& q = db.query(
      "SELECT t.name, c.name, EXISTS (SELECT 1 FROM pragma_table_info(t.name) p WHERE p.name = 'session_pk')"
      " FROM pragma_table_list t JOIN pragma_table_info(t.name) c WHERE t.schema = 'main' AND t.type = 'table'"
      " AND t.name NOT LIKE 'sqlite%' AND c.type = 'TEXT' ORDER BY 1, c.cid");
  while (q.step())
    if (!is_left_out(q.text(0), q.text(1))) out.push_back({q.str(0), q.str(1), q.int64(2) != 0});
  return out;
}

constexpr std::string_view kInPlaces = "session_pk IN (SELECT session_pk FROM temp.sessions_with_text)";

void mask_exchanges(sqlite::Database& db, const TextMask& mask) {
  struct Change {
    std::int64_t pk = 0;
    std::array<std::optional<std::string>, 4> texts;
    std::int64_t answer_offset = 0;
  };
  std::vector<Change> changes;
  auto& q = db.query("SELECT exchange_pk, user_message, interventions, assistant_response, tool_text, answer_offset, " +
                     std::string(kInPlaces) + " FROM exchanges");
  while (q.step()) {
    Change change{q.int64(0), {}, q.int64(5)};
    const bool with_pieces = q.int64(6) != 0;
    bool changed = false;
    for (int i = 0; i < 4; ++i) {
      auto& text = change.texts[static_cast<std::size_t>(i)];
      if (q.is_null(i + 1)) continue;
      text = q.str(i + 1);
      std::string before = i == 2 ? text->substr(0, static_cast<std::size_t>(change.answer_offset)) : std::string();
      if (!mask.mask(*text, with_pieces)) continue;
      changed = true;
      if (i != 2) continue;
      mask.mask(before, with_pieces);
      change.answer_offset = static_cast<std::int64_t>(std::min(before.size(), text->size()));
    }
    if (changed) changes.push_back(std::move(change));
  }
  for (const Change& c : changes) {
    assembly::forget_texts(db, "exchange_pk = ?1", c.pk);
    db.run(
        "UPDATE exchanges SET user_message = ?2, interventions = ?3, assistant_response = ?4, tool_text = ?5,"
        " answer_offset = ?6 WHERE exchange_pk = ?1",
        c.pk, c.texts[0], c.texts[1], c.texts[2], c.texts[3], c.answer_offset);
    for (const char* table : {"vectors", "exchange_topics"})
      db.run("DELETE FROM " + std::string(table) + " WHERE exchange_pk = ?", c.pk);
    second_look::forget(db, c.pk);
    transfer::index_texts(db, c.pk);
  }
}

}  // namespace

TextPlaces places_of(sqlite::Database& db, const redaction::ForgottenTexts& texts,
                     const std::filesystem::path& raw_directory, const raw::FrameSeal& seal) {
  TextPlaces out;
  auto& exchanges = db.query(
      "SELECT s.uid, x.user_message, x.interventions, x.assistant_response, x.tool_text, s.title, s.description"
      " FROM exchanges x JOIN sessions s USING (session_pk)");
  while (exchanges.step()) {
    bool found = false;
    for (int i = 1; i <= 4; ++i)
      found = holds(texts, exchanges.text(i), &out.texts) || found;
    out.exchanges += found ? 1 : 0;
    for (int i = 5; i <= 6; ++i)
      found = holds(texts, exchanges.text(i), &out.texts) || found;
    if (found) out.sessions.insert(exchanges.str(0));
  }
  auto& memories = db.query("SELECT path, title, tags, content FROM docs ORDER BY path");
  while (memories.step())
    if (holds(texts, memories.text(1)) || holds(texts, memories.text(2)) || holds(texts, memories.text(3)))
      out.memories.push_back(memories.str(0));

  raw::RawOrder records(raw_directory, seal);
  if (auto scanned = records.scan(); !scanned) throw ErrorException(scanned.error());
  for (const auto& eviction : records.evictions())
    if (holds(texts, eviction.record, &out.texts)) {
      out.sessions.insert(eviction.session_uid);
      out.evicted.insert(eviction.session_uid);
    }
  std::vector<redaction::Secret> found;
  const auto look = [&](const raw::FrameHeader& header, const raw::Part&, std::string_view content) -> Result<void> {
    while (!content.empty()) {
      found.clear();
      texts.find_escaped(ascii::take_until(content, '\n'), found, &out.texts);
      if (found.empty()) continue;
      ++out.records;
      if (!header.session().empty()) out.sessions.insert(header.session());
    }
    return {};
  };
  if (auto looked = records.for_each(look); !looked) throw ErrorException(looked.error());
  return out;
}

TextPlacesQuery::Answer TextPlacesQuery::run(sqlite::Database& db) const {
  const redaction::ForgottenTexts nothing("");
  return places_of(db, redaction::ForgottenTexts("", {nothing.token_of(text)}), raw_directory, seal);
}

void mask_rows(sqlite::Database& db, const redaction::ForgottenTexts& texts, const TextPlaces& places) {
  const TextMask mask(texts, places.texts);
  db.exec("CREATE TEMP TABLE IF NOT EXISTS sessions_with_text (session_pk INTEGER PRIMARY KEY)");
  db.exec("DELETE FROM temp.sessions_with_text");
  for (const auto& uid : places.sessions)
    db.run("INSERT OR IGNORE INTO temp.sessions_with_text SELECT session_pk FROM sessions WHERE uid = ?", uid);
  const MaskFunction function(db, mask);
  mask_exchanges(db, mask);
  for (const TextColumn& c : text_columns(db)) {
    const std::string pieces = c.is_of_session ? std::string(kInPlaces) : c.table == "decisions" ? "true" : "false";
    const std::string call = "memd_masked(" + c.name + ", " + pieces + ")";
    db.exec(("UPDATE " + c.table + " SET " + c.name + " = " + call + " WHERE " + c.name + " <> '' AND " + call +
             " <> " + c.name)
                .c_str());
  }
  // Names and topics are found again in the masked texts.
  db.exec("DELETE FROM identifier_parts WHERE memd_masked(identifier, true) <> identifier");
  db.exec(
      "DELETE FROM exchange_topics WHERE topic_pk IN (SELECT topic_pk FROM topics WHERE memd_masked(topic, true) <>"
      " topic)");
  enrichment::prune_identifiers(db);
  for (const auto& uid : places.evicted)
    db.run("INSERT OR IGNORE INTO raw_evictions SELECT uid FROM sessions WHERE uid = ? AND evicted_at IS NOT NULL",
           uid);
  db.exec("DROP TABLE temp.sessions_with_text");
}

}  // namespace memd::removal
