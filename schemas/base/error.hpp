#pragma once

#include "schemas/base/result.hpp"

namespace memd {

// Kinds of failure a caller can act on. Damaged *input data* is never an error: it becomes a Diagnostic.
enum class Errc {
  ok = 0,
  invalid_argument,  // the request is not valid; context says what to send instead
  not_found,         // no such session, exchange, file
  bad_config,        // context names file, line and key
  io,                // a system call failed; context names the call and the path
  store_corrupt,     // SQLite reports a damaged file; nothing is deleted
  store_version,     // the store was written by a newer memd
  store_busy,        // another process holds the store
  store,             // any other SQLite failure
  permission,   // access refused: a directory that others can write to, a peer of another user, a write without consent
  cancelled,    // the stop token was set
  unavailable,  // the daemon cannot be reached or started
  protocol,     // the other side broke the protocol
  unsupported,
  exhausted,       // out of file descriptors or memory: says nothing about the object of the request
  busy,            // in use or being changed by somebody else: try again later
  input_required,  // the client must answer first and then repeats the call: pass this error on unchanged
};

// Returns whether `err` is EMFILE, ENFILE or ENOMEM.
bool is_exhaustion(int err) noexcept;
// Returns whether a retry may succeed: is_exhaustion(), EIO or EINTR.
bool may_pass(int err) noexcept;

}  // namespace memd
