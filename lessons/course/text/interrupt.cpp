#include "lessons/course/text/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

namespace gradwalk::course {
namespace {

// A signal handler can reach nothing but a global.
std::atomic<int> pending{0};
static_assert(std::atomic<int>::is_always_lock_free);

void on_signal(int signal) {
  if (pending.exchange(signal) != 0) _exit(128 + signal);
}

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  // Without SA_RESTART a read of the keyboard returns, so that a prompt can be left.
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction quiet = {};
  quiet.sa_handler = SIG_DFL;
  sigemptyset(&quiet.sa_mask);
  sigaction(SIGPIPE, &quiet, nullptr);
}

int interrupt_signal() { return pending.load(); }

}  // namespace gradwalk::course
