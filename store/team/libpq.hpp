#pragma once

// PostgreSQL's client library, as the sources of this folder use it. Private to them.
#ifdef MEMD_LIBPQ
#include "schemas/base/error.hpp"
#include "schemas/base/harmless.hpp"

#include <dlfcn.h>
#include <libpq-fe.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace memd::team {

// The library is opened when a share needs it: it brings twenty others, which every start would pay for. Never
// unloaded.
struct Libpq {
  void* handle = ::dlopen(MEMD_LIBPQ, RTLD_NOW | RTLD_LOCAL);
  bool is_missing_one = false;
  decltype(&PQconnectdbParams) connect = find<decltype(&PQconnectdbParams)>("PQconnectdbParams");
  decltype(&PQconnectStartParams) connect_start = find<decltype(&PQconnectStartParams)>("PQconnectStartParams");
  decltype(&PQconnectPoll) connect_poll = find<decltype(&PQconnectPoll)>("PQconnectPoll");
  decltype(&PQsocket) socket = find<decltype(&PQsocket)>("PQsocket");
  decltype(&PQsendQuery) send_query = find<decltype(&PQsendQuery)>("PQsendQuery");
  decltype(&PQconsumeInput) consume_input = find<decltype(&PQconsumeInput)>("PQconsumeInput");
  decltype(&PQisBusy) is_busy = find<decltype(&PQisBusy)>("PQisBusy");
  decltype(&PQgetResult) get_result = find<decltype(&PQgetResult)>("PQgetResult");
  decltype(&PQfinish) finish = find<decltype(&PQfinish)>("PQfinish");
  decltype(&PQstatus) status = find<decltype(&PQstatus)>("PQstatus");
  decltype(&PQerrorMessage) error_message = find<decltype(&PQerrorMessage)>("PQerrorMessage");
  decltype(&PQsetnonblocking) set_nonblocking = find<decltype(&PQsetnonblocking)>("PQsetnonblocking");
  decltype(&PQsendQueryParams) send_query_params = find<decltype(&PQsendQueryParams)>("PQsendQueryParams");
  decltype(&PQflush) flush = find<decltype(&PQflush)>("PQflush");
  decltype(&PQresultStatus) result_status = find<decltype(&PQresultStatus)>("PQresultStatus");
  decltype(&PQresultErrorField) error_field = find<decltype(&PQresultErrorField)>("PQresultErrorField");
  decltype(&PQntuples) rows = find<decltype(&PQntuples)>("PQntuples");
  decltype(&PQgetvalue) value = find<decltype(&PQgetvalue)>("PQgetvalue");
  decltype(&PQgetlength) length = find<decltype(&PQgetlength)>("PQgetlength");
  decltype(&PQgetisnull) is_null = find<decltype(&PQgetisnull)>("PQgetisnull");
  decltype(&PQclear) clear = find<decltype(&PQclear)>("PQclear");
  decltype(&PQnotifies) notifies = find<decltype(&PQnotifies)>("PQnotifies");
  decltype(&PQfreemem) free = find<decltype(&PQfreemem)>("PQfreemem");
  decltype(&PQbackendPID) server_process = find<decltype(&PQbackendPID)>("PQbackendPID");

  template <class Function>
  Function find(const char* name) {
    auto* found = handle != nullptr ? ::dlsym(handle, name) : nullptr;
    is_missing_one = is_missing_one || found == nullptr;
    return reinterpret_cast<Function>(found);
  }
};

inline const Libpq& libpq() {
  static const Libpq one;
  return one;
}

struct FinishConnection {
  void operator()(PGconn* connection) const { libpq().finish(connection); }
};
using ConnectionPtr = std::unique_ptr<PGconn, FinishConnection>;
struct FreeNotice {
  void operator()(PGnotify* notice) const { libpq().free(notice); }
};
using NoticePtr = std::unique_ptr<PGnotify, FreeNotice>;
struct ClearResult {
  void operator()(PGresult* result) const { libpq().clear(result); }
};
using ResultPtr = std::unique_ptr<PGresult, ClearResult>;

// Connects, at once or in steps (PQconnectPoll). What the URL says takes precedence: it comes last. The kernel finds
// out by itself when a silent server is gone.
inline ConnectionPtr connect_to(const std::string& url, bool in_steps) {
  const std::array<const char*, 10> keys{"fallback_application_name",
                                         "connect_timeout",
                                         "tcp_user_timeout",
                                         "keepalives_idle",
                                         "keepalives_interval",
                                         "sslmode",
                                         "target_session_attrs",
                                         "client_encoding",
                                         "dbname",
                                         nullptr};
  const std::array<const char*, 10> values{"memd",    "10",         "30000", "60",        "10",
                                           "require", "read-write", "UTF8",  url.c_str(), nullptr};
  return ConnectionPtr((in_steps ? libpq().connect_start : libpq().connect)(keys.data(), values.data(), 1));
}

inline std::int64_t number_of(std::string_view text) {
  std::int64_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

// Columns are text or bytea, so that their binary form is their bytes; those of a simple query are in text form.
class TeamRows {
 public:
  explicit TeamRows(PGresult* result) : result_(result) {}
  int size() const { return libpq().rows(result_.get()); }
  bool is_null(int row, int column) const { return libpq().is_null(result_.get(), row, column) != 0; }
  std::string_view text(int row, int column) const {
    return {libpq().value(result_.get(), row, column),
            static_cast<std::size_t>(libpq().length(result_.get(), row, column))};
  }
  std::int64_t number(int row, int column) const { return number_of(text(row, column)); }
  PGresult* get() const { return result_.get(); }

 private:
  ResultPtr result_;
};

// What went wrong with a result, or with the connection if that is null.
inline Error trouble_of(PGconn* connection, PGresult* result) {
  const char* const state = result != nullptr ? libpq().error_field(result, PG_DIAG_SQLSTATE) : nullptr;
  const char* const said = result != nullptr ? libpq().error_field(result, PG_DIAG_MESSAGE_PRIMARY) : nullptr;
  const std::string_view kind = state != nullptr ? state : "";
  return Error(
      kind == "42501"   ? Errc::permission
      : kind == "42883" ? Errc::unsupported  // no such function
                        : Errc::unavailable,
      "the database says: " + harmless_line(std::string(said != nullptr ? said : libpq().error_message(connection))));
}

inline Error no_library() {
  return Error(Errc::unsupported, "PostgreSQL cannot be reached: " MEMD_LIBPQ " cannot be opened; install libpq5");
}

}  // namespace memd::team
#endif
