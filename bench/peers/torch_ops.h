#pragma once

#include "bench/peers/peer.h"

namespace gradwalk::bench {

/// libtorch's ways, by kind of workload; see Peer.
std::vector<Contender> torch_gemm(const Gemm& gemm);
std::vector<Contender> torch_op(const OpCall& call);
std::vector<Contender> torch_overhead(const std::string& kind, int length);
std::vector<Contender> torch_adamw(const Tensor& parameter, const Tensor& grad);
std::vector<Contender> torch_gpt(const GptCall& call);
std::vector<Contender> torch_decode(const DecodeCall& call);

}  // namespace gradwalk::bench
