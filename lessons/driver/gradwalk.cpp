// The driver: all lessons, all verbs.

#include "lessons/driver/run/main.h"

int main(int argc, char** argv) {
  return gradwalk::commands::run_main(argc, argv, /*single=*/false);
}
