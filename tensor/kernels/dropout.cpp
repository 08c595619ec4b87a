#include "tensor/kernels/dropout.h"

#include <algorithm>
#include <array>

#include "tensor/kernels/strided.h"

// Words are drawn a block at a time into the cache, so that the loop over the elements has no call
// in it and vectorises.

namespace gradwalk::kernels {
namespace {

constexpr std::int64_t kBlock = 512;

}  // namespace

template <class T>
void dropout(const Shape& shape, const Strides& strides, const T* x, std::uint32_t last_dropped,
             T scale, Generator& generator, T* y) {
  std::array<std::uint32_t, kBlock> block;
  const std::uint32_t* words = block.data();
  for_each_row<1>(shape, {&strides},
                  [&](const Offsets<1>& at, std::int64_t count, const Offsets<1>& step) {
                    for (std::int64_t done = 0; done < count; done += kBlock) {
                      const std::int64_t n = std::min(kBlock, count - done);
                      std::generate(block.begin(), block.begin() + n,
                                    [&generator] { return generator.next_u32(); });
                      const T* px = x + at[0] + done * step[0];
                      const std::int64_t stride = step[0];
                      if (stride == 1) {
                        for (std::int64_t i = 0; i < n; ++i) {
                          y[i] = words[i] > last_dropped ? px[i] * scale : T{};
                        }
                      } else {
                        for (std::int64_t i = 0; i < n; ++i) {
                          y[i] = words[i] > last_dropped ? px[i * stride] * scale : T{};
                        }
                      }
                      y += n;
                    }
                  });
}

template void dropout(const Shape&, const Strides&, const float*, std::uint32_t, float, Generator&,
                      float*);
template void dropout(const Shape&, const Strides&, const double*, std::uint32_t, double,
                      Generator&, double*);

}  // namespace gradwalk::kernels
