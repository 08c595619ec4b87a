#pragma once

namespace gradwalk {

/// Threads that kernels may use, at least 1; at first what OpenMP finds. Results are the same bits
/// for any number.
int num_threads();
/// @throws std::invalid_argument unless 1 <= threads <= 1024
void set_num_threads(int threads);

}  // namespace gradwalk
