#include "lessons/course/engine/check_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace gradwalk::course {
namespace {

[[noreturn]] void missing(const StepRecord& step, const std::string& what) {
  throw std::logic_error(fmt::format("step \"{}\": {}", step.title, what));
}

void require_claim(const StepRecord& step, const ClaimRecord& claim) {
  if (!claim.skip_reason.empty()) return;
  if (!claim.as_stated) missing(step, fmt::format("claim {} lacks as_stated()", claim.id));
  if (!claim.right) missing(step, fmt::format("claim {} lacks right()", claim.id));
}

std::int64_t count_nonfinite(const std::vector<double>& values) {
  return std::count_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); });
}

class Nonfinite {
 public:
  void look(const std::string& where, const std::vector<double>& values) {
    const std::int64_t count = count_nonfinite(values);
    if (count > 0) found_.push_back(fmt::format("{}: {} of {}", where, count, values.size()));
  }

  void operator()(const NumberRecord& number) { look("number " + number.name, {number.value}); }
  void operator()(const TableRecord& table) {
    for (const TableRow& row : table.rows) {
      look(fmt::format("table {}, row {}", table.caption, row.label), row.values);
    }
  }
  std::vector<std::string> take() { return std::move(found_); }

 private:
  std::vector<std::string> found_;
};

}  // namespace

void require_whole(const StepRecord& step) {
  if (step.formulas.empty()) missing(step, "the formula is missing");
  if (step.numbers.empty()) missing(step, "the numbers are missing");
  bool checked = !step.checks.empty() || !step.claims.empty();
  for (const TensorRecord& tensor : step.tensors) {
    if (tensor.explain.empty()) {
      missing(step, fmt::format("tensor {} has no explanation", tensor.name));
    }
    checked = checked || tensor.badge.has_value();
  }
  if (!checked) missing(step, "the check is missing");
  for (const ClaimRecord& claim : step.claims) require_claim(step, claim);
  for (const auto& picture : step.pictures) {
    const std::string what = picture->missing(step);
    if (!what.empty()) missing(step, what);
  }
  if (step.why.empty()) missing(step, "why is missing");
  if (step.tries.empty()) missing(step, "what to try is missing");
}

std::vector<std::string> unexpected_nonfinite(const StepRecord& step) {
  Nonfinite nonfinite;
  for (const NumbersItem& item : step.numbers) std::visit(nonfinite, item);
  for (const TensorRecord& tensor : step.tensors) {
    if (!tensor.may_be_nonfinite) {
      nonfinite.look("tensor " + tensor.name + tensor.shape_text(), tensor.values);
    }
  }
  for (const auto& picture : step.pictures) {
    picture->each_list([&](const std::string& where, const std::vector<double>& values) {
      nonfinite.look(where, values);
    });
  }
  for (const ClaimRecord& claim : step.claims) {
    if (claim.value) nonfinite.look("claim " + claim.id, {*claim.value});
  }
  return nonfinite.take();
}

}  // namespace gradwalk::course
