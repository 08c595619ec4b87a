#include "bench/workloads.h"

namespace gradwalk::bench {

std::vector<Workload> all_workloads(const Peers& peers) {
  std::vector<Workload> all;
  for (auto* family : {gemm_workloads, attention_workloads, op_workloads, overhead_workloads,
                       gpt_workloads, decode_workloads}) {
    for (Workload& workload : family(peers)) all.push_back(std::move(workload));
  }
  return all;
}

}  // namespace gradwalk::bench
