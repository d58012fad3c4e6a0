#include "store/write/forgetting.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/forgotten.hpp"
#include "schemas/ids.hpp"
#include "schemas/sql_text.hpp"
#include "store/catalog/catalog_changes.hpp"
#include "store/completions/summaries_file.hpp"
#include "store/db/store_copies.hpp"
#include "store/db/store_layout.hpp"
#include "store/db/withheld.hpp"
#include "store/enrich/enrichment.hpp"
#include "store/raw/raw_erasure.hpp"
#include "store/raw/raw_layer.hpp"
#include "store/text/redaction/redactor.hpp"
#include "store/write/assembler.hpp"
#include "store/write/left_out.hpp"
#include "store/write/retention.hpp"
#include "store/write/session_tail.hpp"
#include "store/write/source_history.hpp"
#include "store/write/source_rows.hpp"
#include "store/write/text_removal.hpp"
#include "store/write/writer.hpp"

#include <span>
#include <utility>

namespace memd {
namespace {

// Returns what a path has to contain to name the session: file names may have only the beginning of a UUID.
std::string name_in_paths(std::string_view uid) {
  const auto parts = split_session_uid(uid);
  if (!parts) return std::string(uid);
  return std::string(is_uuid(parts->native_id) ? parts->native_id.substr(0, 8) : parts->native_id);
}

// Returns whether a text contains the word, not as a part of a longer one.
bool has_word(std::string_view text, std::string_view word) {
  const auto is_of_word = [&](std::size_t at) { return at < text.size() && ascii::is_alnum(text[at]); };
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    if ((at == 0 || !is_of_word(at - 1)) && !is_of_word(at + word.size())) return true;
  return false;
}

}  // namespace

Result<Forgetting::Report> Forgetting::forget(const std::vector<std::string>& session_uids,
                                              const std::vector<ForgottenExchange>& exchanges) {
  MEMD_TRY(writer_.commit());
  if (session_uids.empty() && exchanges.empty()) return Report();
  MEMD_TRY_ASSIGN(const auto paths, sqlite::guard([&] {
                    std::vector<std::string> out;
                    auto& q = writer_.db_.prepare("SELECT path FROM sources WHERE session_uid = ?");
                    for (const auto& uid : session_uids) {
                      q.bind(uid);
                      while (q.step())
                        out.push_back(q.str(0));
                    }
                    // Documents and trees of one session, whose path names it.
                    auto& own = writer_.db_.prepare(
                        "SELECT DISTINCT o.path FROM sources o JOIN source_items i USING (source_pk)"
                        " WHERE i.session_uid = ?1 AND instr(o.path, ?2) AND NOT EXISTS (SELECT 1 "
                        "FROM source_items x"
                        " WHERE x.source_pk = o.source_pk AND x.session_uid <> ?1"
                        " AND substr(x.session_uid, 1, length(?1) + 1) <> ?1 || '/')");
                    for (const auto& uid : session_uids) {
                      const std::string name = name_in_paths(uid);
                      own.bind(uid, name);
                      while (own.step())
                        if (has_word(own.text(0), name)) out.push_back(own.str(0));
                    }
                    return out;
                  }));
  // Records that titles may refer to.
  MEMD_TRY_ASSIGN(const auto records, sqlite::guard([&] {
                    std::vector<std::uint64_t> out;
                    auto& q = writer_.db_.prepare(
                        sql_text("SELECT event_id FROM events WHERE session_pk = (SELECT session_pk FROM sessions WHERE"
                                 " uid = ?) AND flags & kFlagDerived = 0"));
                    for (const auto& uid : session_uids) {
                      q.bind(uid);
                      while (q.step())
                        out.push_back(from_sql(q.int64(0)));
                    }
                    return out;
                  }));
  // What an exchange had started goes with its keys, so that the others keep theirs in a rebuild.
  std::vector<ForgottenExchange> with_keys = exchanges;
  if (!exchanges.empty())
    MEMD_TRY(sqlite::guard([&] {
      auto& q = writer_.db_.prepare(
          "SELECT exchange_pk, exchange_number FROM exchanges JOIN sessions USING (session_pk) WHERE uid = ?");
      for (const auto& uid : session_uids) {
        q.bind(uid);
        while (q.step())
          with_keys.push_back({q.int64(0), uid, q.int64(1), {}, {}});
      }
    }));
  MEMD_TRY(writer_.withheld_->forget(session_uids, paths, records, with_keys));
  return finish();
}

Result<Forgetting::Report> Forgetting::forget_text(const std::string& text) {
  MEMD_TRY(writer_.commit());
  MEMD_TRY(writer_.withheld_->forget_text(text));
  return finish();
}

Result<Forgetting::Report> Forgetting::finish() {
  MEMD_TRY(writer_.commit());
  const StoreLayout layout(writer_.file_.parent_path());
  const auto is_forgotten = [this](std::string_view uid) { return writer_.withheld_->has_session(uid); };
  // Answers about a session may tell of an exchange of it.
  MEMD_TRY(completions::erase_answers(layout.summaries(), [this, &is_forgotten](std::string_view uid) {
    return is_forgotten(uid) || writer_.withheld_->has_exchange_of(uid);
  }));
  Report report;
  auto removed = sqlite::guard([&] {
    for (const auto& uid : stored_sessions()) {
      remove_rows(uid);
      ++report.sessions;
    }
    report.exchanges = remove_exchanges();
    mask_texts();
    remove_sources();
    if (const auto replaced = replace_items(); !replaced) throw ErrorException(replaced.error());
    remove_what_nothing_names();
    const raw::FrameSeal seal = writer_.raw_ ? writer_.raw_->seal() : raw::FrameSeal();
    raw::Erasure erasure{is_forgotten, make_judge_(*writer_.withheld_), {}};
    if (const auto texts = writer_.withheld_->texts(); !texts->is_empty())
      erasure.mask = [texts](std::span<char> lines) { return mask_forgotten(lines, *texts); };
    report.raw_bytes = raw::erase(writer_.db_, layout.raw_dir(), seal, erasure);
    clear_index();
    if (const auto gone = remove_copies_of_store(layout); !gone) throw ErrorException(gone.error());
  });
  // In-memory state may belong to deleted sessions.
  writer_.assembler_->forget();
  writer_.assembler_->reserve(writer_.withheld_->exchange_keys());
  writer_.history_->forget();
  writer_.drift_->forget();
  writer_.sources_changed_ = true;
  auto loaded = sqlite::guard([&] {
    writer_.evicted_->load(writer_.db_);
    writer_.own_->load();
  });
  if (!removed) return removed.error();
  if (!loaded) return loaded.error();
  if (const auto cleared = sqlite::clear_free_space(writer_.file_); !cleared)
    return Error(cleared.error().code,
                 "what was forgotten is not found any more, but its traces are still in the file; "
                 "the next start clears them: " +
                     cleared.error().message());
  MEMD_TRY(writer_.withheld_->finished());
  return report;
}

std::vector<std::string> Forgetting::stored_sessions() {
  std::vector<std::string> out;
  auto& q = writer_.db_.query("SELECT uid FROM sessions");
  while (q.step())
    if (writer_.withheld_->has_session(q.text(0))) out.push_back(q.str(0));
  return out;
}

void Forgetting::remove_rows(const std::string& uid) {
  sqlite::Transaction transaction(writer_.db_);
  retention::remove(writer_.db_, uid, kForgottenReason);
  writer_.db_.run("DELETE FROM raw_evictions WHERE session_uid = ?", uid);
  transaction.commit();
}

// What was concluded of the session as a whole is concluded again.
std::uint64_t Forgetting::remove_exchanges() {
  if (!writer_.withheld_->forgot_exchanges()) return 0;
  auto& db = writer_.db_;
  std::vector<std::pair<std::int64_t, std::int64_t>> found;
  auto& q = db.query(
      "SELECT x.session_pk, x.exchange_number, s.uid FROM exchanges x JOIN sessions s USING (session_pk)"
      " ORDER BY 1, 2");
  std::int64_t session = 0;
  bool is_cut = false;
  while (q.step()) {
    if (std::exchange(session, q.int64(0)) != q.int64(0)) is_cut = writer_.withheld_->has_exchange_of(q.text(2));
    if (is_cut && writer_.withheld_->has_exchange(q.text(2), q.int64(1))) found.emplace_back(session, q.int64(1));
  }
  for (const auto& [session_pk, number] : found) {
    sqlite::Transaction transaction(db);
    assembly::SessionTail(db).remove_exchange(session_pk, number);
    db.run("DELETE FROM session_digests WHERE session_pk = ?", session_pk);
    db.run("UPDATE sessions SET analyzed_at = NULL, analysis_version = 0 WHERE session_pk = ?", session_pk);
    transaction.commit();
  }
  return found.size();
}

// Rows come before raw records: what rows have of a text is told by the text, which the raw layer still has.
void Forgetting::mask_texts() {
  const auto texts = writer_.withheld_->texts();
  if (texts->is_empty()) return;
  const StoreLayout layout(writer_.file_.parent_path());
  const raw::FrameSeal seal = writer_.raw_ ? writer_.raw_->seal() : raw::FrameSeal();
  const auto erased = completions::erase_answers_with(layout.summaries(), [&texts](std::string_view answer) {
    std::vector<redaction::Secret> found;
    texts->find_escaped(answer, found);
    return !found.empty();
  });
  if (!erased) throw ErrorException(erased.error());
  {
    const auto places = removal::places_of(writer_.db_, *texts, layout.raw_dir(), seal);
    sqlite::Transaction transaction(writer_.db_);
    removal::mask_rows(writer_.db_, *texts, places);
    transaction.commit();
  }
  Retention(writer_).cut_records();
}

void Forgetting::remove_sources() {
  auto& db = writer_.db_;
  std::vector<std::int64_t> sources;
  auto& q = db.query("SELECT source_pk, path, session_uid FROM sources");
  while (q.step())
    if (writer_.withheld_->has_source(q.text(1)) || writer_.withheld_->has_session(q.text(2)))
      sources.push_back(q.int64(0));
  for (const auto source : sources) {
    sqlite::Transaction transaction(db);
    db.run("UPDATE sessions SET source_pk = NULL WHERE source_pk = ?", source);
    db.run("DELETE FROM sources WHERE source_pk = ?", source);
    transaction.commit();
  }
}

Result<void> Forgetting::replace_items() {
  return sqlite::guard([&] {
    std::vector<std::pair<std::int64_t, std::string>> found;
    auto& q = writer_.db_.query("SELECT DISTINCT source_pk, session_uid FROM source_items");
    while (q.step())
      if (writer_.withheld_->has_session(q.text(1))) found.emplace_back(q.int64(0), q.str(1));
    for (const auto& [source, uid] : found) {
      sqlite::Transaction transaction(writer_.db_);
      replace_items_of(source, uid);
      transaction.commit();
    }
  });
}

void Forgetting::replace_items_of(std::int64_t source, const std::string& uid) {
  auto& db = writer_.db_;
  const std::string alias = writer_.withheld_->alias(uid);
  // The line of an earlier time is counted anew.
  db.run(sql_text("UPDATE coverage AS c SET (records, bytes) = (SELECT c.records - count(*), c.bytes -"
                  " coalesce(sum(i.bytes), 0) FROM source_items i WHERE i.source_pk = ?1"
                  " AND i.session_uid IN (?2, ?3) AND i.flags & kItemGone = 0 AND i.record_type = c.record_type"
                  " AND i.disposition = c.disposition AND i.reason = c.reason) WHERE c.source_pk = ?1"),
         source, uid, alias);
  const std::int64_t bytes = db.query(sql_text("SELECT coalesce(sum(bytes), 0) FROM source_items WHERE source_pk = ?1"
                                               " AND session_uid IN (?2, ?3) AND flags & kItemGone = 0"),
                                      source, uid, alias)
                                 .value_or(0);
  // A mark may name the sessions that changed last. A short id may stand in it as part of something else.
  const std::size_t platform = uid.find(':') + 1;
  db.run("UPDATE sources SET mark = replace(mark, ?2, ?3) WHERE source_pk = ?1 AND length(?2) >= 8", source,
         uid.substr(platform), alias.substr(platform));
  db.run("DELETE FROM source_items WHERE source_pk = ?1 AND session_uid IN (?2, ?3)", source, uid, alias);
  db.run("DELETE FROM coverage WHERE source_pk = ? AND records = 0 AND bytes = 0", source);
  db.run(sql_text("INSERT INTO source_items (source_pk, session_uid, item_no, item_key, version, flags, record_type,"
                  " disposition, reason, bytes) VALUES (?, ?, 0, '', 1, 0, ?, Disposition::skipped, ?, ?)"),
         source, alias, kForgottenType, kForgottenReason, bytes);
  ingestion::add_coverage(db, source, kForgottenType, Disposition::skipped, kForgottenReason, 1, from_sql(bytes));
}

// Deletes unused rows of name tables. Foreign keys are off because they would scan all events for each path.
void Forgetting::remove_what_nothing_names() {
  auto& db = writer_.db_;
  db.exec("PRAGMA foreign_keys = OFF");
  {
    sqlite::Transaction transaction(db);
    for (const char* sql :
         {"DELETE FROM paths WHERE path_pk NOT IN (SELECT path_pk FROM exchange_files UNION"
          " SELECT path_pk FROM events WHERE path_pk IS NOT NULL)",
          "DELETE FROM projects WHERE project_pk NOT IN (SELECT project_pk FROM sessions WHERE project_pk IS NOT NULL"
          " UNION SELECT own_project_pk FROM sessions WHERE own_project_pk IS NOT NULL)",
          "DELETE FROM tools WHERE tool_pk NOT IN (SELECT tool_pk FROM exchange_tools)",
          // Titles of sessions that were not read yet or never will be.
          "DELETE FROM pending_titles"})
      db.exec(sql);
    transaction.commit();
  }
  db.exec("PRAGMA foreign_keys = ON");
  sqlite::Transaction transaction(db);
  enrichment::prune_identifiers(db);
  if (catalog::damage_of(db, false).empty())
    catalog::forget_unknown_projects(db);
  else
    catalog::begin_rebuild(db, "what was forgotten may have stood in it", 0);
  transaction.commit();
}

// FTS5 keeps the words of deleted entries until its segments are merged.
void Forgetting::clear_index() {
  sqlite::Transaction transaction(writer_.db_);
  writer_.db_.exec("INSERT INTO exchanges_fts (exchanges_fts) VALUES ('optimize')");
  writer_.db_.exec("INSERT INTO session_titles (session_titles) VALUES ('optimize')");
  transaction.commit();
}

}  // namespace memd
