#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lessons/course/engine/picture.h"
#include "lessons/course/json/numbers.h"
#include "lessons/course/json/step.h"

namespace gradwalk::course {
namespace {

using Json = nlohmann::ordered_json;
using Texts = std::vector<std::string>;

NumbersItem numbers_item(const Json& object) {
  if (!object.contains("table")) {
    return NumberRecord{text_field(object, "name"), number_from_json(object.at("value")),
                        text_field(object, "note"), object.at("digits").get<int>()};
  }
  TableRecord table;
  table.caption = text_field(object, "table");
  table.columns = object.at("columns").get<Texts>();
  table.digits = object.at("digits").get<int>();
  table.column_digits = object.at("column_digits").get<std::vector<int>>();
  require_fit(table.column_digits.empty() || table.column_digits.size() == table.columns.size(),
              fmt::format("table '{}': digits do not fit its columns", table.caption));
  for (const Json& row : object.at("rows")) {
    table.rows.push_back(
        {text_field(row, "label"), numbers_from_json(row.at("values")), text_field(row, "note")});
    require_fit(table.rows.back().values.size() == table.columns.size(),
                fmt::format("table '{}': a row does not fit its columns", table.caption));
  }
  return table;
}

GradBadge badge(const Json& object) {
  return {.compared = object.at("compared").get<std::int64_t>(),
          .total = object.at("total").get<std::int64_t>(),
          .method = text_field(object, "method"),
          .step = number_from_json(object.at("step")),
          .dtype = text_field(object, "dtype"),
          .worst = number_from_json(object.at("worst")),
          .bound = number_from_json(object.at("bound"))};
}

TensorRecord tensor(const Json& object) {
  TensorRecord tensor;
  tensor.name = text_field(object, "name");
  tensor.shape = object.at("shape").get<std::vector<std::int64_t>>();
  tensor.dtype = text_field(object, "dtype");
  tensor.values = numbers_from_json(object.at("values"));
  tensor.axes = object.at("axes").get<Texts>();
  tensor.labels = object.at("labels").get<std::vector<Texts>>();
  if (object.contains("masked")) tensor.masked = object.at("masked").get<std::vector<bool>>();
  tensor.gradient = object.at("gradient").get<bool>();
  tensor.may_be_nonfinite = object.value("may_be_nonfinite", false);
  if (object.contains("check")) tensor.badge = badge(object.at("check"));
  tensor.explain = Explain::given("from a record: it is taken apart where its step runs");
  std::int64_t entries = 1;
  for (const std::int64_t size : tensor.shape) entries *= size;
  bool fits = entries == tensor.numel() &&
              (tensor.masked.empty() || tensor.masked.size() == tensor.values.size()) &&
              (tensor.axes.empty() || tensor.axes.size() == tensor.shape.size()) &&
              tensor.labels.size() <= tensor.shape.size();
  for (std::size_t axis = 0; fits && axis < tensor.labels.size(); ++axis) {
    const auto count = static_cast<std::int64_t>(tensor.labels[axis].size());
    fits = count == 0 || count == tensor.shape[axis];
  }
  require_fit(fits, fmt::format("tensor {}: values or labels do not fit its shape", tensor.name));
  return tensor;
}

PredictionRecord prediction(const Json& object) {
  PredictionRecord prediction{text_field(object, "question"), object.at("choices").get<Texts>(),
                              object.at("right").get<std::size_t>()};
  require_fit(prediction.right < prediction.choices.size(),
              "its right choice is none of the choices");
  return prediction;
}

}  // namespace

StepRecord step_from_json(const Json& object) {
  StepRecord step;
  step.title = text_field(object, "title");
  step.formulas = object.at("formula").get<Texts>();
  if (object.contains("prediction")) step.prediction = prediction(object.at("prediction"));
  for (const Json& item : object.at("numbers")) step.numbers.push_back(numbers_item(item));
  for (const Json& one : object.at("tensors")) step.tensors.push_back(tensor(one));
  for (const Json& one : object.at("pictures")) step.pictures.push_back(picture_from_json(one));
  for (const Json& check : object.at("checks")) {
    step.checks.push_back(
        {text_field(check, "what"), check.at("ok").get<bool>(), text_field(check, "note")});
  }
  for (const Json& id : object.at("claims")) {
    step.claims.emplace_back().id = id.get<std::string>();
  }
  step.why = text_field(object, "why");
  step.tries = object.at("try").get<Texts>();
  step.parameters_read = object.at("reads").at("parameters").get<std::set<std::string>>();
  step.breaks_read = object.at("reads").at("breaks").get<std::set<std::string>>();
  if (object.contains("nonfinite")) step.nonfinite = object.at("nonfinite").get<Texts>();
  step.seconds = number_from_json(object.at("seconds"));
  return step;
}

}  // namespace gradwalk::course
