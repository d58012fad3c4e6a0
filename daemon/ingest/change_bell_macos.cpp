#include "daemon/ingest/change_bell.hpp"

#include "daemon/ingest/kqueue_bell.hpp"

namespace memd {

std::unique_ptr<ChangeBell> make_change_bell(boost::asio::io_context& loop) { return make_kqueue_bell(loop); }

}  // namespace memd
