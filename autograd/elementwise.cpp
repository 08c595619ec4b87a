#include "autograd/elementwise.h"

#include "autograd/record.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace gradwalk {

Variable add(const Variable& a, const Variable& b) {
  Tensor y = add(a.value(), b.value());
  auto rule = [as = a.shape(), bs = b.shape()](const Tensor& dy, Needs needs) -> Grads {
    // da = dy, db = dy
    return {needs[0] ? sum_to(dy, as) : Tensor(), needs[1] ? sum_to(dy, bs) : Tensor()};
  };
  return record("add", std::move(y), {a, b}, std::move(rule));
}

Variable sub(const Variable& a, const Variable& b) {
  Tensor y = sub(a.value(), b.value());
  auto rule = [as = a.shape(), bs = b.shape()](const Tensor& dy, Needs needs) -> Grads {
    // da = dy, db = -dy
    return {needs[0] ? sum_to(dy, as) : Tensor(), needs[1] ? neg(sum_to(dy, bs)) : Tensor()};
  };
  return record("sub", std::move(y), {a, b}, std::move(rule));
}

Variable mul(const Variable& a, const Variable& b) {
  Tensor y = mul(a.value(), b.value());
  auto rule = [a = Saved(a.value()), b = Saved(b.value())](const Tensor& dy, Needs needs) -> Grads {
    // da = dy b, db = dy a
    return {needs[0] ? sum_to(mul(dy, b), a.get().shape()) : Tensor(),
            needs[1] ? sum_to(mul(dy, a), b.get().shape()) : Tensor()};
  };
  return record("mul", std::move(y), {a, b}, std::move(rule));
}

Variable div(const Variable& a, const Variable& b) {
  Tensor y = div(a.value(), b.value());
  auto rule = [as = a.shape(), b = Saved(b.value()), y = Saved(y)](const Tensor& dy,
                                                                   Needs needs) -> Grads {
    // y = a / b, so dy/db = -a / b^2 = -y / b.
    const Tensor da = div(dy, b);
    return {needs[0] ? sum_to(da, as) : Tensor(),
            needs[1] ? sum_to(neg(mul(da, y)), b.get().shape()) : Tensor()};
  };
  return record("div", std::move(y), {a, b}, std::move(rule));
}

Variable neg(const Variable& x) {
  // dx = -dy
  return record("neg", neg(x.value()), {x}, [](const Tensor& dy) -> Grads { return {neg(dy)}; });
}

Variable exp(const Variable& x) {
  Tensor y = exp(x.value());
  // dx = dy y
  auto rule = [y = Saved(y)](const Tensor& dy) -> Grads { return {mul(dy, y)}; };
  return record("exp", std::move(y), {x}, std::move(rule));
}

Variable log(const Variable& x) {
  Tensor y = log(x.value());
  // dx = dy / x
  auto rule = [x = Saved(x.value())](const Tensor& dy) -> Grads { return {div(dy, x)}; };
  return record("log", std::move(y), {x}, std::move(rule));
}

Variable sqrt(const Variable& x) {
  Tensor y = sqrt(x.value());
  // dx = dy / (2 y)
  auto rule = [y = Saved(y)](const Tensor& dy) -> Grads { return {div(dy, y.get() * 2.0)}; };
  return record("sqrt", std::move(y), {x}, std::move(rule));
}

// A number beside a variable needs no gradient, so the rules know one input.
Variable operator+(const Variable& a, double b) {
  return record("add", a.value() + b, {a}, [](const Tensor& dy) -> Grads { return {dy}; });
}
Variable operator-(const Variable& a, double b) {
  return record("sub", a.value() - b, {a}, [](const Tensor& dy) -> Grads { return {dy}; });
}
Variable operator*(const Variable& a, double b) {
  return record("mul", a.value() * b, {a}, [b](const Tensor& dy) -> Grads { return {dy * b}; });
}
Variable operator/(const Variable& a, double b) {
  return record("div", a.value() / b, {a}, [b](const Tensor& dy) -> Grads { return {dy / b}; });
}
Variable operator+(double a, const Variable& b) { return b + a; }
Variable operator-(double a, const Variable& b) {
  return record("sub", a - b.value(), {b}, [](const Tensor& dy) -> Grads { return {neg(dy)}; });
}
Variable operator*(double a, const Variable& b) { return b * a; }
Variable operator/(double a, const Variable& b) {
  Tensor y = a / b.value();
  auto rule = [b = Saved(b.value()), y = Saved(y)](const Tensor& dy) -> Grads {
    // db = -dy y / b
    return {neg(div(mul(dy, y), b))};
  };
  return record("div", std::move(y), {b}, std::move(rule));
}

}  // namespace gradwalk
