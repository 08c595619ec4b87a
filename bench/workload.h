#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace gradwalk::bench {

using Tensors = std::vector<Tensor>;

/// What a workload's figures are counted in.
struct Unit {
  const char* name;
  bool higher_is_better;
  double scale;  ///< times: units in a second; rates: 1
};
inline constexpr Unit kMicroseconds{"us", false, 1e6};
inline constexpr Unit kNanoseconds{"ns", false, 1e9};
inline constexpr Unit kGflops{"GFLOP/s", true, 1};
inline constexpr Unit kGigabytes{"GB/s", true, 1};
inline constexpr Unit kTokens{"tok/s", true, 1};
inline constexpr Unit kMebibytes{"MiB", false, 1};
inline constexpr Unit kCount{"count", false, 1};

/// The figure of one call that took `seconds` and did `amount`: of a rate's unit, or of items whose
/// time is wanted.
double to_figure(const Unit& unit, double amount, double seconds);

/// One way to do a workload. Names: "ours", "naive" (the loops of tensor/reference/), "limit" (what
/// the machine allows at most, measured beside the others), and a peer's name, with a dash and a
/// word if the peer has several ways.
struct Contender {
  std::string name;
  /// Does the workload once; this is what is timed. Several threads as set before.
  std::function<void()> run;
  /// Does it and returns all that it computed, each tensor float32. Left open where there is
  /// nothing to compare: the limit, and what the library hides.
  std::function<Tensors()> result = {};
  /// What part of the workload one call does: naive loops that would take long do a part, and their
  /// time is scaled up. Their results are then the first elements of the others'.
  double share = 1;
  /// A figure that is read and not timed, in place of run: memory, counts.
  std::function<double()> reading = {};
};

struct Workload {
  std::string name;  ///< those of the peers' own programs, so that figures can be compared
  Unit unit;
  double amount;  ///< in one call: GFLOP, GB, tokens; or the number of items whose time is wanted
  /// How far results may be apart: largest difference over largest magnitude, tensor by tensor.
  double tolerance;
  /// Makes operands and contenders; called when the workload is run, so that a list costs nothing.
  std::function<std::vector<Contender>()> contenders;
  bool one_thread_only = false;  ///< too small for a team, or not timed
};

/// The result of the comparison in words, such as "tensor 1: 0.3 apart, largest 2, allowed 1e-05";
/// empty if they agree. NaN agrees with nothing. `want` may be shorter by rows that were left out.
std::string difference(const Tensors& got, const Tensors& want, double tolerance);

}  // namespace gradwalk::bench
