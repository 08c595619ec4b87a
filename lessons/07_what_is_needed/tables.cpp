#include "lessons/07_what_is_needed/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lessons/tasks/grammar.h"

namespace gradwalk::lesson_07 {
namespace {

constexpr const char* kEven = "scores of 0";

}  // namespace

LanguageVariant language_options(course::Step& step, const Matrices& matrices) {
  return {.matrices = matrices,
          .batch = step.whole("windows"),
          .updates = step.whole("language_updates"),
          .seed = 100 * step.seed()};
}

VariantLosses language_row(course::Step& step, const Matrices& matrices) {
  return {name_of(matrices),
          language_losses(step, language_options(step, matrices), step.whole("seeds"))};
}

VariantLosses even_row(course::Step& step) {
  LanguageVariant options = language_options(step, kAll);
  options.even = true;
  return {kEven, language_losses(step, options, step.whole("seeds"))};
}

void language_table(course::Step& step, const std::vector<VariantLosses>& rows) {
  auto table = step.table(
      fmt::format("a language of 40 words, 2 layers, 4 heads of 8: test loss, nats a word "
                  "(guessing: {:.2f}); "
                  "models of each: {}",
                  std::log(static_cast<double>(tasks::kGrammarWords)), step.whole("seeds")),
      {"mean", "lowest", "highest"});
  table.digits(3);
  for (const VariantLosses& row : rows) {
    const course::Spread spread = course::spread_of(row.losses);
    table.row(row.name, {spread.mean, spread.lowest, spread.highest},
              row.name == kEven             ? "each word gets the mean of all it may see"
              : row.name == name_of(kNoKey) ? "a head of 8 gets 8 of the 32 numbers of x as key"
                                            : "");
  }
}

double smallest_gap(const VariantLosses& a, const VariantLosses& b) {
  double gap = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < a.losses.size(); ++i) gap = std::min(gap, a.losses[i] - b.losses[i]);
  return gap;
}

VariantTable::VariantTable(course::Step& step)
    : table_(step.table(fmt::format("share of 1024 fresh pages answered right, updates until the "
                                    "loss is below 0.7 (0: never); models of each: {}",
                                    step.whole("seeds")),
                        {"right", "lowest", "highest", "updates"})) {
  table_.digits({3, 3, 3, 0});
}

void VariantTable::row(const std::string& name, const VariantSpread& found, std::string note) {
  table_.row(name,
             {found.accuracy.mean, found.accuracy.lowest, found.accuracy.highest, found.updates},
             std::move(note));
}

}  // namespace gradwalk::lesson_07
