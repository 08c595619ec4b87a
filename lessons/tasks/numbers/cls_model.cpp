#include "lessons/tasks/numbers/cls_model.h"

#include <stdexcept>
#include <string_view>

#include "autograd/activation.h"
#include "autograd/attention.h"
#include "autograd/elementwise.h"
#include "autograd/embedding.h"
#include "autograd/join.h"
#include "autograd/layout.h"
#include "autograd/matmul.h"
#include "autograd/reduce.h"
#include "lessons/tasks/by_width.h"
#include "tensor/create.h"
#include "tensor/layout.h"

namespace gradwalk::tasks {
namespace {

nn::MultiHeadAttentionOptions attention_of(const ClsModelOptions& o) {
  nn::MultiHeadAttentionOptions attention{
      .num_heads = o.heads, .head_dim = o.head_dim, .linear = {.bias = false, .init = kByWidth}};
  if (o.weighting == Weighting::kUniform) attention.scale = 0;
  return attention;
}

// The table with one row, their mean, for all of tokens 1, ..., count.
Variable with_one_row(const Variable& table, std::int64_t count) {
  const Variable rows = slice(table, 0, 1, 1 + count);
  const Variable one = expand(mean(rows, {0}, /*keepdims=*/true), rows.shape());
  return concat({slice(table, 0, 0, 1), one, slice(table, 0, 1 + count, table.shape()[0])}, 0);
}

Variable variable_of(const nn::Module& module, std::string_view name) {
  for (const auto& [own, variable] : module.named_parameters()) {
    if (own == name) return variable;
  }
  throw std::logic_error("ClsModel: no " + std::string(name));
}

}  // namespace

ClsModel::ClsModel(const ClsModelOptions& options, const nn::Seed& seed)
    : options_(options),
      embedding_(options.vocabulary, options.d_model, seed / "embedding",
                 {.init = {nn::InitScheme::kNormal, options.embedding_sd}}),
      attention_(options.d_model, seed / "attention", attention_of(options)),
      readout_(options.d_model, options.classes, seed / "readout", {.init = kByWidth}) {
  add_module("embedding", embedding_);
  add_module("attention", attention_);
  add_module("readout", readout_);
  if (options.noun_classes > 0) {
    noun_readout_ =
        std::make_unique<nn::Linear>(options.d_model, options.noun_classes, seed / "noun_readout",
                                     nn::LinearOptions{.init = kByWidth});
    add_module("noun_readout", *noun_readout_);
  }
}

Variable ClsModel::summary(const Tensor& ids, const ClsContext& context) const {
  const Variable x = embedding_(ids);           // [B, S, D]
  const Variable question = slice(x, 1, 0, 1);  // [B, 1, D]
  const auto inputs = [&](const Tensor& table, std::int64_t one) {
    if (table.defined()) return embedding(ids, table);
    return one == 0 ? x : embedding(ids, with_one_row(embedding_.weight(), one));
  };
  const Variable x_k = inputs(context.key_table, options_.one_key);
  const Variable x_v = inputs(context.value_table, options_.one_value);
  if (options_.weighting == Weighting::kSoftmax || options_.weighting == Weighting::kUniform) {
    return squeeze(question + attention_(question, x_k, x_v, {.trace = context.trace}), 1);
  }
  nn::AttentionTrace own;
  nn::AttentionTrace& trace = context.trace ? *context.trace : own;
  attention_(question, x_k, x_v, {.trace = &trace});
  const Variable z = trace.scaled_scores;  // [B, H, 1, S]
  trace.weights = (options_.weighting == Weighting::kSigmoid ? sigmoid(z) : z) /
                  static_cast<double>(ids.shape()[1]);
  trace.head_outputs = weighted_values(trace.weights, trace.value);  // [B, H, 1, Dh]
  const Variable merged =
      reshape(trace.head_outputs, {ids.shape()[0], options_.heads * options_.head_dim});
  return squeeze(question, 1) + matmul(merged, transpose(variable_of(attention_, "o_proj.weight")));
}

Variable ClsModel::noun_logits(const Variable& summary) const {
  if (!noun_readout_) throw std::logic_error("ClsModel: it has no readout of nouns");
  return (*noun_readout_)(summary);
}

Tensor whole_vocabulary(const ClsModel& model) {
  return unsqueeze(arange(0, model.options().vocabulary), 0);
}

}  // namespace gradwalk::tasks
