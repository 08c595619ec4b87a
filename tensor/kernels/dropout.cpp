#include "tensor/kernels/dropout.h"

#include <algorithm>
#include <array>

#include "tensor/kernels/parallel.h"
#include "tensor/kernels/strided.h"

// Words are drawn a block at a time into the cache (philox.h draws several at once), so that the
// loop over the elements has no call in it and vectorises. The mask is not kept: to draw it again
// costs less than to write and read it. A thread starts its part of a row where the words of the
// parts before it end.

namespace gradwalk::kernels {
namespace {

constexpr std::int64_t kBlock = 1024;

template <class T>
void drop(std::int64_t count, const T* x, std::int64_t step, std::uint32_t last_dropped, T scale,
          Generator& generator, T* y) {
  std::array<std::uint32_t, kBlock> block;
  const std::uint32_t* words = block.data();
  for (std::int64_t done = 0; done < count; done += kBlock) {
    const std::int64_t n = std::min(kBlock, count - done);
    generator.fill(block.data(), n);
    if (step == 1) {
      for (std::int64_t i = 0; i < n; ++i) y[i] = words[i] > last_dropped ? x[i] * scale : T{};
    } else {
      for (std::int64_t i = 0; i < n; ++i) {
        y[i] = words[i] > last_dropped ? x[i * step] * scale : T{};
      }
    }
    x += n * step;
    y += n;
  }
}

}  // namespace

template <class T>
void dropout(const Shape& shape, const Strides& strides, const T* x, std::uint32_t last_dropped,
             T scale, Generator& generator, T* y) {
  for_each_row<1>(
      shape, {&strides}, [&](const Offsets<1>& at, std::int64_t count, const Offsets<1>& step) {
        const T* row = x + at[0];
        parallel_for(count, count / 2, kBlock, [&](std::int64_t first, std::int64_t last) {
          Generator own = generator;
          own.skip(first);
          drop(last - first, row + first * step[0], step[0], last_dropped, scale, own, y + first);
        });
        generator.skip(count);
        y += count;
      });
}

template void dropout(const Shape&, const Strides&, const float*, std::uint32_t, float, Generator&,
                      float*);
template void dropout(const Shape&, const Strides&, const double*, std::uint32_t, double,
                      Generator&, double*);

}  // namespace gradwalk::kernels
