#include "lessons/course/json/step.h"

#include <nlohmann/json.hpp>

#include "lessons/course/json/numbers.h"

namespace gradwalk::course {
namespace {

using Json = nlohmann::ordered_json;

struct NumbersToJson {
  Json operator()(const NumberRecord& number) const {
    return {{"name", number.name},
            {"value", number_to_json(number.value)},
            {"note", number.note},
            {"digits", number.digits}};
  }
  Json operator()(const TableRecord& table) const {
    Json rows = Json::array();
    for (const TableRow& row : table.rows) {
      rows.push_back(
          {{"label", row.label}, {"values", numbers_to_json(row.values)}, {"note", row.note}});
    }
    return {{"table", table.caption},
            {"columns", table.columns},
            {"rows", rows},
            {"digits", table.digits},
            {"column_digits", table.column_digits}};
  }
};

Json badge_to_json(const GradBadge& badge) {
  return {{"compared", badge.compared},
          {"total", badge.total},
          {"method", badge.method},
          {"step", number_to_json(badge.step)},
          {"dtype", badge.dtype},
          {"worst", number_to_json(badge.worst)},
          {"bound", number_to_json(badge.bound)},
          {"ok", badge.ok()}};
}

Json tensor_to_json(const TensorRecord& tensor) {
  Json object = {{"name", tensor.name},
                 {"shape", tensor.shape},
                 {"dtype", tensor.dtype},
                 {"axes", tensor.axes},
                 {"labels", tensor.labels},
                 {"gradient", tensor.gradient},
                 {"values", numbers_to_json(tensor.values)}};
  if (tensor.may_be_nonfinite) object["may_be_nonfinite"] = true;
  if (!tensor.masked.empty()) object["masked"] = tensor.masked;
  if (tensor.badge) object["check"] = badge_to_json(*tensor.badge);
  return object;
}

}  // namespace

Json step_to_json(const RunRecord& run, std::size_t at) {
  const StepRecord& step = *run.steps[at];
  Json object = {
      {"lesson", run.lesson},      {"step", at + 1},           {"title", step.title},
      {"formula", step.formulas},  {"numbers", Json::array()}, {"tensors", Json::array()},
      {"pictures", Json::array()}, {"checks", Json::array()},  {"claims", Json::array()},
      {"why", step.why},           {"try", step.tries},        {"seconds", step.seconds}};
  if (step.prediction) {
    const auto guess = run.guesses.find(at);
    object["prediction"] = {
        {"question", step.prediction->question},
        {"choices", step.prediction->choices},
        {"right", step.prediction->right},
        {"guess", guess == run.guesses.end() ? Json(nullptr) : Json(guess->second)}};
  }
  for (const NumbersItem& item : step.numbers) {
    object["numbers"].push_back(std::visit(NumbersToJson{}, item));
  }
  for (const TensorRecord& tensor : step.tensors) {
    object["tensors"].push_back(tensor_to_json(tensor));
  }
  for (const auto& picture : step.pictures) object["pictures"].push_back(picture->to_json());
  for (const CheckRecord& check : step.checks) {
    object["checks"].push_back({{"what", check.what}, {"ok", check.ok}, {"note", check.note}});
  }
  for (const ClaimRecord& claim : step.claims) object["claims"].push_back(claim.id);
  if (!step.nonfinite.empty()) object["nonfinite"] = step.nonfinite;
  object["reads"] = {{"parameters", step.parameters_read}, {"breaks", step.breaks_read}};
  return object;
}

}  // namespace gradwalk::course
