#include "daemon/admin/process_facts.hpp"

#include <mach/mach.h>

namespace memd::admin {

std::uint64_t resident_bytes() {
  mach_task_basic_info info{};
  mach_msg_type_number_t count = MACH_TASK_BASIC_INFO_COUNT;
  const auto rc = ::task_info(mach_task_self(), MACH_TASK_BASIC_INFO, reinterpret_cast<task_info_t>(&info), &count);
  return rc == KERN_SUCCESS ? info.resident_size : 0;
}

}  // namespace memd::admin
