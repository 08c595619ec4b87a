#pragma once

#include <vector>

namespace gradwalk::nn {

/// Places in ascending order, from 1; equal numbers share the mean of their places.
/// [30, 10, 30] gives [2.5, 1, 2.5]. @return  all NaN where a value is NaN
std::vector<double> average_ranks(const std::vector<double>& values);

/// Spearman's rank correlation: whether a and b stand in one order, be their relation straight or
/// not. Pearson's correlation of the ranks r, in which ties share their mean rank:
///
///   rho = sum_i (r_ai - m)(r_bi - m) / sqrt(sum_i (r_ai - m)^2 sum_i (r_bi - m)^2),
///   m = (n + 1) / 2
///
/// @param a, b  of equal length, at least 2
/// @return      in [-1, 1], no unit; 0 where a or b is constant: it has no order. NaN where a value
///              is NaN
/// @throws std::invalid_argument if lengths differ or are below 2
/// Source  Spearman 1904; Kendall 1945 (ties)
double spearman(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace gradwalk::nn
