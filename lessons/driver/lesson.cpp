// A lesson's own executable. Its words are those of `gradwalk run N`; it also takes the driver's
// "run N ..." for its lesson, so that the launcher need not build the driver for one lesson.

#include <array>
#include <string_view>

#include "lessons/driver/run/context.h"
#include "lessons/driver/run/main.h"
#include "tensor/waiting.h"

std::span<const gradwalk::commands::Verb> gradwalk::commands::verbs() {
  static constexpr std::array<Verb, 1> kVerbs = {{{"run", run}}};
  return kVerbs;
}

int main(int argc, char** argv) {
  gradwalk::let_waiting_threads_sleep(argv);
  const bool as_driver = argc > 1 && std::string_view(argv[1]) == "run";
  return gradwalk::commands::run_main(argc, argv, /*single=*/!as_driver);
}
