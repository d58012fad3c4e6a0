#include "schemas/base/error.hpp"

#include <cerrno>
#include <cstring>

namespace memd {
namespace {

class Category final : public boost::system::error_category {
 public:
  const char* name() const noexcept override { return "memd"; }
  std::string message(int value) const override {
    switch (static_cast<Errc>(value)) {
      case Errc::ok: return "ok";
      case Errc::invalid_argument: return "invalid argument";
      case Errc::not_found: return "not found";
      case Errc::bad_config: return "bad configuration";
      case Errc::io: return "input/output error";
      case Errc::store_corrupt: return "store is damaged";
      case Errc::store_version: return "store was written by a newer memd";
      case Errc::store_busy: return "store is in use";
      case Errc::store: return "store error";
      case Errc::permission: return "permission refused";
      case Errc::cancelled: return "cancelled";
      case Errc::unavailable: return "unavailable";
      case Errc::protocol: return "protocol error";
      case Errc::unsupported: return "unsupported";
      case Errc::exhausted: return "out of descriptors or memory";
      case Errc::busy: return "busy";
      case Errc::input_required: return "input required";
    }
    return "unknown error";
  }
};

}  // namespace

const boost::system::error_category& memd_category() noexcept {
  static const Category category;
  return category;
}

boost::system::error_code make_error_code(Errc e) noexcept { return {static_cast<int>(e), memd_category()}; }

std::string Error::message() const {
  if (context.empty()) return code.message();
  // Our own kinds are for programs; the context alone reads better to a person.
  if (code.category() == memd_category()) return context;
  return context + ": " + code.message();
}

bool is_exhaustion(int err) noexcept { return err == EMFILE || err == ENFILE || err == ENOMEM; }
bool may_pass(int err) noexcept { return is_exhaustion(err) || err == EIO || err == EINTR; }

Error Error::from_errno(int err, std::string_view call, std::string_view path) {
  std::string what(call);
  if (!path.empty()) what.append(" ").append(path);
  what.append(": ").append(std::strerror(err));
  if (err == EFBIG) what += ", the limit of `ulimit -f` or of the file system is reached";
  return Error(is_exhaustion(err) ? Errc::exhausted : Errc::io, std::move(what));
}

void throw_exception_from_error(const Error& e, const boost::source_location&) { throw ErrorException(e); }

}  // namespace memd
