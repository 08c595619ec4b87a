// Writing a text, one token after the other, with a cache of keys and values: every token reads all
// weights, so reading them is the limit. Ours is what nn::generate does; "naive" has no cache and
// computes all positions anew for each token.

#include <memory>

#include "bench/decode.h"
#include "bench/limits.h"
#include "bench/workloads.h"
#include "tensor/join.h"

namespace gradwalk::bench {
namespace {

// float32 sums, in another order without a cache.
constexpr double kTolerance = 1e-4;
constexpr double kOneToken = 1.0 / static_cast<double>(kDecodeTokens);

std::vector<Contender> contenders(const DecodeConfig& config, const Peers& peers) {
  const auto ours = std::make_shared<Decoding>(config);
  // The same bytes again for each token: what of them stays in a cache does so for ours too.
  Contender limit = read_limit(decode_bytes(config));
  limit.share = kOneToken;
  std::vector<Contender> all{
      limit,
      {"ours", [ours] { ours->decode(); },
       [ours]() -> Tensors { return {stack(ours->decode(), /*axis=*/0)}; }},
      {"naive", [ours] { ours->decode_without_cache(1); },
       [ours]() -> Tensors { return {stack(ours->decode_without_cache(1), /*axis=*/0)}; },
       kOneToken},
  };
  add_ways(all, peers, [&](Peer& peer) {
    return peer.decode({config, &ours->model(), ours->ids()});
  });
  return all;
}

}  // namespace

std::vector<Workload> decode_workloads(const Peers& peers) {
  std::vector<Workload> workloads;
  for (const DecodeConfig& config : decode_configs()) {
    workloads.push_back({"decode." + config.name, kTokens, static_cast<double>(kDecodeTokens),
                         kTolerance, [=] { return contenders(config, peers); }});
  }
  return workloads;
}

}  // namespace gradwalk::bench
