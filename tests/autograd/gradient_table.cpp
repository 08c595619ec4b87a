#include "autograd/gradient_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "autograd/grad_check.h"

namespace gradwalk::test {
namespace {

struct Row {
  std::int64_t entries = 0;
  double worst = 0;
};

std::map<std::string, Row>& table() {
  static std::map<std::string, Row> rows;
  return rows;
}

class TablePrinter : public testing::Environment {
  void TearDown() override {
    if (table().empty()) return;
    fmt::print("{:<28} {:>8}  {}\n", "gradient of", "entries", "worst relative error");
    for (const auto& [op, row] : table()) {
      fmt::print("{:<28} {:>8}  {:.1e}\n", op, row.entries, row.worst);
    }
  }
};

const testing::Environment* const kPrinter = testing::AddGlobalTestEnvironment(new TablePrinter);

}  // namespace

void expect_gradient(std::string_view op,
                     const std::function<Variable(const std::vector<Variable>&)>& f,
                     const std::vector<Tensor>& inputs) {
  const GradCheckReport report = grad_check(op, f, inputs);
  EXPECT_TRUE(report.ok) << report.message;
  std::int64_t entries = 0;
  for (const Tensor& input : inputs) entries += input.numel();
  EXPECT_EQ(report.entries, entries) << op;
  Row& row = table()[std::string(op)];
  row.entries += report.entries;
  row.worst = std::max(row.worst, report.worst);
}

}  // namespace gradwalk::test
