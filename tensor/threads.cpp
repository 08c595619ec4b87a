#include "tensor/threads.h"

#include <fmt/format.h>
#include <omp.h>

#include <atomic>

#include "tensor/error.h"

namespace gradwalk {
namespace {

std::atomic<int> chosen_threads{0};  // 0: not chosen_threads yet

}  // namespace

int num_threads() {
  const int threads = chosen_threads.load(std::memory_order_relaxed);
  return threads > 0 ? threads : omp_get_max_threads();
}

void set_num_threads(int threads) {
  if (threads < 1 || threads > 1024) {
    throw_argument_error("set_num_threads", "1 <= threads <= 1024", fmt::format("{}", threads));
  }
  chosen_threads.store(threads, std::memory_order_relaxed);
}

}  // namespace gradwalk
