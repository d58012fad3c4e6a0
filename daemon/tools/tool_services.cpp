#include "daemon/tools/tool_services.hpp"

#include "schemas/file_history.hpp"
#include "schemas/source.hpp"

namespace memd::tools {
namespace {

class ForwardingText final : public RawText {
 public:
  explicit ForwardingText(const RawText& text) : text_(text) {}
  Result<std::string> event_text(const EventSource& where, EventKind kind) const override {
    return text_.event_text(where, kind);
  }
  Result<std::vector<RecordedEdit>> recorded_edits(const EventSource& where) const override {
    return text_.recorded_edits(where);
  }

 private:
  const RawText& text_;
};

}  // namespace

Result<std::vector<RecordedEdit>> RawText::recorded_edits(const EventSource&) const {
  return std::vector<RecordedEdit>();
}

std::unique_ptr<RawText> RawText::walk() const { return std::make_unique<ForwardingText>(*this); }

}  // namespace memd::tools
