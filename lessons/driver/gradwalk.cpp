// The driver: all lessons, all verbs.

#include "lessons/driver/run/main.h"
#include "tensor/waiting.h"

int main(int argc, char** argv) {
  gradwalk::let_waiting_threads_sleep(argv);
  return gradwalk::commands::run_main(argc, argv, /*single=*/false);
}
