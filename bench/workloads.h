#pragma once

#include "bench/peers/peer.h"
#include "bench/workload.h"

namespace gradwalk::bench {

/// The workloads by family, ours and the naive loops beside the peers.
std::vector<Workload> gemm_workloads(const Peers& peers);
std::vector<Workload> attention_workloads(const Peers& peers);
std::vector<Workload> op_workloads(const Peers& peers);
std::vector<Workload> overhead_workloads(const Peers& peers);
std::vector<Workload> gpt_workloads(const Peers& peers);
std::vector<Workload> decode_workloads(const Peers& peers);

std::vector<Workload> all_workloads(const Peers& peers);

/// The contenders and the ways that each peer has: add_ways(contenders, peers, [](Peer& peer)
/// {...})
template <class Ways>
void add_ways(std::vector<Contender>& contenders, const Peers& peers, Ways ways) {
  for (const auto& peer : peers) {
    for (Contender& way : ways(*peer)) contenders.push_back(std::move(way));
  }
}

}  // namespace gradwalk::bench
