#include "daemon/this_thread.hpp"

#include <pthread.h>
#include <pthread/qos.h>

namespace memd::this_thread {

void set_name(const std::string& name) { ::pthread_setname_np(name.c_str()); }

void lower_priority() { ::pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0); }

}  // namespace memd::this_thread
