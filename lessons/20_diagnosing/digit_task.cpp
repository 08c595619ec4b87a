#include "lessons/20_diagnosing/digit_task.h"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "tensor/create.h"

namespace gradwalk::lesson_20 {

tasks::NumberBatch draw_digits(std::int64_t batch, const DigitTask& task, Generator& generator) {
  if (task.digits < 2 || task.items < 1) {
    throw std::invalid_argument(
        fmt::format("draw_digits: expected digits >= 2 and items >= 1, got {} and {}", task.digits,
                    task.items));
  }
  std::vector<double> ids, answers, holds;
  for (std::int64_t row = 0; row < batch; ++row) {
    const std::int64_t answer = 1 + generator.below(task.classes() - 1);
    const std::int64_t place = generator.below(task.items);
    answers.push_back(static_cast<double>(answer));
    ids.push_back(0);
    holds.push_back(0);
    for (std::int64_t item = 0; item < task.items; ++item) {
      const std::int64_t worth = item == place ? answer : generator.below(answer);
      for (const std::int64_t digit : {worth / task.digits, worth % task.digits}) {
        ids.push_back(static_cast<double>(1 + digit));
        holds.push_back(item == place ? 1 : 0);
      }
    }
  }
  const Shape shape{batch, 1 + task.tokens()};
  tasks::NumberBatch texts;
  texts.ids = from_vector(ids, shape, DType::kInt64);
  texts.answer = from_vector(answers, {batch}, DType::kInt64);
  texts.holds = from_vector(holds, shape, DType::kBool);
  return texts;
}

}  // namespace gradwalk::lesson_20
