#include "store/write/forgetting.hpp"

#include "schemas/hash.hpp"
#include "schemas/sql_text.hpp"
#include "store/catalog/catalog_changes.hpp"
#include "store/completions/summaries_file.hpp"
#include "store/db/store_copies.hpp"
#include "store/db/store_layout.hpp"
#include "store/db/withheld.hpp"
#include "store/enrich/enrichment.hpp"
#include "store/raw/raw_erasure.hpp"
#include "store/raw/raw_layer.hpp"
#include "store/write/assembler.hpp"
#include "store/write/left_out.hpp"
#include "store/write/retention.hpp"
#include "store/write/source_history.hpp"
#include "store/write/writer.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

namespace memd {
namespace {

constexpr std::string_view kForgottenReason = "forgotten";

}  // namespace

Result<Forgetting::Report> Forgetting::forget(const std::vector<std::string>& session_uids) {
  MEMD_TRY(writer_.commit());
  if (session_uids.empty()) return Report();
  MEMD_TRY_ASSIGN(const auto paths, sqlite::guard([&] {
                    std::vector<std::string> out;
                    auto& q = writer_.db_.prepare("SELECT path FROM sources WHERE session_uid = ?");
                    for (const auto& uid : session_uids) {
                      q.bind(uid);
                      while (q.step())
                        out.push_back(q.str(0));
                      q.reset();
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
                      q.reset();
                    }
                    return out;
                  }));
  MEMD_TRY(writer_.withheld_->forget(session_uids, paths, records));
  return finish();
}

Result<Forgetting::Report> Forgetting::finish() {
  MEMD_TRY(writer_.commit());
  const StoreLayout layout(writer_.file_.parent_path());
  const auto is_forgotten = [this](std::string_view uid) { return writer_.withheld_->has_session(uid); };
  MEMD_TRY(completions::erase_answers(layout.summaries(), is_forgotten));
  Report report;
  auto removed = sqlite::guard([&] {
    for (const auto& uid : stored_sessions()) {
      remove_rows(uid);
      ++report.sessions;
    }
    remove_sources();
    remove_what_nothing_names();
    const auto record = [this](const raw::FrameHeader& header, std::string_view bytes) {
      return is_forgotten_(header, bytes, *writer_.withheld_);
    };
    const raw::FrameSeal seal = writer_.raw_ ? writer_.raw_->seal() : raw::FrameSeal();
    report.raw_bytes = raw::erase(writer_.db_, layout.raw_dir(), seal, {is_forgotten, record});
    clear_index();
    if (const auto gone = remove_copies_of_store(layout); !gone) throw ErrorException(gone.error());
  });
  // In-memory state may belong to deleted sessions.
  writer_.assembler_->forget();
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
  auto& q = writer_.db_.prepare("SELECT uid FROM sessions");
  q.bind();
  while (q.step())
    if (writer_.withheld_->has_session(q.text(0))) out.push_back(q.str(0));
  q.reset();
  return out;
}

void Forgetting::remove_rows(const std::string& uid) {
  sqlite::Transaction transaction(writer_.db_);
  retention::remove(writer_.db_, uid, kForgottenReason);
  writer_.db_.prepare("DELETE FROM raw_evictions WHERE session_uid = ?").bind(uid).run();
  transaction.commit();
}

void Forgetting::remove_sources() {
  auto& db = writer_.db_;
  std::vector<std::int64_t> sources;
  auto& q = db.prepare("SELECT source_pk, path, session_uid FROM sources");
  q.bind();
  while (q.step())
    if (writer_.withheld_->has_source(q.text(1)) || writer_.withheld_->has_session(q.text(2)))
      sources.push_back(q.int64(0));
  q.reset();
  for (const auto source : sources) {
    sqlite::Transaction transaction(db);
    db.prepare("UPDATE sessions SET source_pk = NULL WHERE source_pk = ?").bind(source).run();
    db.prepare("DELETE FROM sources WHERE source_pk = ?").bind(source).run();
    transaction.commit();
  }
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
