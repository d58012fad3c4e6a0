#pragma once

#include "schemas/query.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

// Members throw ErrorException.
namespace memd::queries {

std::optional<ExchangeRow> exchange_by_id(sqlite::Database& db, ExchangeId id);
std::vector<ExchangeRow> exchanges_by_id(sqlite::Database& db, std::span<const ExchangeId> ids);

// Oldest first.
std::vector<ExchangeRow> last_exchanges(sqlite::Database& db, std::int64_t session_pk, int count);
std::vector<ExchangeRow> exchange_range(sqlite::Database& db, std::int64_t session_pk, std::int64_t first_number,
                                        std::int64_t last_number);
// The same without tool_text, and without the title of a session that has none of its own: neither is cheap.
std::vector<ExchangeRow> exchange_texts(sqlite::Database& db, std::int64_t session_pk, std::int64_t first_number,
                                        std::int64_t last_number);

std::vector<ExchangeFile> exchange_files(sqlite::Database& db, std::int64_t session_pk, std::int64_t exchange_number);

std::vector<EventRow> events(sqlite::Database& db, std::int64_t session_pk, std::int64_t first_seq,
                             std::int64_t last_seq, int limit);
std::optional<EventSource> event_source(sqlite::Database& db, std::int64_t session_pk, std::int64_t seq);

}  // namespace memd::queries
