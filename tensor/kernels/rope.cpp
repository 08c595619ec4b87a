#include "tensor/kernels/rope.h"

#include <hwy/contrib/math/math-inl.h>

#include <cmath>

#include "tensor/kernels/parallel.h"
#include "tensor/kernels/simd_rows.h"

// Turning costs less than reading and writing the features, so two things matter: a table of all
// angles, since a sine costs more than a hundred multiplications, which is made by whole vectors;
// and rows in the order in which they lie in memory, whether the heads of a position stand beside
// each other or the positions of a head.

namespace gradwalk::kernels {
namespace {

// Up to here Highway's sine and cosine are right to 3 ulp.
constexpr double kLargestAngle = 39000;

// Cosines and sines of speeds[0], ..., speeds[lanes - 1] times the position.
void turn_angles(const double* speeds, double position, double* cosines, double* sines) {
  const simd::Wide d;
  const auto angles = hn::Mul(hn::LoadU(d, speeds), hn::Set(d, position));
  if (hn::AllTrue(d, hn::Le(hn::Abs(angles), hn::Set(d, kLargestAngle)))) {
    hn::StoreU(hn::Cos(d, angles), d, cosines);
    hn::StoreU(hn::Sin(d, angles), d, sines);
    return;
  }
  for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane) {
    cosines[lane] = std::cos(speeds[lane] * position);
    sines[lane] = std::sin(speeds[lane] * position);
  }
}

// Neighbours as pairs: (a, b) cos + (b, a) (-sin, sin).
template <class T>
void turn_neighbours(const T* x, const T* cosines, const T* sines, std::int64_t pairs, T* y) {
  const hn::ScalableTag<T> d;
  simd::for_each_vector(d, 2 * pairs, [&](std::int64_t i, auto part) {
    const auto features = simd::load(d, x + i, part);
    const auto turned = hn::Mul(hn::Reverse2(d, features), simd::load(d, sines + i, part));
    simd::store(hn::MulAdd(features, simd::load(d, cosines + i, part), turned), d, y + i, part);
  });
}

// The first half with the second.
template <class T>
void turn_halves(const T* x, const T* cosines, const T* sines, std::int64_t pairs, T* y) {
  const hn::ScalableTag<T> d;
  simd::for_each_vector(d, pairs, [&](std::int64_t i, auto part) {
    const auto a = simd::load(d, x + i, part);
    const auto b = simd::load(d, x + pairs + i, part);
    const auto cosine = simd::load(d, cosines + i, part);
    const auto sine = simd::load(d, sines + i, part);
    simd::store(hn::NegMulAdd(b, sine, hn::Mul(a, cosine)), d, y + i, part);
    simd::store(hn::MulAdd(a, sine, hn::Mul(b, cosine)), d, y + pairs + i, part);
  });
}

template <class T>
void turn_row(const RopeTable<T>& table, const T* cosines, const T* sines, const T* x, T* y) {
  if (table.layout == RopeLayout::kInterleaved) {
    turn_neighbours(x, cosines, sines, table.sizes.pairs, y);
  } else {
    turn_halves(x, cosines, sines, table.sizes.pairs, y);
  }
}

}  // namespace

template <class T>
RopeTable<T>::RopeTable(RopeSizes table_sizes, const std::int64_t* positions,
                        std::int64_t position_step, const RopeOptions& options, double sign)
    : sizes(table_sizes),
      layout(options.layout),
      row(layout == RopeLayout::kInterleaved ? 2 * sizes.pairs : sizes.pairs),
      cosines(sizes.rows * row),
      sines(sizes.rows * row) {
  constexpr auto kWide = static_cast<std::int64_t>(HWY_LANES(double));
  const std::int64_t whole = (sizes.pairs + kWide - 1) / kWide * kWide;
  Scratch<double> speeds(whole);  // radians a position
  for (std::int64_t pair = 0; pair < whole; ++pair) {
    speeds[pair] =
        std::pow(options.base, -static_cast<double>(pair) / static_cast<double>(sizes.pairs));
  }
  constexpr std::int64_t kAnglesWork = 4;  // nanoseconds
  parallel_for(sizes.rows, kAnglesWork * sizes.rows * sizes.pairs, 1,
               [&](std::int64_t first, std::int64_t last) {
                 for (std::int64_t i = first; i < last; ++i) {
                   T* cosine = cosines.data() + i * row;
                   T* sine = sines.data() + i * row;
                   for (std::int64_t pair = 0; pair < sizes.pairs; pair += kWide) {
                     double c[kWide], s[kWide];
                     turn_angles(speeds.data() + pair,
                                 static_cast<double>(positions[i * position_step]), c, s);
                     const std::int64_t there = std::min(kWide, sizes.pairs - pair);
                     for (std::int64_t k = 0; k < there; ++k) {
                       const auto one_cosine = static_cast<T>(c[k]);
                       const auto one_sine = static_cast<T>(sign * s[k]);
                       if (layout == RopeLayout::kInterleaved) {
                         cosine[2 * (pair + k)] = cosine[2 * (pair + k) + 1] = one_cosine;
                         sine[2 * (pair + k)] = -one_sine;
                         sine[2 * (pair + k) + 1] = one_sine;
                       } else {
                         cosine[pair + k] = one_cosine;
                         sine[pair + k] = one_sine;
                       }
                     }
                   }
                 }
               });
}

template <class T>
void rope(const RopeTable<T>& table, HeadsView<const T> x, HeadsView<T> y) {
  const RopeSizes& sizes = table.sizes;
  const std::int64_t width = 2 * sizes.pairs;
  const bool heads_inside = y.head < y.row;
  const std::int64_t outer = heads_inside ? sizes.rows : sizes.heads;
  const std::int64_t inner = heads_inside ? sizes.heads : sizes.rows;
  const std::int64_t features = sizes.batch * outer * inner * width;
  parallel_for(sizes.batch * outer, features / 4, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t item = first; item < last; ++item) {
      for (std::int64_t i = 0; i < inner; ++i) {
        const std::int64_t batch = item / outer;
        const std::int64_t head = heads_inside ? i : item % outer;
        const std::int64_t row = heads_inside ? item % outer : i;
        const T* from = x.at(batch, head, row);
        T* into = y.at(batch, head, row);
        if (x.column != 1) {
          for (std::int64_t c = 0; c < width; ++c) into[c] = from[c * x.column];
          from = into;
        }
        turn_row(table, table.cosines.data() + row * table.row,
                 table.sines.data() + row * table.row, from, into);
      }
    }
  });
}

template struct RopeTable<float>;
template struct RopeTable<double>;
template void rope(const RopeTable<float>&, HeadsView<const float>, HeadsView<float>);
template void rope(const RopeTable<double>&, HeadsView<const double>, HeadsView<double>);

}  // namespace gradwalk::kernels
