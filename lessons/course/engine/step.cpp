#include "lessons/course/engine/step.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "lessons/course/engine/lesson.h"
#include "tensor/random.h"
#include "tensor/tensor.h"

namespace gradwalk::course {
namespace {

constexpr std::size_t kLongestWhy = 160;
constexpr std::size_t kMostChoices = 9;

}  // namespace

TensorEntry& TensorEntry::set_axes(std::vector<std::string> names) {
  if (names.size() != record().shape.size()) {
    throw std::logic_error(fmt::format("axes of {}: expected {} names for shape {}, got {}",
                                       record().name, record().shape.size(), record().shape_text(),
                                       names.size()));
  }
  record().axes = std::move(names);
  return *this;
}

TensorRecord& TensorEntry::record() { return step_->tensors[at_]; }

TensorEntry& TensorEntry::rows(std::vector<std::string> labels) {
  TensorRecord& tensor = record();
  if (tensor.shape.empty() || static_cast<std::int64_t>(labels.size()) != tensor.shape.front()) {
    throw std::logic_error(fmt::format("row labels of {}: got {} for shape {}", tensor.name,
                                       labels.size(), tensor.shape_text()));
  }
  tensor.labels.resize(tensor.shape.size());
  tensor.labels.front() = std::move(labels);
  return *this;
}

TensorEntry& TensorEntry::columns(std::vector<std::string> labels) {
  TensorRecord& tensor = record();
  if (tensor.shape.empty() || static_cast<std::int64_t>(labels.size()) != tensor.shape.back()) {
    throw std::logic_error(fmt::format("column labels of {}: got {} for shape {}", tensor.name,
                                       labels.size(), tensor.shape_text()));
  }
  tensor.labels.resize(tensor.shape.size());
  tensor.labels.back() = std::move(labels);
  return *this;
}

TensorEntry& TensorEntry::explain(Explain explain) {
  record().explain = std::move(explain);
  return *this;
}

TensorEntry& TensorEntry::badge(GradBadge badge) {
  record().badge = std::move(badge);
  return *this;
}

TensorEntry& TensorEntry::masked(const Tensor& mask) {
  const std::vector<double> hidden = mask.to_vector();
  if (hidden.size() != record().values.size()) {
    throw std::logic_error(fmt::format("mask of {}: {} entries for shape {}", record().name,
                                       hidden.size(), record().shape_text()));
  }
  record().masked.clear();
  for (const double entry : hidden) record().masked.push_back(entry != 0);
  return *this;
}

TensorEntry& TensorEntry::may_be_nonfinite() {
  record().may_be_nonfinite = true;
  return *this;
}

TableEntry& TableEntry::row(std::string label, std::vector<double> values, std::string note) {
  auto& table = std::get<TableRecord>(step_->numbers[at_]);
  if (values.size() != table.columns.size()) {
    throw std::logic_error(fmt::format("table {}, row {}: expected {} values, got {}",
                                       table.caption, label, table.columns.size(), values.size()));
  }
  table.rows.push_back({std::move(label), std::move(values), std::move(note)});
  return *this;
}

TableEntry& TableEntry::row(std::string label, const Tensor& values, std::string note) {
  return row(std::move(label), values.to_vector(), std::move(note));
}

TableEntry& TableEntry::digits(int after_the_point) {
  std::get<TableRecord>(step_->numbers[at_]).digits = after_the_point;
  return *this;
}

TableEntry& TableEntry::digits(std::vector<int> after_the_point) {
  auto& table = std::get<TableRecord>(step_->numbers[at_]);
  if (after_the_point.size() != table.columns.size()) {
    throw std::logic_error(fmt::format("table {}: digits for {} columns, got {}", table.caption,
                                       table.columns.size(), after_the_point.size()));
  }
  table.column_digits = std::move(after_the_point);
  return *this;
}

Step::Step(const Lesson& lesson, const Settings& settings, StepRecord* record)
    : lesson_(lesson), settings_(settings), record_(record) {}

double Step::parameter(std::string_view name) {
  const Parameter* parameter = lesson_.find_parameter(name);
  if (parameter == nullptr) {
    throw std::logic_error(
        fmt::format("lesson {} declares no parameter '{}'", lesson_.number(), name));
  }
  record_->parameters_read.emplace(name);
  const auto changed = settings_.set.find(name);
  if (changed != settings_.set.end()) return changed->second;
  return settings_.quick ? parameter->quick.value_or(parameter->value) : parameter->value;
}

bool Step::broken(std::string_view name) {
  if (lesson_.find_break(name) == nullptr) {
    throw std::logic_error(fmt::format("lesson {} declares no break '{}'", lesson_.number(), name));
  }
  record_->breaks_read.emplace(name);
  return settings_.breaks.contains(name);
}

bool Step::quick() const { return settings_.quick; }

std::uint64_t Step::seed() const { return settings_.seed; }

void Step::progress(std::string_view what, std::int64_t done, std::int64_t total) const {
  if (settings_.watch) settings_.watch(what, done, total);
}

std::function<void(int)> Step::training_progress(std::int64_t run, std::int64_t runs,
                                                 int updates) const {
  return [this, run, runs, updates](int done) {
    progress("train", run * updates + done, runs * updates);
  };
}

void Step::keep_model(std::string_view name,
                      const std::function<void(const std::filesystem::path& folder)>& write) const {
  if (!lesson_.does_keep_models()) {
    throw std::logic_error(fmt::format("lesson {} does not say that it keeps models, but offers {}",
                                       lesson_.number(), name));
  }
  if (!settings_.keep_model || !settings_.breaks.empty()) return;
  settings_.keep_model(fmt::format("{}/{}", lesson_.executable(), name), write);
}

Generator Step::generator(std::string_view name) const {
  return Generator(settings_.seed, fmt::format("{}/{}", lesson_.name(), name));
}

Step& Step::formula(std::string text) {
  record_->formulas.push_back(std::move(text));
  return *this;
}

Step& Step::predict(std::string question, std::vector<std::string> choices, std::size_t right) {
  if (choices.size() < 2 || choices.size() > kMostChoices || right >= choices.size()) {
    throw std::logic_error(
        fmt::format("prediction '{}': {} choices, right is {}", question, choices.size(), right));
  }
  record_->prediction = {std::move(question), std::move(choices), right};
  return *this;
}

Step& Step::number(std::string name, double value, std::string note, int digits) {
  record_->numbers.emplace_back(NumberRecord{std::move(name), value, std::move(note), digits});
  return *this;
}

TableEntry Step::table(std::string caption, std::vector<std::string> columns) {
  record_->numbers.emplace_back(TableRecord{std::move(caption), std::move(columns), {}, -1, {}});
  return {record_, record_->numbers.size() - 1};
}

TensorEntry Step::tensor(std::string name, const Tensor& values) {
  const auto same = [&](const TensorRecord& other) { return other.name == name; };
  if (std::any_of(record_->tensors.begin(), record_->tensors.end(), same)) {
    throw std::logic_error(fmt::format("tensor '{}' is recorded twice in one step", name));
  }
  TensorRecord tensor;
  tensor.name = std::move(name);
  for (int axis = 0; axis < values.ndim(); ++axis) tensor.shape.push_back(values.shape()[axis]);
  tensor.dtype = gradwalk::name(values.dtype());
  tensor.values = values.to_vector();
  record_->tensors.push_back(std::move(tensor));
  return {record_, record_->tensors.size() - 1};
}

TensorEntry Step::gradient(std::string of, const Tensor& values) {
  TensorEntry entry = tensor("d" + of, values);
  record_->tensors.back().gradient = true;
  return entry;
}

Step& Step::check(std::string what, bool ok, std::string note) {
  record_->checks.push_back({std::move(what), ok, std::move(note)});
  return *this;
}

Claim Step::claim(std::string id, Evidence evidence, std::int64_t cases) {
  ClaimRecord claim;
  claim.id = std::move(id);
  claim.evidence = evidence;
  claim.cases = cases;
  record_->claims.push_back(std::move(claim));
  return {&record_->claims, record_->claims.size() - 1};
}

Step& Step::why(std::string sentence) {
  if (sentence.size() > kLongestWhy) {
    throw std::logic_error(fmt::format("why has {} characters, at most {} are allowed: {}",
                                       sentence.size(), kLongestWhy, sentence));
  }
  record_->why = std::move(sentence);
  return *this;
}

Step& Step::try_next(std::vector<std::string> commands) {
  record_->tries = std::move(commands);
  return *this;
}

}  // namespace gradwalk::course
