#include "lessons/course/engine/lesson.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <stdexcept>

#include "lessons/course/engine/check_record.h"

namespace gradwalk::course {
namespace {

template <class Item>
const Item* find_named(const std::vector<Item>& items, std::string_view name) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

void require_announced(const StepRecord& record, const std::vector<std::string>& claims) {
  std::set<std::string> stated;
  for (const ClaimRecord& claim : record.claims) stated.insert(claim.id);
  if (stated == std::set<std::string>(claims.begin(), claims.end())) return;
  throw std::logic_error(fmt::format("step '{}': announced {}, stated {}", record.title,
                                     fmt::join(claims, " "), fmt::join(stated, " ")));
}

}  // namespace

void require_in_range(const Parameter& parameter, double value) {
  const bool whole = !parameter.whole || value == std::floor(value);
  if (value >= parameter.min && value <= parameter.max && whole) return;
  throw std::invalid_argument(fmt::format("{}: expected a {}number in [{}, {}], got {}",
                                          parameter.name, parameter.whole ? "whole " : "",
                                          parameter.min, parameter.max, value));
}

Lesson::Lesson(int number, std::string name, std::string title)
    : number_(number), name_(std::move(name)), title_(std::move(title)) {}

Lesson& Lesson::parameter(Parameter parameter) {
  if (find_parameter(parameter.name) != nullptr) {
    throw std::logic_error(fmt::format("parameter '{}' is declared twice", parameter.name));
  }
  for (const double value : {parameter.value, parameter.quick.value_or(parameter.value)}) {
    if (!(parameter.min <= value && value <= parameter.max)) {
      throw std::logic_error(fmt::format("parameter '{}': {} is not in [{}, {}]", parameter.name,
                                         value, parameter.min, parameter.max));
    }
  }
  parameters_.push_back(std::move(parameter));
  return *this;
}

Lesson& Lesson::seeds(int full, int quick, std::string what) {
  return parameter({.name = "seeds",
                    .value = static_cast<double>(full),
                    .quick = quick,
                    .min = 1,
                    .max = 100,
                    .whole = true,
                    .what = std::move(what)});
}

Lesson& Lesson::sabotage(std::string name, std::string what) {
  if (find_break(name) != nullptr) {
    throw std::logic_error(fmt::format("break '{}' is declared twice", name));
  }
  breaks_.push_back({std::move(name), std::move(what)});
  return *this;
}

Lesson& Lesson::step(std::string title, Body body, std::vector<std::string> claims) {
  steps_.push_back({std::move(title), std::move(body), std::move(claims)});
  return *this;
}

Lesson& Lesson::keeps_models() {
  keeps_models_ = true;
  return *this;
}

Lesson& Lesson::steps_stand_alone() {
  stand_alone_ = true;
  return *this;
}

std::string Lesson::executable() const { return fmt::format("lesson_{:02}_{}", number_, name_); }

const Parameter* Lesson::find_parameter(std::string_view name) const {
  return find_named(parameters_, name);
}

const Break* Lesson::find_break(std::string_view name) const { return find_named(breaks_, name); }

StepRecord Lesson::run_step(std::size_t at, const Settings& settings) const {
  const auto& [title, body, claims] = steps_.at(at);
  StepRecord record;
  record.title = title;
  Step step(*this, settings, &record);
  const auto start = std::chrono::steady_clock::now();
  body(step);
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  require_whole(record);
  if (stand_alone_) require_announced(record, claims);
  record.nonfinite = unexpected_nonfinite(record);
  return record;
}

}  // namespace gradwalk::course
