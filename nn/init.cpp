#include "nn/init.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <vector>

#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/linalg.h"
#include "tensor/matmul.h"

namespace gradwalk::nn {
namespace {

struct Entry {
  const char* name;
  InitScheme scheme;
};
constexpr std::array<Entry, 9> kSchemes = {{{"zeros", InitScheme::kZeros},
                                            {"ones", InitScheme::kOnes},
                                            {"normal", InitScheme::kNormal},
                                            {"uniform", InitScheme::kUniform},
                                            {"xavier_normal", InitScheme::kXavierNormal},
                                            {"xavier_uniform", InitScheme::kXavierUniform},
                                            {"kaiming_normal", InitScheme::kKaimingNormal},
                                            {"kaiming_uniform", InitScheme::kKaimingUniform},
                                            {"orthogonal", InitScheme::kOrthogonal}}};

struct Fans {
  std::int64_t in = 1;
  std::int64_t out = 1;
};

Fans fans(const char* op, const Shape& shape, InitScheme scheme) {
  if (shape.ndim() == 0) {
    throw_shape_error(op, fmt::format("ndim >= 1 for {}", name(scheme)), "0", {{"shape", shape}});
  }
  if (shape.ndim() == 1) return {1, shape[0]};
  return {shape[-1], shape.numel() / std::max<std::int64_t>(1, shape[-1])};
}

// Of a normal matrix x = u s vt, u vt: every orthonormal matrix is as likely as any other.
Tensor orthogonal(const char* op, const Shape& shape, Generator& generator) {
  const Fans f = fans(op, shape, InitScheme::kOrthogonal);
  const Svd parts = svd(normal({f.out, f.in}, generator, DType::kFloat64));
  return reshape(matmul(parts.u, parts.vt), shape);
}

double variance(const char* op, InitScheme scheme, const Shape& shape) {
  const Fans f = fans(op, shape, scheme);
  const bool xavier = scheme == InitScheme::kXavierNormal || scheme == InitScheme::kXavierUniform;
  return xavier ? 2.0 / static_cast<double>(f.in + f.out) : 1.0 / static_cast<double>(f.in);
}

// In place: of a large model's weights each copy counts, as float64 twice.
Tensor scaled(Tensor x, double factor) {
  mul_into(x, factor);
  return x;
}

}  // namespace

InitScheme init_scheme(std::string_view scheme_name) {
  std::vector<std::string_view> names;
  for (const Entry& entry : kSchemes) {
    if (scheme_name == entry.name) return entry.scheme;
    names.emplace_back(entry.name);
  }
  throw_argument_error("init_scheme", fmt::format("one of {}", fmt::join(names, ", ")),
                       scheme_name);
}

const char* name(InitScheme scheme) {
  for (const Entry& entry : kSchemes) {
    if (entry.scheme == scheme) return entry.name;
  }
  return "unknown";
}

Tensor initial(const Shape& shape, const Init& init, const Seed& seed, DType dtype,
               const char* op) {
  if (!(std::isfinite(init.gain) && init.gain >= 0)) {
    throw_argument_error(op, "a finite gain >= 0", fmt::format("{}", init.gain),
                         {{"shape", shape}});
  }
  Generator generator = seed.generator();
  // Drawn in float64, so that a model in float32 begins with the rounded numbers of its double.
  const auto drawn = [&]() -> Tensor {
    switch (init.scheme) {
      case InitScheme::kZeros:
        return zeros(shape, dtype);
      case InitScheme::kOnes:
        return ones(shape, dtype);
      case InitScheme::kNormal:
        return scaled(normal(shape, generator, DType::kFloat64), init.gain);
      case InitScheme::kUniform:
        return uniform(shape, generator, -init.gain, init.gain, DType::kFloat64);
      case InitScheme::kXavierNormal:
      case InitScheme::kKaimingNormal:
        return scaled(normal(shape, generator, DType::kFloat64),
                      init.gain * std::sqrt(variance(op, init.scheme, shape)));
      case InitScheme::kXavierUniform:
      case InitScheme::kKaimingUniform: {
        const double bound = init.gain * std::sqrt(3 * variance(op, init.scheme, shape));
        return uniform(shape, generator, -bound, bound, DType::kFloat64);
      }
      default:
        return scaled(orthogonal(op, shape, generator), init.gain);
    }
  };
  return to(drawn(), dtype);
}

}  // namespace gradwalk::nn
