#pragma once

#include "adapters/json/record_parser.hpp"
#include "adapters/json/text_reader.hpp"
#include "schemas/event_batch.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace memd::gemini {

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

// Builds the events of one message: the fields they share, and their ids.
class MessageContext : public TextReader {
 public:
  MessageContext(std::string_view session_uid, RawRef raw, bool sidechain, Detail detail, EventBatch& out)
      : TextReader(detail), session_uid_(session_uid), raw_(raw), sidechain_(sidechain), out_(out) {}

  // A new event with the shared fields filled. Valid until the next call.
  Event& add(EventKind kind, Role role, std::size_t block = 0);
  Event& add_lifecycle(std::string_view name, std::size_t block = 0);
  void diagnose(DiagnosticType type, std::vector<FieldName> fields = {});

  std::string_view session_uid() const { return session_uid_; }
  bool sidechain() const { return sidechain_; }
  EventBatch& out() { return out_; }
  std::size_t emitted() const { return index_; }

  std::uint64_t key = 0;
  TimeMs time = 0;
  std::string model;

 private:
  std::string_view session_uid_;
  RawRef raw_;
  bool sidechain_;
  EventBatch& out_;
  std::uint32_t index_ = 0;
};

// Of the timestamp in a token; 0 when there is none.
TimeMs time_of(TextReader& reader, std::string_view token);

}  // namespace memd::gemini
