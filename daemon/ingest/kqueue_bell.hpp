#pragma once

#include "daemon/ingest/change_bell.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>

namespace memd {

// Holds a descriptor for each file and directory that it hears, at most a quarter of those that the process may have.
// Its source needs <sys/event.h>: only macOS has it in the program, and the tests bring a stand-in.
std::unique_ptr<ChangeBell> make_kqueue_bell(boost::asio::io_context& loop);

}  // namespace memd
