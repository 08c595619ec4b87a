#pragma once

#include <string>
#include <vector>

#include "lessons/07_what_is_needed/variants.h"
#include "lessons/course/engine/step.h"
#include "lessons/tasks/grammar.h"
#include "tensor/create.h"

/// The tables that several steps of lesson 7 print, and their rows.
namespace gradwalk::lesson_07 {

/// Losses of models of the little language by what they lack, in nats a word.
struct VariantLosses {
  std::string name;
  std::vector<double> losses;  ///< one a model
};

LanguageVariant language_options(course::Step& step, const Matrices& matrices);

/// Trains what is not there yet.
VariantLosses language_row(course::Step& step, const Matrices& matrices);

VariantLosses even_row(course::Step& step);  ///< all three matrices, but scores of 0

void language_table(course::Step& step, const std::vector<VariantLosses>& rows);

/// The smallest over models of how much the loss of `a` is above that of `b`.
double smallest_gap(const VariantLosses& a, const VariantLosses& b);

/// One row a variant: lowest, mean and highest accuracy, updates until the loss is below 0.7.
class VariantTable {
 public:
  explicit VariantTable(course::Step& step);
  void row(const std::string& name, const VariantSpread& found, std::string note = "");

 private:
  course::TableEntry table_;
};

inline constexpr double kGap = 0.2;  // nats a word, or share of answers

}  // namespace gradwalk::lesson_07
