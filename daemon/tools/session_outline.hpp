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

// The commits and pull requests of a session, for session_summary. Immutable; owns its data.
class SessionCommits {
 public:
  explicit SessionCommits(const SessionDigest& digest);

  void describe(SessionSummaryAnswer& out) const;  // sets the totals
  // Sets pull requests, then commits, newest first, as many as fit `tokens`. Returns the tokens used.
  std::size_t add(SessionSummaryAnswer& out, std::size_t tokens) const;

 private:
  std::vector<SessionCommitOut> commits_;   // newest first
  std::vector<std::string> pull_requests_;  // newest first
};

// Exchanges per chunk, counted from exchange 0, so that chunks do not shift as a session grows.
inline constexpr std::int64_t kChunkExchanges = 20;
inline constexpr std::array<double, 4> kLevelRatios{1.0, 0.30, 0.10, 0.02};  // share of the source kept, by level

// The part of a session to summarise, and its summaries without a language model. Parses texts and counts tokens once,
// then fills answers of several sizes. Owns its data; one thread at a time.
class SessionOutline {
 public:
  SessionOutline(SessionRow session, SessionDigest digest, std::vector<std::string> topics);
  SessionOutline(const SessionOutline&) = delete;
  SessionOutline& operator=(const SessionOutline&) = delete;

  const SessionRow& session() const { return session_; }
  const SessionDigest& digest() const { return digest_; }
  std::span<const SummaryInput> inputs() const { return source_.inputs(); }
  std::size_t days() const;  // with exchanges, at least 1
  bool has_texts() const { return has_texts_; }
  std::size_t source_tokens() const { return source_tokens_; }

  // Sets the fields that do not depend on the size of the answer.
  void describe(SessionSummaryAnswer& out) const;
  // Sets commits, decisions, files, topics and open ends, as many as fit `tokens`. Replaces those of an earlier call.
  void add_facts(SessionSummaryAnswer& out, std::size_t tokens) const;

  struct Form {
    SummaryStrategy strategy = SummaryStrategy::extractive;  // one that needs no model
    int level = 2;                                           // of a hierarchy
    double ratio = kDetailedRatio;
    std::string focus;
  };
  ExtractiveSummary summary(const Form& form, std::size_t max_tokens);

  // Adds chunks from index `first` on, as many as fit `tokens`. Level 1: each with a summary of about 30%; level 2:
  // each with the gist of its first request. Returns the index after the last one added.
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
