// The driver's verbs. A lesson's own executable has others: lesson.cpp.

#include <array>

#include "lessons/driver/run/context.h"

namespace gradwalk::commands {

std::span<const Verb> verbs() {
  static constexpr std::array<Verb, 8> kVerbs = {{{"help", help},
                                                  {"version", version},
                                                  {"list", list},
                                                  {"run", run},
                                                  {"claims", claims},
                                                  {"generate", generate},
                                                  {"train", train},
                                                  {"probe", probe}}};
  return kVerbs;
}

}  // namespace gradwalk::commands
