#include "bench/memory.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdio>
#include <filesystem>
#include <stdexcept>

namespace gradwalk::bench {

double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

double figure_of_program(const std::string& program, const std::string& arguments) {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  // Huge pages for malloc (bench/peers/best_settings.h) would make it look larger than it is.
  const std::string command =
      fmt::format("env -u GLIBC_TUNABLES '{}' {}", (folder / program).string(), arguments);
  std::FILE* output = popen(command.c_str(), "r");
  if (output == nullptr) throw std::runtime_error("cannot start " + command);
  double figure = 0;
  const int numbers = std::fscanf(output, "%lf", &figure);
  if (pclose(output) != 0 || numbers != 1) throw std::runtime_error(command + " failed");
  return figure;
}

}  // namespace gradwalk::bench
