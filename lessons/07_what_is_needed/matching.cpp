#include "lessons/07_what_is_needed/matching.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "autograd/elementwise.h"
#include "autograd/layout.h"
#include "autograd/linear.h"
#include "autograd/matmul.h"
#include "autograd/softmax.h"
#include "lessons/07_what_is_needed/variants.h"
#include "lessons/course/engine/measure.h"
#include "lessons/tasks/module_weight.h"
#include "tensor/elementwise.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/linalg.h"
#include "tensor/linear.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_07 {
namespace {

double norm(const Tensor& x) { return std::sqrt(sum(x * x).item()); }

double smallest_eigenvalue(const Tensor& symmetric) {
  const Svd parts = svd(symmetric);
  // u_i is v_i for an eigenvalue above 0, and its opposite for one below.
  return min(parts.s * sum(parts.u * transpose(parts.vt), 0)).item();
}

}  // namespace

ScoreFacts facts_of(const Tensor& scores) {
  const Tensor turned = transpose(scores);
  const Tensor centred = scores - mean(scores);
  const auto tokens = scores.shape()[0];
  double own = 0;
  for (std::int64_t i = 0; i < tokens; ++i) {
    own += scores.at({i, i}) >= max(select(scores, 0, i)).item() ? 1 : 0;
  }
  return {.asymmetry = course::distance(scores, turned),
          .deviation = std::sqrt(mean(centred * centred).item()),
          .smallest = smallest_eigenvalue((scores + turned) * 0.5),
          .own_best = own / static_cast<double>(tokens)};
}

double relative_change(const Tensor& a, const Tensor& b) { return norm(a - b) / norm(b); }

KeyTable key_table(const tasks::DictionaryModel& model, std::int64_t keys) {
  const auto weight = [&](const char* name) { return tasks::weight_of(model, name); };
  const nn::MultiHeadAttentionOptions& attention = model.options().attention;
  const Tensor words = slice(weight("key_embedding.weight"), 0, 0, keys);
  KeyTable table{.query = words + weight("mark.weight"),
                 .key = words + mean(weight("value_embedding.weight"), 0, /*keepdims=*/true),
                 .scores = {}};
  if (attention.has_q_proj) table.query = linear(table.query, weight("attention.q_proj.weight"));
  if (attention.has_k_proj) {
    table.key = linear(table.key, weight(attention.tie_q_k ? "attention.q_proj.weight"
                                                           : "attention.k_proj.weight"));
  }
  table.scores = matmul(table.query, transpose(table.key)) /
                 std::sqrt(static_cast<double>(model.options().d_model));
  return table;
}

QuestionWeights question_weights(const tasks::DictionaryModel& model, std::int64_t pages,
                                 Generator& generator) {
  const NoGrad no_grad;
  const tasks::DictionarySizes& sizes = model.options().sizes;
  const tasks::DictionaryBatch batch = tasks::draw_dictionary(pages, sizes, generator);
  nn::AttentionTrace trace;
  const Tensor named = argmax(model(batch, &trace).value(), /*axis=*/-1);
  const Tensor weights = select(squeeze(trace.weights.value(), 1), 1, -1);  // [B, E + 1]
  QuestionWeights asked{};
  double with_before = 0, wrong = 0;
  for (std::int64_t page = 0; page < pages; ++page) {
    const double before = static_cast<double>(
        (static_cast<std::int64_t>(batch.query.at({page})) + sizes.keys - 1) % sizes.keys);
    const double itself = weights.at({page, sizes.entries});
    asked.itself += itself;
    double largest = 0;
    for (std::int64_t card = 0; card < sizes.entries; ++card) {
      const double weight = weights.at({page, card});
      largest = std::max(largest, weight);
      if (static_cast<double>(card) == batch.places.at({page})) {
        asked.right += weight;
      } else if (batch.keys.at({page, card}) == before) {
        asked.before += weight;
        with_before += 1;
      } else {
        asked.others += weight;
      }
    }
    if (named.at({page}) == batch.answer.at({page})) continue;
    wrong += 1;
    asked.wrong_itself += itself > largest ? 1 : 0;
  }
  for (double* mean : {&asked.right, &asked.itself, &asked.others}) {
    *mean /= static_cast<double>(pages);
  }
  asked.before /= std::max(with_before, 1.0);
  asked.wrong_itself /= std::max(wrong, 1.0);
  return asked;
}

std::unique_ptr<tasks::DictionaryModel> without_key_and_value(const tasks::DictionaryModel& full,
                                                              bool multiply) {
  const auto weight = [&](const char* name) { return tasks::weight_of(full, name); };
  tasks::DictionaryModel::Options options = full.options();
  options.attention.has_k_proj = false;
  options.attention.has_v_proj = false;
  auto merged = std::make_unique<tasks::DictionaryModel>(nn::Seed(0), options);
  nn::StateDict state;
  for (const auto& [name, tensor] : full.state_dict()) {
    if (name == "attention.k_proj.weight" || name == "attention.v_proj.weight") continue;
    Tensor value = tensor;
    if (multiply && name == "attention.q_proj.weight") {
      value = matmul(transpose(weight("attention.k_proj.weight")), tensor);
    }
    if (multiply && name == "attention.o_proj.weight") {
      value = matmul(tensor, weight("attention.v_proj.weight"));
    }
    state.emplace_back(name, value);
  }
  merged->load_state_dict(state);
  return merged;
}

double beyond_values(const tasks::DictionaryModel& model, const tasks::DictionaryBatch& batch) {
  const NoGrad no_grad;
  nn::AttentionTrace trace;
  model(batch, &trace);
  const Tensor value = trace.value.value();                                  // [B, 1, 9, D]
  const Tensor output = select(trace.head_outputs.value(), /*axis=*/2, -1);  // [B, 1, D]
  const Tensor above = output - max(value, 2), below = min(value, 2) - output;
  return std::max(max(above).item(), max(below).item()) / course::largest(value);
}

void exchange_weights(const Tensor& query_weight, const Tensor& key_weight) {
  const Tensor query = clone(query_weight);
  copy_into(query_weight, key_weight);
  copy_into(key_weight, query);
}

Variable with_roles_exchanged(const tasks::DictionaryModel& model,
                              const tasks::DictionaryBatch& batch) {
  std::map<std::string, Variable> weight;
  for (const nn::NamedParameter& one : model.named_parameters()) weight[one.name] = one.variable;
  const Variable x = model.inputs(batch);  // [B, 9, D]
  const Variable asks = linear(select(x, 1, -1), weight.at("attention.k_proj.weight"));  // [B, D]
  const Variable answers = linear(x, weight.at("attention.q_proj.weight"));
  const double scale = 1 / std::sqrt(static_cast<double>(model.options().d_model));
  // The question is last and sees all, so it needs no mask.
  const Variable weights = softmax(matmul(answers, unsqueeze(asks, -1)) * scale, /*axis=*/1);
  const Variable values = linear(x, weight.at("attention.v_proj.weight"));
  const Variable output = squeeze(matmul(transpose(weights), values), 1);  // [B, D]
  return linear(linear(output, weight.at("attention.o_proj.weight")), weight.at("readout.weight"));
}

}  // namespace gradwalk::lesson_07
