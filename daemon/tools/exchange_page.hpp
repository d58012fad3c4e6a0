#pragma once

#include "daemon/tools/get_exchange.hpp"
#include "daemon/tools/page_cursor.hpp"
#include "daemon/tools/tool_services.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memd::tools {

struct ExchangePageOptions {
  bool tools = false;
  bool raw = false;
};

// Cuts a list of exchanges into pages. A cursor's part runs through the bytes of an exchange's texts (question,
// interventions, answer), then through its events. Keeps what it read, so that a page can be made again smaller.
// Borrows all it is given; one thread.
class ExchangePager {
 public:
  ExchangePager(const ToolServices& services, Reader& reader, std::span<const ExchangeRow> rows,
                ExchangePageOptions options);

  // Reads what the texts of the page need besides the rows. Call once before make().
  Result<void> load(const PageCursor& from);

  struct Page {
    std::vector<ExchangeOut> exchanges;
    std::optional<PageCursor> next;
    bool texts_shortened = false;  // of events: the rest does not come on a later page
  };
  // At least a little of one exchange, however few the tokens.
  Page make(const PageCursor& from, std::size_t tokens);

 private:
  struct Extra {
    bool loaded = false;
    std::vector<std::string> files;
    std::string source_path;
    std::vector<EventRow> events;  // from first_event on
    std::vector<std::optional<std::string>> texts;
    std::int64_t first_event = 0;  // seq
    bool more_events = false;
  };

  Result<void> load_one(std::size_t index, std::int64_t part);
  ExchangeOut head_of(std::size_t index, bool first_page) const;
  bool add_texts(const ExchangeRow& row, ExchangeOut& out, std::int64_t& part, std::size_t& left, bool must_advance);
  bool add_events(std::size_t index, ExchangeOut& out, std::int64_t& part, std::size_t& left, bool must_advance,
                  bool& shortened);
  std::string event_text(const ExchangeRow& row, const EventRow& event);

  const ToolServices& services_;
  Reader& reader_;
  std::span<const ExchangeRow> rows_;
  ExchangePageOptions options_;
  std::vector<Extra> extras_;
};

}  // namespace memd::tools
