#include "daemon/admin/process_facts.hpp"

#include <libproc.h>
#include <mach/mach.h>
#include <sys/proc_info.h>
#include <sys/stat.h>
#include <unistd.h>

namespace memd::admin {

std::uint64_t resident_bytes() {
  mach_task_basic_info info{};
  mach_msg_type_number_t count = MACH_TASK_BASIC_INFO_COUNT;
  const auto rc = ::task_info(mach_task_self(), MACH_TASK_BASIC_INFO, reinterpret_cast<task_info_t>(&info), &count);
  return rc == KERN_SUCCESS ? info.resident_size : 0;
}

bool program_was_replaced() {
  proc_regionwithpathinfo program{};
  const auto own_code = reinterpret_cast<std::uint64_t>(&program_was_replaced);
  struct ::stat st {};
  if (::proc_pidinfo(::getpid(), PROC_PIDREGIONPATHINFO, own_code, &program, sizeof program) <= 0) return false;
  if (::stat(program.prp_vip.vip_path, &st) != 0) return true;
  const vinfo_stat& mapped = program.prp_vip.vip_vi.vi_stat;
  return st.st_ino != mapped.vst_ino || static_cast<std::uint32_t>(st.st_dev) != mapped.vst_dev;
}

}  // namespace memd::admin
