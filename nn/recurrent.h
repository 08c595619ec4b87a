#pragma once

#include <optional>

#include "nn/init.h"
#include "nn/module.h"

namespace gradwalk::nn {

struct RecurrentOptions {
  /// Of the weights of x and of h. Open: U(-1 / sqrt(H), 1 / sqrt(H)).
  std::optional<Init> input_init = std::nullopt;
  std::optional<Init> hidden_init = std::nullopt;
  DType dtype = DType::kFloat32;
};

/// A network that reads one position after the other and keeps what it read in a vector h.
class Recurrent : public Module {
 public:
  /// x [B, T, D] to h_1, ..., h_T as [B, T, H].
  ///
  /// @param h0  [B, H]; undefined: zeros
  /// @throws ShapeError unless x is [B, T, D] with T >= 1 and h0 fits
  Variable operator()(const Variable& x, const Variable& h0 = {}) const;

 protected:
  /// @param gates  of the cell: rows of the weights are gates * H
  /// @throws std::invalid_argument unless features and hidden are positive
  Recurrent(const char* name, std::int64_t gates, std::int64_t features, std::int64_t hidden,
            const Seed& seed, const RecurrentOptions& options);

  /// The next h [B, H] from what x and h give for all gates, both [B, gates * H].
  virtual Variable next(const Variable& from_x, const Variable& from_h,
                        const Variable& h) const = 0;

 private:
  const char* name_;
  std::int64_t features_;
  std::int64_t hidden_;
  Variable weight_ih_, weight_hh_, bias_ih_, bias_hh_;
};

/// Elman's network: h_t = tanh(W_ih x_t + b_ih + W_hh h_(t-1) + b_hh)
///
/// Parameters, as PyTorch has them: `weight_ih` [H, D], `weight_hh` [H, H], `bias_ih` [H],
/// `bias_hh` [H].
/// Source  Elman 1990
class Rnn : public Recurrent {
 public:
  Rnn(std::int64_t features, std::int64_t hidden, const Seed& seed,
      const RecurrentOptions& options = {});

 protected:
  Variable next(const Variable& from_x, const Variable& from_h, const Variable& h) const override;
};

/// Gated recurrent unit:
///
///   r = sigmoid(W_ir x_t + b_ir + W_hr h + b_hr)         what of h to look at
///   z = sigmoid(W_iz x_t + b_iz + W_hz h + b_hz)         what of h to keep
///   n = tanh(W_in x_t + b_in + r * (W_hn h + b_hn))      the new part
///   h_t = (1 - z) n + z h
///
/// Parameters: those of Rnn with 3 H rows, in the order r, z, n.
/// Source  Cho et al. 2014, in the form that PyTorch has
class Gru : public Recurrent {
 public:
  Gru(std::int64_t features, std::int64_t hidden, const Seed& seed,
      const RecurrentOptions& options = {});

 protected:
  Variable next(const Variable& from_x, const Variable& from_h, const Variable& h) const override;
};

}  // namespace gradwalk::nn
