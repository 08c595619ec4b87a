#include "ops.h"

#include <ostream>

#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/random.h"

namespace gradwalk::test {

void PrintTo(const ThreadCase& work, std::ostream* out) { *out << work.name; }

Shape wide() { return {1031, 517}; }

Tensor drawn_ids(const Shape& shape, std::int64_t below) {
  Generator generator(6, "ids");
  Tensor x("ids", shape, DType::kInt64);
  auto* id = x.mutable_data<std::int64_t>();
  for (std::int64_t i = 0; i < x.numel(); ++i) id[i] = generator.below(below);
  return x;
}

Tensor random(const Shape& shape) {
  Generator generator(static_cast<std::uint64_t>(shape.numel()), shape.str());
  return normal(shape, generator, DType::kFloat64);
}

Tensor positive(const Shape& shape) {
  Generator generator(static_cast<std::uint64_t>(shape.numel()), shape.str());
  return uniform(shape, generator, 0.5, 2, DType::kFloat64);
}

Tensor strided(const Tensor& x) {
  if (x.ndim() >= 2) return transpose(clone(transpose(x)));
  // Every second element of something twice as long.
  const Tensor twice = mul(unsqueeze(x, -1), vector({1, 7}, x.dtype()));
  return select(twice, -1, 0);
}

}  // namespace gradwalk::test
