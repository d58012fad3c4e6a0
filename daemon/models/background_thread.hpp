#pragma once

namespace memd {

// From now on the calling thread gets what others leave of the processors.
void become_background_thread();

}  // namespace memd
