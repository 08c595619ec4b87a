#pragma once

namespace gradwalk::bench {

/// Peers run at their best: starts this process again with an environment in which they do, where
/// that is not so yet. Returns in the process that has it.
void restart_with_best_settings(char** argv);

/// Freed memory stays in the process, since a fresh page costs more than most kernels: peers are
/// not to pay for what our allocator spares us.
void keep_freed_memory();

}  // namespace gradwalk::bench
