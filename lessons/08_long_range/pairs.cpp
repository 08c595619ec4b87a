#include "lessons/08_long_range/pairs.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "autograd/attention.h"
#include "lessons/course/engine/product_count.h"
#include "lessons/course/engine/stopwatch.h"
#include "nn/recurrent.h"
#include "tensor/create.h"
#include "tensor/layout.h"

namespace gradwalk::lesson_08 {
namespace {

Variable in_a_head(const Tensor& x) { return unsqueeze(unsqueeze(x, 0), 0); }

Tensor the_last(const Tensor& x, std::int64_t window) {
  const std::int64_t n = x.shape()[0];
  return window > 0 && window < n ? slice(x, 0, n - window, n) : x;
}

std::int64_t counted(const std::function<void()>& work) {
  const NoGrad no_grad;
  const course::ProductCount products;
  work();
  return products.multiply_adds();
}

double median_ms(const std::function<void()>& work) {
  const NoGrad no_grad;
  return 1e3 * course::time_runs(/*runs=*/3, work).median;
}

class ReadingRnn {
 public:
  ReadingRnn(std::int64_t length, std::int64_t width, std::uint64_t seed)
      : rnn_(width, width, nn::Seed(seed) / "long_range/cost"),
        text_(unsqueeze(draw_heads(length, 1, width, seed).query, 0)) {}
  void operator()() const { rnn_(text_); }

 private:
  nn::Rnn rnn_;
  Variable text_;
};

}  // namespace

Heads draw_heads(std::int64_t queries, std::int64_t keys, std::int64_t width, std::uint64_t seed) {
  Generator gen = (nn::Seed(seed) / "long_range/heads").generator();
  Heads heads;
  heads.query = normal({queries, width}, gen);
  heads.key = normal({keys, width}, gen);
  heads.value = normal({keys, width}, gen);
  return heads;
}

Scan scan(const Heads& heads) {
  const std::int64_t queries = heads.query.shape()[0], width = heads.query.shape()[1];
  const std::int64_t keys = heads.key.shape()[0];
  const auto* q = heads.query.data<float>();
  const auto* k = heads.key.data<float>();
  const auto* v = heads.value.data<float>();
  const double scale = 1 / std::sqrt(static_cast<double>(width));
  std::vector<double> answers, w(static_cast<std::size_t>(keys));
  std::int64_t multiply_adds = 0;
  for (std::int64_t i = 0; i < queries; ++i) {
    double highest = -std::numeric_limits<double>::infinity(), total = 0;
    for (std::int64_t j = 0; j < keys; ++j) {
      double score = 0;
      for (std::int64_t c = 0; c < width; ++c, ++multiply_adds)
        score += double{q[i * width + c]} * double{k[j * width + c]};
      w[static_cast<std::size_t>(j)] = score * scale;
      highest = std::max(highest, score * scale);
    }
    for (double& weight : w) total += weight = std::exp(weight - highest);
    std::vector<double> answer(static_cast<std::size_t>(width));
    for (std::int64_t j = 0; j < keys; ++j) {
      for (std::int64_t c = 0; c < width; ++c, ++multiply_adds)
        answer[static_cast<std::size_t>(c)] +=
            w[static_cast<std::size_t>(j)] / total * double{v[j * width + c]};
    }
    answers.insert(answers.end(), answer.begin(), answer.end());
  }
  return {from_vector(answers, {queries, width}, DType::kFloat64), multiply_adds};
}

Tensor at_once(const Heads& heads, std::int64_t window) {
  const Variable answers = attention(in_a_head(heads.query), in_a_head(the_last(heads.key, window)),
                                     in_a_head(the_last(heads.value, window)));
  return select(select(answers.value(), 0, 0), 0, 0);
}

std::int64_t count_at_once(const Heads& heads, std::int64_t window) {
  return counted([&] { at_once(heads, window); });
}

std::int64_t count_rnn(std::int64_t length, std::int64_t width, std::uint64_t seed) {
  const ReadingRnn read(length, width, seed);
  return counted([&] { read(); });
}

double time_at_once(const Heads& heads, std::int64_t window) {
  return median_ms([&] { at_once(heads, window); });
}

double time_rnn(std::int64_t length, std::int64_t width, std::uint64_t seed) {
  const ReadingRnn read(length, width, seed);
  return median_ms([&] { read(); });
}

double time_scan(const Heads& heads) {
  return median_ms([&] { scan(heads); });
}

}  // namespace gradwalk::lesson_08
