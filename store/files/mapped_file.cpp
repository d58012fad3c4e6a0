#include "store/files/mapped_file.hpp"

#include "schemas/base/error.hpp"
#include "schemas/base/unique_fd.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

namespace memd::files {

Result<MappedFile> MappedFile::open(const std::filesystem::path& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd && errno == ENOENT) return Error(Errc::not_found, file.string() + " is missing");
  struct ::stat st {};
  if (!fd || ::fstat(fd.get(), &st) != 0) return Error::from_errno(errno, "open", file.native());
  const auto size = static_cast<std::size_t>(st.st_size);
  if (size == 0) return Error(Errc::io, file.string() + " is empty");
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (at == MAP_FAILED) return Error::from_errno(errno, "mmap", file.native());
  return MappedFile({static_cast<const std::byte*>(at), size});
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::unmap_pages() const {
  (void)::madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);
}

}  // namespace memd::files
