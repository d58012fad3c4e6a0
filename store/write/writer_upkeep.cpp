// What the writer does besides taking slices in: tidying the raw layer up, dropping what is too old, storing what was
// made of exchanges, giving memory back.
#include "store/completions/answer_cache.hpp"
#include "store/db/store_layout.hpp"
#include "store/enrich/enrichment_queue.hpp"
#include "store/enrich/enrichment_rows.hpp"
#include "store/search/words/document_lengths.hpp"
#include "store/search/words/full_text_index.hpp"
#include "store/write/assembler.hpp"
#include "store/write/writer.hpp"

namespace memd {

void Writer::share(std::shared_ptr<search::DocumentLengths> lengths) {
  lengths_ = std::move(lengths);
  lengths_->follow(db_);
}

void Writer::release() {
  assembler_->release();
  db_.release_memory();
}

Result<void> Writer::maintain() {
  MEMD_TRY(commit());
  return sqlite::guard([&] {
    retention::mark_analyzed(db_, clock_.now());
    if (raw_) raw_->merge_quiet_files(clock_.now());
  });
}

Result<bool> Writer::merge_search_index() {
  MEMD_TRY(commit());
  return sqlite::guard([&] { return search::merge_segments(db_); });
}

Result<Writer::Eviction> Writer::enforce(const RetentionPolicy& policy, bool at_once) {
  MEMD_TRY(commit());
  const TimeMs now = clock_.now();
  MEMD_TRY_ASSIGN(const auto drops, sqlite::guard([&] {
                    sqlite::Transaction transaction(db_);
                    retention::mark_analyzed(db_, now);
                    retention::announce(db_, policy, now);
                    auto due = retention::plan(db_, policy, now, at_once ? now + kRetentionNotice : now);
                    transaction.commit();
                    return due;
                  }));
  std::vector<std::string> uids;
  for (const auto& drop : drops) {
    // With the notice waived, what is not old enough by itself stays.
    if (policy.max_age_days > 0 && drop.due_at > now && drop.ended_at + policy.max_age_days * kMsPerDay > now) continue;
    uids.insert(uids.end(), drop.members.begin(), drop.members.end());
  }
  return evict(uids);
}

Result<Writer::Eviction> Writer::evict(const std::vector<std::string>& session_uids) {
  MEMD_TRY(commit());
  Eviction out;
  if (session_uids.empty()) return out;
  // First: killed in between, nothing is left of a session that is gone.
  MEMD_TRY(completions::forget_answers(StoreLayout(file_.parent_path()).summaries(), session_uids));
  auto result = sqlite::guard([&] {
    for (const auto& uid : session_uids) {
      // One at a time: the file and the rows of a session go together.
      sqlite::Transaction transaction(db_);
      if (!retention::evict(db_, uid, clock_.now())) continue;
      ++out.sessions;
      if (raw_) out.raw_bytes += raw_->evict(uid, retention::record_of(db_, uid), clock_.now());
      transaction.commit();
    }
    sqlite::Transaction transaction(db_);
    enrichment::prune_identifiers(db_);
    transaction.commit();
  });
  assembler_->forget();
  if (auto loaded = sqlite::guard([&] { evicted_.load(db_); }); !loaded) return loaded.error();
  if (!result) return result.error();
  return out;
}

Result<void> Writer::enrich(std::span<const Enrichment> made) {
  MEMD_TRY(commit());
  return sqlite::guard([&] {
    sqlite::Transaction transaction(db_);
    enrichment::save(db_, made);
    transaction.commit();
  });
}

Result<void> Writer::enqueue_vectors_of_all() {
  MEMD_TRY(commit());
  return sqlite::guard([&] {
    sqlite::Transaction transaction(db_);
    enrichment::enqueue_vectors_of_all(db_);
    transaction.commit();
  });
}

Result<void> Writer::set_enrichment_target(const EnrichmentTarget& target) {
  MEMD_TRY(commit());
  return sqlite::guard([&] {
    sqlite::Transaction transaction(db_);
    enrichment::set_target(db_, target);
    transaction.commit();
  });
}

Result<std::int64_t> Writer::drop_other_vectors(std::span<const std::string> keep, int limit) {
  MEMD_TRY(commit());
  return sqlite::guard([&] {
    sqlite::Transaction transaction(db_);
    const auto dropped = enrichment::drop_other_vectors(db_, keep, limit);
    transaction.commit();
    return dropped;
  });
}

Result<void> Writer::restore_evicted(std::string_view record) {
  MEMD_TRY(commit());
  auto result = sqlite::guard([&] {
    sqlite::Transaction transaction(db_);
    retention::restore(db_, record);
    transaction.commit();
    evicted_.load(db_);
  });
  assembler_->forget();
  return result;
}

}  // namespace memd
