#include "daemon/process_memory.hpp"

#include "store/enrich/embedding/sentence_network.hpp"

#include <cstddef>
#include <cstdint>

// A header of the standard library, above, defines __GLIBC__.
#ifdef __GLIBC__
#include <malloc.h>
#endif

#ifdef __linux__
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

#if defined(__linux__) && !defined(__GLIBC__)
extern "C" [[gnu::weak]] void mi_collect(bool force);  // of mimalloc, which the static program has
#endif

namespace memd::process_memory {

#ifdef __linux__
namespace {

// Returns whether code or constants contain relocations. These are private changes to the pages and would be lost.
bool has_text_relocations(const dl_phdr_info& object, const ElfW(Phdr) & dynamic) {
  const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + dynamic.p_vaddr);
  for (; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_TEXTREL || (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL) != 0)) return true;
  return false;
}

int unmap_pages_of(dl_phdr_info* object, std::size_t /*size*/, void* /*unused*/) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& header = object->dlpi_phdr[i];
    if (header.p_type == PT_DYNAMIC && has_text_relocations(*object, header)) return 0;
  }
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& header = object->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) != 0) continue;
    // Whole pages only: the last one may be shared with the next segment.
    const std::uintptr_t begin = (object->dlpi_addr + header.p_vaddr + page - 1) / page * page;
    const std::uintptr_t end = (object->dlpi_addr + header.p_vaddr + header.p_filesz) / page * page;
    // Fails for locked pages, which may stay.
    if (begin < end) (void)::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }
  return 0;
}

}  // namespace
#endif

void trim_heap() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#elif defined(__linux__)
  if (mi_collect != nullptr) mi_collect(true);
#endif
}

void unmap_program_pages() {
#ifdef __linux__
  (void)::dl_iterate_phdr(unmap_pages_of, nullptr);
  embedding::unmap_network_pages();
#endif
}

}  // namespace memd::process_memory
