#pragma once

#include "daemon/tools/session_summary.hpp"
#include "daemon/tools/summary_source.hpp"
#include "schemas/session_digest.hpp"
#include "store/insight/summary/chronicle.hpp"
#include "store/insight/summary/strategy.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace memd::tools {

// The commits and pull requests that session_summary tells of. Immutable; owns what it holds.
class SessionCommits {
 public:
  explicit SessionCommits(const SessionDigest& digest);

  void describe(SessionSummaryAnswer& out) const;  // how many there are
  // Adds pull requests, then commits, the newest first, as far as `tokens` go. Gives the tokens taken.
  std::size_t add(SessionSummaryAnswer& out, std::size_t tokens) const;

 private:
  std::vector<SessionCommitOut> commits_;   // newest first
  std::vector<std::string> pull_requests_;  // newest first
};

inline constexpr std::int64_t kChunkExchanges = 20;  // exchanges of a chunk: they do not shift as a session grows
inline constexpr std::array<double, 4> kLevelRatios{1.0, 0.30, 0.10, 0.02};  // by level

// The part of a session that a summary tells of, and its summaries without a language model. Reads and counts once,
// then gives answers of several sizes. Owns what it holds; one thread at a time.
class SessionOutline {
 public:
  SessionOutline(SessionRow session, SessionDigest digest, std::vector<std::string> topics);
  SessionOutline(const SessionOutline&) = delete;
  SessionOutline& operator=(const SessionOutline&) = delete;

  const SessionRow& session() const { return session_; }
  const SessionDigest& digest() const { return digest_; }
  std::span<const SummaryInput> inputs() const { return source_.inputs(); }
  std::size_t days() const;  // on which something was asked
  bool has_texts() const { return has_texts_; }
  std::size_t source_tokens() const { return source_tokens_; }

  // Sets what does not depend on the size of the answer.
  void describe(SessionSummaryAnswer& out) const;
  // Sets commits, decisions, files, topics and open ends, as far as `tokens` go. Replaces what a call before has set.
  void add_facts(SessionSummaryAnswer& out, std::size_t tokens) const;

  struct Form {
    SummaryStrategy strategy = SummaryStrategy::extractive;  // none that needs a model
    int level = 2;                                           // of a hierarchy
    double ratio = kDetailedRatio;
    std::string focus;
  };
  ExtractiveSummary summary(const Form& form, std::size_t max_tokens);

  // Adds chunks from index `first` on, as far as `tokens` go. Level 1: each with a summary of about 30%; level 2: each
  // with what it began with. Returns the index behind the last one added.
  std::int64_t add_chunks(SessionSummaryAnswer& out, int level, std::int64_t first, std::size_t tokens);
  std::int64_t chunk_count() const;

 private:
  struct Span {
    std::size_t first = 0;
    std::size_t count = 0;
  };
  Span chunk(std::int64_t index) const;
  Extract& extract_of(std::optional<Extract>& kept, Span span, std::string_view focus);
  const Chronicle& story();
  ExtractiveSummary by_chunks(double ratio, std::size_t max_tokens);
  std::string kept_summary() const;
  std::string id_of(std::optional<std::int64_t> exchange_number) const;

  SessionRow session_;
  SessionDigest digest_;
  std::vector<std::string> topics_;
  std::vector<std::vector<std::string>> modified_;
  SummarySource source_;
  std::vector<DecisionOut> decisions_;  // in order of time
  std::vector<double> decision_weights_;
  std::vector<NotedOut> open_ends_;
  std::vector<ChangedFileOut> files_;  // most changed first
  SessionCommits commits_;
  bool has_texts_ = false;
  std::size_t source_tokens_ = 0;
  std::optional<Extract> whole_;
  std::optional<Chronicle> story_;
  std::vector<std::optional<Extract>> of_chunks_;
};

}  // namespace memd::tools
