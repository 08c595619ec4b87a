#include "lessons/course/engine/environment.h"

#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>

#include "tensor/arch.h"
#include "tensor/threads.h"

namespace gradwalk::course {
namespace {

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos && line.starts_with("model name")) return line.substr(colon + 2);
  }
  return "unknown";
}

// Notes are aligned to 4 bytes: name size, content size, type, name, content.
std::string build_id_in(const char* notes, std::size_t size) {
  const auto aligned = [](std::size_t n) { return (n + 3) & ~std::size_t{3}; };
  std::size_t at = 0;
  while (at + sizeof(ElfW(Nhdr)) <= size) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes + at, sizeof header);
    const std::size_t name = at + sizeof header;
    const std::size_t content = name + aligned(header.n_namesz);
    const std::size_t end = content + aligned(header.n_descsz);
    if (end > size) break;
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 &&
        std::memcmp(notes + name, "GNU", 4) == 0) {
      std::string hex;
      for (std::size_t i = 0; i < header.n_descsz; ++i) {
        hex += fmt::format("{:02x}", static_cast<unsigned char>(notes[content + i]));
      }
      return hex;
    }
    at = end;
  }
  return "";
}

// The first object of the list is the executable.
int take_build_id(dl_phdr_info* info, std::size_t, void* result) {
  auto& id = *static_cast<std::string*>(result);
  for (int i = 0; i < info->dlpi_phnum && id.empty(); ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    const auto* notes = reinterpret_cast<const char*>(info->dlpi_addr + header.p_vaddr);
    id = build_id_in(notes, header.p_memsz);
  }
  return 1;
}

}  // namespace

Environment this_environment() {
  Environment environment;
  environment.version = GRADWALK_VERSION;
  environment.compiler = GRADWALK_COMPILER;
  environment.flags = GRADWALK_FLAGS;
  environment.cpu = cpu_name();
  environment.threads = num_threads();
  std::string id;
  dl_iterate_phdr(take_build_id, &id);
  environment.build_id = id.empty() ? "unknown" : id;
  environment.simd = simd_target();
  return environment;
}

}  // namespace gradwalk::course
