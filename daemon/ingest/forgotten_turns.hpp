#pragma once

#include "schemas/event_batch.hpp"
#include "store/db/withheld.hpp"
#include "store/read/forget_plan.hpp"

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

namespace raw {
struct FrameHeader;
}

// Recognises the records of forgotten exchanges: records with an event that was forgotten, and what follows them in
// their session until the next prompt, which has no events or was written later. Records come in the order of their
// source. Records that tell only something about the session, as a title, are of no exchange. One thread.
class ForgottenTurns {
 public:
  explicit ForgottenTurns(const Withheld& withheld) : withheld_(withheld) {}

  // Begins anew where the store is: a session whose newest exchange was forgotten may still be in it.
  void reset(const std::vector<CutOffSession>& cut_off);
  // Call where a session is read from its start.
  void restart(std::string_view session_uid);

  // Whether has() would find a record among those that the batch, from `first` on, was decoded from. `session_uid`: of
  // their source.
  bool may_have(const EventBatch& batch, const EventBatch::Length& first, std::string_view session_uid) const;
  // Whether the record that the batch, from `first` on, was decoded from is to be left out.
  bool has(const EventBatch& batch, const EventBatch::Length& first, std::string_view session_uid);

 private:
  bool is_forgotten(const Event& event) const;

  const Withheld& withheld_;
  std::set<std::string, std::less<>> inside_;  // sessions in which a forgotten exchange was met last
};

// Returns the judge of records of the raw layer that Forgetting uses (store/write/forgetting.hpp). `withheld` must
// outlive it.
std::function<bool(const raw::FrameHeader& header, std::string_view record, std::uint64_t place)> judge_of_records(
    const Withheld& withheld);

}  // namespace memd
