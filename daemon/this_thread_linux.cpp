#include "daemon/this_thread.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace memd::this_thread {

void set_name(const std::string& name) { ::pthread_setname_np(::pthread_self(), name.c_str()); }

void lower_priority() {
  // Applies to this thread only. Not SCHED_IDLE, because search should get new content even while a build runs for an
  // hour.
  constexpr int kNicest = 19;
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), kNicest);
}

}  // namespace memd::this_thread
