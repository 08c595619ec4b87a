#pragma once

namespace gradwalk::nn {

/// Two-sided p value of Student's t distribution: how often a t at least as far from 0 comes up
/// where there is nothing to find.
///
///   p = P(|T| >= |t|) = I_x(df / 2, 1 / 2),   x = df / (df + t^2)
///
/// where I is the regularised incomplete beta function.
///
/// @param t                   no unit; an infinity gives 0, NaN gives NaN
/// @param degrees_of_freedom  df > 0, need not be whole
/// @return                    in [0, 1], to about 1e-12 of itself
/// @throws std::invalid_argument unless degrees_of_freedom is positive and finite, or NaN
/// Source  DLMF (dlmf.nist.gov) 8.17.22, the continued fraction of I; Thompson and Barnett 1986,
///         its evaluation after Lentz
double student_t_p_value(double t, double degrees_of_freedom);

}  // namespace gradwalk::nn
