#include "lessons/tasks/numbers/task.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "tensor/create.h"

namespace gradwalk::tasks {
namespace {

using Ints = std::vector<std::int64_t>;

bool asks_for_nouns(const NumberTask& task) {
  return task.question == NumberQuestion::kNounMax || task.question == NumberQuestion::kJoint;
}

void check(const NumberTask& task) {
  const std::int64_t room = task.tokens - (asks_for_nouns(task) ? 1 : 0);
  if (task.numbers < 2 || task.nouns < 2 || task.fewest < 1 || task.most < task.fewest ||
      task.most > room) {
    throw std::invalid_argument(
        fmt::format("draw_numbers: expected numbers, nouns >= 2 and 1 <= fewest <= most <= {}, got "
                    "{}, {}, {} and {}",
                    room, task.numbers, task.nouns, task.fewest, task.most));
  }
  if (task.question == NumberQuestion::kSum && task.fewest != task.most) {
    throw std::invalid_argument(fmt::format(
        "draw_numbers: expected fewest == most for a sum, got {} and {}", task.fewest, task.most));
  }
  if (task.order.empty()) return;
  Ints sorted = task.order, all(static_cast<std::size_t>(task.numbers));
  std::sort(sorted.begin(), sorted.end());
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all) {
    throw std::invalid_argument(
        fmt::format("draw_numbers: expected an order of 0, ..., {}, got [{}]", task.numbers - 1,
                    fmt::join(task.order, ", ")));
  }
}

std::int64_t worth(const NumberTask& task, std::int64_t rank) {
  return task.order.empty() ? rank : task.order[static_cast<std::size_t>(rank)];
}

// The first one is the highest if the draw is balanced.
Ints draw_ranks(std::int64_t count, std::int64_t ranks, NumberDraw draw, Generator& generator) {
  Ints drawn;
  std::int64_t below = ranks;
  if (draw == NumberDraw::kBalanced && count > 0) {
    below = 1 + generator.below(ranks - 1);
    drawn.push_back(below);
  }
  while (static_cast<std::int64_t>(drawn.size()) < count) drawn.push_back(generator.below(below));
  return drawn;
}

void shuffle(Ints& values, Generator& generator) {
  for (std::size_t left = values.size(); left > 1; --left) {
    std::swap(values[left - 1],
              values[static_cast<std::size_t>(generator.below(static_cast<std::int64_t>(left)))]);
  }
}

struct Text {
  Ints numbers, nouns;  // ranks, in no order
  Ints ids;             // without [CLS], in the order of the text
};

Text draw_text(const NumberTask& task, Generator& generator) {
  const NumberQuestion asked = task.question;
  std::int64_t count = task.fewest + generator.below(task.most - task.fewest + 1);
  if (asked == NumberQuestion::kPresence && generator.below(2) == 0) count = 0;
  const bool ranks_numbers = asked == NumberQuestion::kMax || asked == NumberQuestion::kJoint ||
                             asked == NumberQuestion::kNothing;
  Text text;
  text.numbers =
      draw_ranks(count, task.numbers, ranks_numbers ? task.draw : NumberDraw::kUniform, generator);
  text.nouns = draw_ranks(task.tokens - count, task.nouns,
                          asks_for_nouns(task) ? task.draw : NumberDraw::kUniform, generator);
  for (const std::int64_t rank : text.numbers) text.ids.push_back(1 + worth(task, rank));
  for (const std::int64_t rank : text.nouns) text.ids.push_back(1 + task.numbers + rank);
  shuffle(text.ids, generator);
  return text;
}

std::int64_t highest(const Ints& ranks) { return *std::max_element(ranks.begin(), ranks.end()); }

// An answer of each text, and which of its ids hold it.
struct Answers {
  std::vector<double> answer, holds;

  void add(std::int64_t of_text, const Ints& ids, std::int64_t first, std::int64_t last) {
    answer.push_back(static_cast<double>(of_text));
    holds.push_back(0);  // [CLS]
    for (const std::int64_t id : ids) holds.push_back(id >= first && id <= last ? 1 : 0);
  }
  Tensor answers() const {
    return from_vector(answer, {static_cast<std::int64_t>(answer.size())}, DType::kInt64);
  }
  Tensor mask(std::int64_t tokens) const {
    return from_vector(holds, {static_cast<std::int64_t>(answer.size()), 1 + tokens}, DType::kBool);
  }
};

void answer_numbers(const NumberTask& task, const Text& text, Generator& generator, Answers& all) {
  std::int64_t answer = 0, first = 1, last = task.numbers;
  switch (task.question) {
    case NumberQuestion::kThreshold:
      for (const std::int64_t rank : text.numbers) {
        if (worth(task, rank) >= task.numbers / 2) answer = 1;
      }
      break;
    case NumberQuestion::kPresence:
      answer = text.numbers.empty() ? 0 : 1;
      break;
    case NumberQuestion::kSum:
      for (const std::int64_t rank : text.numbers) answer += worth(task, rank);
      break;
    case NumberQuestion::kMax:
    case NumberQuestion::kJoint:
    case NumberQuestion::kNounMax:
    case NumberQuestion::kNothing:
      answer = worth(task, highest(text.numbers));
      first = last = 1 + answer;
      if (task.question == NumberQuestion::kNothing) answer = generator.below(task.numbers);
  }
  all.add(answer, text.ids, first, last);
}

void answer_nouns(const NumberTask& task, const Text& text, Answers& all) {
  const std::int64_t answer = highest(text.nouns), id = 1 + task.numbers + answer;
  all.add(answer, text.ids, id, id);
}

}  // namespace

std::int64_t NumberTask::classes() const {
  switch (question) {
    case NumberQuestion::kThreshold:
    case NumberQuestion::kPresence:
      return 2;
    case NumberQuestion::kSum:
      return most * (numbers - 1) + 1;
    case NumberQuestion::kNounMax:
      return nouns;
    case NumberQuestion::kMax:
    case NumberQuestion::kJoint:
    case NumberQuestion::kNothing:
      break;
  }
  return numbers;
}

std::vector<double> NumberTask::ranks() const {
  std::vector<double> ranks(static_cast<std::size_t>(numbers));
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    ranks[order.empty() ? rank : static_cast<std::size_t>(order[rank])] = static_cast<double>(rank);
  }
  return ranks;
}

std::vector<std::int64_t> smallest_first_order(std::int64_t numbers) {
  Ints order(static_cast<std::size_t>(numbers));
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

std::vector<std::int64_t> shuffled_order() {
  return {15, 8, 0, 7, 11, 2, 13, 12, 3, 1, 14, 9, 4, 6, 10, 5};
}

std::vector<std::int64_t> magnitude_order(std::int64_t numbers) {
  Ints order(static_cast<std::size_t>(numbers));
  std::iota(order.begin(), order.end(), 0);
  const auto from_middle = [&](std::int64_t worth) { return std::abs(2 * worth - numbers + 1); };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return from_middle(a) < from_middle(b); });
  return order;
}

NumberBatch draw_numbers(std::int64_t batch, const NumberTask& task, Generator& generator) {
  check(task);
  std::vector<double> ids;
  Answers numbers, nouns;
  for (std::int64_t row = 0; row < batch; ++row) {
    const Text text = draw_text(task, generator);
    ids.push_back(0);
    ids.insert(ids.end(), text.ids.begin(), text.ids.end());
    if (task.question != NumberQuestion::kNounMax) answer_numbers(task, text, generator, numbers);
    if (asks_for_nouns(task)) answer_nouns(task, text, nouns);
  }
  NumberBatch drawn;
  drawn.ids = from_vector(ids, {batch, 1 + task.tokens}, DType::kInt64);
  const Answers& asked = task.question == NumberQuestion::kNounMax ? nouns : numbers;
  drawn.answer = asked.answers();
  drawn.holds = asked.mask(task.tokens);
  if (task.question == NumberQuestion::kJoint) {
    drawn.noun_answer = nouns.answers();
    drawn.noun_holds = nouns.mask(task.tokens);
  }
  return drawn;
}

}  // namespace gradwalk::tasks
