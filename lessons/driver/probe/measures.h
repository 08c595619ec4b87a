#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "lessons/driver/probe/class_match.h"

/// What a probe measures. Of several texts each counts alike.
namespace gradwalk::probe {

struct HeadMeasures {
  std::int64_t layer;
  std::int64_t head;
  double entropy;        ///< share of the largest possible; NaN where no token has a choice
  std::int64_t top_key;  ///< the place of a text that gets most weight, from 0
  double top_weight;     ///< on it, the mean over the tokens that have a choice; NaN without
  double top_use;        ///< its share in the lengths of what keys add: weight times |v W_O|
  /// What the head is good for, by leaving it out: of a language model the Kullback-Leibler
  /// divergence of the next token, nats, mean over places; of an encoder 1 - cosine of [CLS] with
  /// and without, NaN where one is 0.
  double influence;
  std::vector<ClassMatch> classes;  ///< one a class
};

struct LayerMeasures {
  double query_scale;         ///< standard deviation of W_Q times sqrt(d_in)
  double key_scale;           ///< of W_K
  double score_variance = 0;  ///< of the scaled scores that are seen, nats^2
  double divergence =
      0;  ///< Jensen-Shannon of two heads' maps for tokens with a choice, mean over pairs, bits
  double least_divergence = 0;          ///< of the two heads that are most alike
  std::int64_t twin_a = 0, twin_b = 0;  ///< those two
  double cosine = 0;                    ///< mean over pairs of tokens, of what the layer leaves
  double effective_rank = 0;            ///< of the same
  double rank = 0;                      ///< that it could have
};

struct Measures {
  std::vector<HeadMeasures> heads;  ///< layer by layer
  std::vector<LayerMeasures> layers;
};

/// Of the weights alone: query_scale and key_scale.
std::vector<LayerMeasures> measure_weights(const Checkpoint& model);

/// Is told how many forwards of how many are done.
using Progress = std::function<void(std::int64_t done, std::int64_t total)>;

/// @param texts  at least one
/// @throws as Checkpoint::run
Measures measure(const Checkpoint& model, const std::vector<Ids>& texts,
                 const std::vector<TokenClass>& classes, const Progress& progress = {});

/// How far the model is from what its source computes.
struct Comparison {
  double largest = 0;        ///< |got - expected|
  double size = 0;           ///< largest |expected|
  std::int64_t numbers = 0;  ///< that were compared
};
/// @throws std::runtime_error for shapes that do not fit; else as Checkpoint::run
Comparison compare(const Checkpoint& model, const std::vector<Ids>& texts,
                   const Expected& expected);

}  // namespace gradwalk::probe
