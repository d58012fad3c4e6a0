#include "daemon/models/background_thread.hpp"

#ifdef __APPLE__
#include <pthread/qos.h>
#else
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace memd {

void become_background_thread() {
#ifdef __APPLE__
  ::pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0);
#elif defined(__linux__)
  // Of the thread alone. Not SCHED_IDLE: while a build runs for an hour, search should still learn of what is new.
  constexpr int kNicest = 19;
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), kNicest);
#endif
}

}  // namespace memd
