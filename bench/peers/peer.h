#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/decode.h"
#include "bench/gpt.h"
#include "bench/workload.h"

namespace gradwalk::bench {

/// C = op(A) op(B), for each of `batch` independent pairs.
struct Gemm {
  bool transpose_a, transpose_b;
  std::int64_t m, n, k, batch;
  Tensor a;  ///< [batch, m, k], or [batch, k, m] if it is to be transposed; no batch axis for one
  Tensor b;  ///< [batch, k, n], or [batch, n, k]
};

/// An op by the name of its workload: "softmax", "add", "attention" (causal, of query, key and
/// value [B, H, T, Dh]) ... The float32 inputs are those whose gradients are wanted.
struct OpCall {
  std::string op;
  Tensors inputs;
  Tensor dy;  ///< undefined: forward alone; a loss has a dy of one element
};

enum class Pass { kForward, kForwardBackward, kStep };

/// A model and its batch, for a pass over it. Initial parameters are those of the model.
struct GptCall {
  GptConfig config;
  Pass pass;
  const nn::CausalLm* model;
  GptBatch batch;
};

/// A model and the text that it reads token by token, from kDecodeStart on with a cache.
struct DecodeCall {
  DecodeConfig config;
  const nn::CausalLm* model;
  Tensor ids;
};

/// An installed library that ours is measured against. For each kind of workload it has any number
/// of ways, none by default.
class Peer {
 public:
  virtual ~Peer() = default;
  /// Name and version.
  virtual std::string describe() const = 0;
  virtual void set_threads(int threads) = 0;

  virtual std::vector<Contender> gemm(const Gemm&) { return {}; }
  virtual std::vector<Contender> op(const OpCall&) { return {}; }
  /// A chain of ops on tiny tensors; `kind` as the workload's name has it: "mul.fwd-taped".
  virtual std::vector<Contender> overhead(const std::string& /*kind*/, int /*length*/) {
    return {};
  }
  virtual std::vector<Contender> adamw(const Tensor& /*parameter*/, const Tensor& /*grad*/) {
    return {};
  }
  virtual std::vector<Contender> gpt(const GptCall&) { return {}; }
  virtual std::vector<Contender> decode(const DecodeCall&) { return {}; }
};

using Peers = std::vector<std::shared_ptr<Peer>>;

/// Those that CMake found.
Peers found_peers();

}  // namespace gradwalk::bench
