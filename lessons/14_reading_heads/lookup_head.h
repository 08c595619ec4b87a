#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "nn/seed.h"
#include "tensor/random.h"
#include "tensor/tensor.h"

namespace gradwalk::lesson_14 {

struct LookupHeadOptions {
  int updates = 400;
  /// All cards of a page hold the same value: whoever is looked at, the answer is right.
  bool same_values = false;
  std::function<void(int)> progress = {};
};

/// A trained look-up with one head, read on 512 fresh pages.
struct LookupHead {
  double accuracy;
  double largest;    ///< mean over the pages of the question's largest weight
  double on_answer;  ///< mean weight on the card that is asked for
  // The first page.
  Tensor scores;                   ///< [E + 1], scaled, of the question
  Tensor weights;                  ///< [E + 1]
  std::vector<std::string> cards;  ///< "7=3": key 7 holds value 3; "7=3 !" is asked for
};
LookupHead lookup_head(const nn::Seed& seed, Generator pages, const LookupHeadOptions& options);

}  // namespace gradwalk::lesson_14
