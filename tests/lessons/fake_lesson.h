#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "lessons/course/engine/catalogue.h"
#include "lessons/course/engine/lesson.h"
#include "lessons/course/pictures/bars.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/course/pictures/heatmap.h"
#include "tensor/create.h"
#include "tensor/tensor.h"

/// A small lesson for tests of the engine, the renderers and the commands: y = gain * W x over
/// three steps.
namespace gradwalk::test {

inline constexpr DType kF64 = DType::kFloat64;

inline constexpr const char* kFakeCatalogue = R"({
  "schema": 1,
  "articles": {"900": "On doubling"},
  "lessons": [{"lesson": 7, "about": "doubling by hand"}],
  "claims": [
    {"id": "F1", "article": "900", "section": "1", "statement": "Two is twice one.", "lesson": 7,
     "verdict": "REPRODUCED", "control": "double", "why": "Count."},
    {"id": "F2", "article": "900", "section": "2", "statement": "Three is twice one.", "lesson": 7,
     "verdict": "CORRECTED", "control": "hush"}
  ],
  "breaks": [
    {"lesson": 7, "name": "double", "flips": ["F1"]},
    {"lesson": 7, "name": "hush", "flips": ["F2"]}
  ]
})";

/// What a test may change in the fake lesson.
struct Fake {
  std::int64_t cases = 2;                       ///< of F1
  bool double_works = true;                     ///< does the break "double" do anything?
  bool f1_holds = true;                         ///< the measured outcome of F1
  bool f2_stated = true;                        ///< is F2 there at all?
  bool check_ok = true;                         ///< the plain check of step 1
  double number = 2;                            ///< the number of step 1
  double recorded_y0 = 5;                       ///< y[0] as recorded; its explanation says 5
  course::Truth unclear = course::Truth::kYes;  ///< F2's right statement
  bool stand_alone = false;                     ///< do its steps?
  bool keeps_models = false;                    ///< does step 1 offer one?
  std::uint64_t bad_seed = 0;                   ///< with which F1 does not hold; 0: none
};

inline course::Lesson fake_lesson(const Fake& fake = {}) {
  using course::Explain;
  course::Lesson lesson(7, "fake", "A fake lesson");
  lesson.parameter(
      {.name = "gain", .value = 1, .quick = 0.5, .min = 0, .max = 10, .what = "a factor"});
  lesson.parameter(
      {.name = "late", .value = 3, .min = 1, .max = 9, .whole = true, .what = "a count"});
  lesson.sabotage("double", "one is counted twice");
  lesson.sabotage("hush", "nothing is said");
  const auto runs = std::make_shared<int>(0);  // would show state that leaks from run to run
  if (fake.stand_alone) lesson.steps_stand_alone();
  if (fake.keeps_models) lesson.keeps_models();
  lesson.step("Numbers", [=](course::Step& step) {
    ++*runs;
    const double gain = step.parameter("gain");
    if (fake.keeps_models) {
      const bool control = step.broken("double") || step.broken("hush");
      step.keep_model("first", [control](const std::filesystem::path& folder) {
        std::filesystem::create_directories(folder);
        std::ofstream weights(folder / "weights");
        if (!(weights << (control ? "of a control" : "w"))) throw std::runtime_error("no weights");
      });
    }
    step.formula("y = gain W x      W[2,2] x[2] -> y[2]   f64");
    step.number("gain", gain, "no unit");
    step.number("the number", fake.number);
    step.number("runs of this step", *runs);
    step.tensor("x", vector({1, 2}, kF64)).axes("component").explain(Explain::given("an input"));
    step.tensor("W", matrix({{1, 2}, {-3, 4}}, kF64))
        .axes("out", "in")
        .rows({"first", "second"})
        .explain(Explain::given("a parameter"));
    step.tensor("y", vector({fake.recorded_y0, 5}, kF64))
        .explain(Explain::contraction("ij,j->i", {"W", "x"}));
    step.gradient("x", vector({0.5, 0.25}, kF64))
        .explain(Explain::given("made up"))
        .badge({.compared = 2, .total = 2, .step = 1e-5, .worst = 2e-9});
    step.picture(course::Heatmap("W as it is", {"W", "y"}));
    step.check("one and one is two", fake.check_ok, "2");
    step.why("Adding is counting on.");
    step.try_next({"lesson_07_fake --set=gain=2"});
  });
  const auto doubling = [=](course::Step& step) {
    const bool broken = step.broken("double") && fake.double_works;
    const bool holds = fake.f1_holds && step.seed() != fake.bad_seed;
    step.formula("2 = 2 * 1");
    step.predict("Twice one?", {"one", "two", "four"}, broken ? 2 : 1);
    step.table("counts", {"one", "two"}).row("seen", {1, broken ? 4.0 : 2.0}, "in pairs");
    step.picture(course::Bars("twice", {"one", "two"})).group("pairs", {1, 2});
    step.claim("F1", course::Evidence::kTensor, fake.cases)
        .as_stated(holds != broken)
        .right(holds != broken)
        .seeds(3)
        .value(broken ? 4 : 2)
        .interval(1.9, 2.1)
        .expected("2")
        .tolerance("exact")
        .found(broken ? "got 4" : "got 2");
    step.why("Twice one is two.");
    step.try_next({"lesson_07_fake --break=double"});
  };
  lesson.step("Doubling", doubling, {"F1"});
  const auto tripling = [=](course::Step& step) {
    const bool broken = step.broken("hush");
    step.formula("3 = 3 * 1");
    step.number("count", step.parameter("late"));
    step.picture(course::Curves("count over time", "step"))
        .series("up", {0, 1, 2})
        .series("down", {2, 1, -1});
    step.check("counted", true);
    if (fake.f2_stated) {
      step.claim("F2", course::Evidence::kCounted, 1)
          .as_stated(broken)
          .right(broken ? course::Truth::kNo : fake.unclear)
          .found(broken ? "silence" : "3 is thrice 1")
          .expected("3 = 2 * 1");
    }
    step.why("Thrice is not twice.");
    step.try_next({"lesson_07_fake --break=hush"});
  };
  lesson.step("Tripling", tripling,
              fake.f2_stated ? std::vector<std::string>{"F2"} : std::vector<std::string>{});
  return lesson;
}

inline course::Catalogue fake_catalogue() { return course::parse_catalogue(kFakeCatalogue); }

inline course::LessonFactory fake_factory(const Fake& fake = {}) {
  return [fake] { return fake_lesson(fake); };
}

}  // namespace gradwalk::test
