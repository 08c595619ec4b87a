#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "lessons/course/json/claim.h"
#include "lessons/course/json/step.h"

namespace gradwalk::course {
namespace {

using Json = nlohmann::ordered_json;
using Texts = std::vector<std::string>;

std::string text(const Json& object, const char* field) {
  return object.at(field).get<std::string>();
}

std::vector<double> numbers(const Json& array) {
  std::vector<double> values;
  for (const Json& value : array) values.push_back(number_from_json(value));
  return values;
}

void require(bool fits, const std::string& what) {
  if (!fits) throw std::runtime_error(what);
}

NumbersItem numbers_item(const Json& object) {
  if (!object.contains("table")) {
    return NumberRecord{text(object, "name"), number_from_json(object.at("value")),
                        text(object, "note"), object.at("digits").get<int>()};
  }
  TableRecord table;
  table.caption = text(object, "table");
  table.columns = object.at("columns").get<Texts>();
  table.digits = object.at("digits").get<int>();
  table.column_digits = object.at("column_digits").get<std::vector<int>>();
  require(table.column_digits.empty() || table.column_digits.size() == table.columns.size(),
          fmt::format("table '{}': digits do not fit its columns", table.caption));
  for (const Json& row : object.at("rows")) {
    table.rows.push_back({text(row, "label"), numbers(row.at("values")), text(row, "note")});
    require(table.rows.back().values.size() == table.columns.size(),
            fmt::format("table '{}': a row does not fit its columns", table.caption));
  }
  return table;
}

BarsRecord bars_record(const Json& object) {
  BarsRecord bars{text(object, "caption"), object.at("series").get<Texts>(), {}, -1};
  bars.digits = object.at("digits").get<int>();
  for (const Json& group : object.at("groups")) {
    bars.groups.emplace_back(text(group, "label"), numbers(group.at("values")));
    require(bars.groups.back().second.size() == bars.series.size(),
            fmt::format("bars '{}': a group does not fit the series", bars.caption));
  }
  return bars;
}

CurvesRecord curves_record(const Json& object) {
  CurvesRecord curves{text(object, "caption"), text(object, "x_label"), {}};
  for (const Json& one : object.at("series")) {
    curves.series.push_back({text(one, "name"), numbers(one.at("x")), numbers(one.at("y"))});
    require(curves.series.back().x.size() == curves.series.back().y.size(),
            fmt::format("curves '{}': x and y differ in length", curves.caption));
  }
  return curves;
}

PlaneRecord plane_record(const Json& object) {
  PlaneRecord plane{
      text(object, "caption"), text(object, "x_label"), text(object, "y_label"), {}, {}, {}};
  const auto points = [](const Json& array) {
    std::vector<PlanePoint> list;
    for (const Json& point : array) {
      list.push_back(
          {text(point, "name"), number_from_json(point.at("x")), number_from_json(point.at("y"))});
    }
    return list;
  };
  plane.arrows = points(object.at("arrows"));
  plane.points = points(object.at("points"));
  for (const Json& path : object.at("paths")) {
    plane.paths.push_back({text(path, "name"), {}});
    for (const Json& point : path.at("points")) {
      plane.paths.back().points.emplace_back(number_from_json(point.at(0)),
                                             number_from_json(point.at(1)));
    }
  }
  return plane;
}

ScatterRecord scatter_record(const Json& object) {
  ScatterRecord scatter{text(object, "caption"),     text(object, "x_label"),
                        text(object, "y_label"),     {},
                        text(object, "others_name"), {}};
  for (const Json& point : object.at("points")) {
    scatter.points.push_back({text(point, "name"), number_from_json(point.at("x")),
                              number_from_json(point.at("y")),
                              number_from_json(point.at("value"))});
  }
  for (const Json& point : object.at("others")) {
    scatter.others.emplace_back(number_from_json(point.at(0)), number_from_json(point.at(1)));
  }
  return scatter;
}

PictureRecord picture(const Json& object) {
  const std::string kind = text(object, "kind");
  if (kind == "bars") return bars_record(object);
  if (kind == "curves") return curves_record(object);
  if (kind == "plane") return plane_record(object);
  if (kind == "scatter") return scatter_record(object);
  if (kind == "heatmap") {
    return HeatmapRecord{text(object, "caption"), object.at("tensors").get<Texts>()};
  }
  throw std::runtime_error(fmt::format("'{}' is no kind of picture", kind));
}

GradBadge badge(const Json& object) {
  return {.compared = object.at("compared").get<std::int64_t>(),
          .total = object.at("total").get<std::int64_t>(),
          .method = text(object, "method"),
          .step = number_from_json(object.at("step")),
          .dtype = text(object, "dtype"),
          .worst = number_from_json(object.at("worst")),
          .bound = number_from_json(object.at("bound"))};
}

TensorRecord tensor(const Json& object) {
  TensorRecord tensor;
  tensor.name = text(object, "name");
  tensor.shape = object.at("shape").get<std::vector<std::int64_t>>();
  tensor.dtype = text(object, "dtype");
  tensor.values = numbers(object.at("values"));
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
  require(fits, fmt::format("tensor {}: values or labels do not fit its shape", tensor.name));
  return tensor;
}

PredictionRecord prediction(const Json& object) {
  PredictionRecord prediction{text(object, "question"), object.at("choices").get<Texts>(),
                              object.at("right").get<std::size_t>()};
  require(prediction.right < prediction.choices.size(), "its right choice is none of the choices");
  return prediction;
}

}  // namespace

StepRecord step_from_json(const Json& object) {
  StepRecord step;
  step.title = text(object, "title");
  step.formulas = object.at("formula").get<Texts>();
  if (object.contains("prediction")) step.prediction = prediction(object.at("prediction"));
  for (const Json& item : object.at("numbers")) step.numbers.push_back(numbers_item(item));
  for (const Json& one : object.at("tensors")) step.tensors.push_back(tensor(one));
  for (const Json& one : object.at("pictures")) step.pictures.push_back(picture(one));
  for (const Json& check : object.at("checks")) {
    step.checks.push_back({text(check, "what"), check.at("ok").get<bool>(), text(check, "note")});
  }
  for (const Json& id : object.at("claims")) {
    step.claims.emplace_back().id = id.get<std::string>();
  }
  step.why = text(object, "why");
  step.tries = object.at("try").get<Texts>();
  step.parameters_read = object.at("reads").at("parameters").get<std::set<std::string>>();
  step.breaks_read = object.at("reads").at("breaks").get<std::set<std::string>>();
  if (object.contains("nonfinite")) step.nonfinite = object.at("nonfinite").get<Texts>();
  step.seconds = number_from_json(object.at("seconds"));
  return step;
}

}  // namespace gradwalk::course
