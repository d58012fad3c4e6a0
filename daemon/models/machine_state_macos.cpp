#include "daemon/models/machine_state.hpp"

#include <dlfcn.h>

#include <string_view>

namespace memd::machine {
namespace {

template <class Function>
Function* function(void* library, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(library, name));
}

}  // namespace

// IOKit and CoreFoundation are loaded when they are asked: the program is linked with libSystem only.
bool is_on_battery(const std::filesystem::path& /*supplies*/) {
  static void* const io_kit = ::dlopen("/System/Library/Frameworks/IOKit.framework/IOKit", RTLD_LAZY);
  static void* const core = ::dlopen("/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation", RTLD_LAZY);
  if (io_kit == nullptr || core == nullptr) return false;
  auto* const copy_supplies = function<const void*()>(io_kit, "IOPSCopyPowerSourcesInfo");
  auto* const type_of = function<const void*(const void*)>(io_kit, "IOPSGetProvidingPowerSourceType");
  auto* const release = function<void(const void*)>(core, "CFRelease");
  auto* const text_of = function<unsigned char(const void*, char*, long, unsigned)>(core, "CFStringGetCString");
  if (copy_supplies == nullptr || type_of == nullptr || release == nullptr || text_of == nullptr) return false;
  const void* const info = copy_supplies();
  if (info == nullptr) return false;
  char type[32] = {};
  constexpr unsigned utf8 = 0x08000100;
  const void* const name = type_of(info);  // owned by the system
  const bool is_told = name != nullptr && text_of(name, type, sizeof type, utf8) != 0;
  release(info);
  return is_told && std::string_view(type) == "Battery Power";
}

}  // namespace memd::machine
