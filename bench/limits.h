#pragma once

#include "bench/workload.h"

namespace gradwalk::bench {

/// The most that the machine allows, as contenders called "limit", with as many threads as ours
/// have at the time.

/// That many multiply-adds (two flops each) on registers alone, in vectors of the build's target.
Contender fma_limit(double flops);
/// Copying half of `bytes` to as many others.
Contender copy_limit(double bytes);
/// Reading so many bytes.
Contender read_limit(double bytes);

}  // namespace gradwalk::bench
