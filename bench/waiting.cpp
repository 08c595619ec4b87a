#include "bench/waiting.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

namespace gradwalk::bench {
namespace {

// The second number of a task's schedstat: nanoseconds on a run queue. Read without a stream, since
// this stands around every sample.
double waited_by(int tasks, const char* task) {
  const std::string path = std::string(task) + "/schedstat";
  const int file = openat(tasks, path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;  // the thread has ended
  std::array<char, 128> text{};
  const ssize_t length = read(file, text.data(), text.size() - 1);
  close(file);
  if (length <= 0) return 0;
  char* end = text.data();
  std::strtoull(end, &end, 10);
  return static_cast<double>(std::strtoull(end, nullptr, 10)) * 1e-9;
}

}  // namespace

double seconds_waited() {
  DIR* tasks = opendir("/proc/self/task");
  if (tasks == nullptr) return 0;
  double sum = 0;
  while (const dirent* task = readdir(tasks)) {
    if (task->d_name[0] != '.') sum += waited_by(dirfd(tasks), task->d_name);
  }
  closedir(tasks);
  return sum;
}

}  // namespace gradwalk::bench
