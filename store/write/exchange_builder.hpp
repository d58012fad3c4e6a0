#pragma once

#include "schemas/event.hpp"
#include "store/write/event_rows.hpp"
#include "store/write/exchange_rows.hpp"
#include "store/write/session_state.hpp"

#include <cstdint>

namespace memd::assembly {

// Opens, extends and closes the newest exchange of a session. A prompt opens an exchange and closes the one before.
// Agent activity without a preceding prompt opens one too. Writer thread only; owns nothing. Throws ErrorException.
class ExchangeBuilder {
 public:
  ExchangeBuilder(EventRows& events, ExchangeRows& exchanges, PathInterner& paths)
      : events_(events), exchanges_(exchanges), paths_(paths) {}

  // Assigns the event with sequence number `seq` to its exchange and updates the exchange's end.
  void take(SessionWork& session, const Event& event, std::int64_t seq, const AssemblyContext& context);

  // Adds a user's message other than the prompt.
  void add_intervention(SessionWork& session, const Event& event);
  void add_answer(SessionWork& session, const Event& event);
  void add_call(SessionWork& session, const Event& call);
  void touch_files(SessionWork& session, const Event& event);
  void add_changed_lines(SessionWork& session, std::int64_t path_pk, std::int64_t added, std::int64_t removed);

 private:
  void open(SessionWork& session, const Event& event, std::int64_t seq, const AssemblyContext& context);
  void close(SessionWork& session, TimeMs now);
  void open_with_prompt(SessionWork& session, const Event& prompt, std::int64_t seq, const AssemblyContext& context);

  EventRows& events_;
  ExchangeRows& exchanges_;
  PathInterner& paths_;
};

}  // namespace memd::assembly
