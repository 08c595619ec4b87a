#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "lessons/course/engine/record.h"
#include "lessons/course/pictures/bars.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/course/pictures/heatmap.h"
#include "lessons/course/pictures/matrix.h"
#include "lessons/course/pictures/plane.h"
#include "lessons/course/pictures/scatter.h"

namespace gradwalk::course {
namespace {

using testing::HasSubstr;
using testing::Not;

Lines draw(const Picture& picture, int width, const Display& display) {
  return picture.draw(StepRecord(), width, display);
}

std::string text_of(const Lines& lines, const Display& display = {}) {
  return paint(lines, display);
}

TEST(Bars, GrowWithTheirNumbers) {
  Bars bars("weights", {"right"});
  bars.group("num1", {0.5}).group("num2", {0.25});
  EXPECT_EQ(text_of(draw(bars, 30, {}), {30, false, true}),
            "weights\n"
            "num1  0.50  ##################\n"
            "num2  0.25  #########\n");
}

TEST(Bars, GoLeftOfACommonZero) {
  Bars bars("dz", {"ours", "article"});
  bars.group("a", {-1, 1}).digits(1);
  EXPECT_EQ(text_of(draw(bars, 40, {}), {40, false, true}),
            "dz\n"
            "a  ours     -1.0  ##########|\n"
            "   article   1.0            |##########\n");
}

TEST(Bars, ShowNothingForZeroAndNan) {
  Bars bars("none", {"s"});
  bars.group("a", {0}).group("b", {std::nan("")}).digits(0);
  EXPECT_EQ(text_of(draw(bars, 40, {})), "none\na    0\nb  nan\n");
}

TEST(Curves, NameEachCurveAtItsEnd) {
  Curves curves("c", "step");
  curves.series("up", {0, 1}).series("down", {1, 0});
  const std::string text = text_of(draw(curves, 60, {60, false, true}), {60, false, true});
  EXPECT_THAT(text, HasSubstr("o o up\n"));
  EXPECT_THAT(text, HasSubstr("x x down\n"));
  EXPECT_THAT(text, HasSubstr("step"));
}

TEST(Curves, HaveALegendWhereNamesDoNotFit) {
  const std::string name(40, 'n');
  Curves curves("c", "step");
  curves.series(name, {0, 1});
  EXPECT_THAT(text_of(draw(curves, 60, {})), HasSubstr("c\n● " + name + "\n"));
}

TEST(Curves, DrawAZeroLineOnlyWhereTheyCrossIt) {
  Curves across("c", "x"), above("c", "x");
  across.series("s", {-1, 1, -1});
  above.series("s", {1, 2, 1});
  EXPECT_THAT(text_of(draw(across, 60, {})), HasSubstr("┈┈┈"));
  EXPECT_THAT(text_of(draw(above, 60, {})), Not(HasSubstr("┈")));
}

TEST(Curves, SurviveOnePointAndNan) {
  Curves curves("c", "x");
  curves.series("s", {3}).series("n", {std::nan(""), 2});
  EXPECT_NO_THROW(draw(curves, 60, {}));
  EXPECT_NO_THROW(draw(Curves("empty", "x"), 60, {}));
}

TEST(Plane, UsesOneScaleForBothAxes) {
  // A square must be twice as many columns wide as rows high.
  Plane plane("p", "a", "b");
  plane.path("box", {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}});
  const Lines lines = draw(plane, 70, {70, false, true});
  int rows = 0;
  int widest = 0;
  for (std::size_t i = 2; i + 1 < lines.size(); ++i) {  // between the legend and the ranges
    std::string line = text_of({lines[i]}, {70, false, true});
    const std::size_t first = line.find_first_of("oO");
    if (first == std::string::npos) continue;
    ++rows;
    const std::size_t last = line.find_last_of("oO");
    widest = std::max(widest, static_cast<int>(last - first) + 1);
  }
  EXPECT_GT(rows, 8);
  EXPECT_NEAR(widest, 2 * rows, 3);
}

TEST(Plane, NamesArrowsPointsAndPaths) {
  Plane plane("p", "along", "across");
  plane.arrow("k_num1", 1, 0).arrow("k_num2", 0.2, 0.9);
  plane.point("mean", -0.5, -0.5).path("walk", {{0, 0}, {0.5, 0.2}});
  const std::string text = text_of(draw(plane, 68, {}));
  for (const char* name : {"k_num1", "k_num2", "mean", "walk", "across: along", "up: across"}) {
    EXPECT_THAT(text, HasSubstr(name));
  }
}

TEST(Plane, SurvivesASinglePoint) {
  Plane plane("p", "a", "b");
  plane.point("o", 0, 0);
  EXPECT_NO_THROW(draw(plane, 60, {}));
}

TEST(Scatter, PutsNamesAtTheirPlacesOnOneScale) {
  // A square is twice as many columns wide as rows high.
  Scatter square("s", "a", "b");
  square.point("A", 0, 0, 1).point("B", 1, 0, 2).point("C", 0, 1, 3).point("D", 1, 1, 4);
  const std::string text = text_of(draw(square, 80, {}));
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    lines.push_back(text.substr(at, text.find('\n', at) - at));
  }
  EXPECT_EQ(lines.front(), "s");
  EXPECT_EQ(lines[1].find('C'), lines[18].find('A'));
  EXPECT_EQ(lines[1].find('D'), lines[18].find('B'));
  EXPECT_EQ(lines[1].find('D') - lines[1].find('C'), 34U);  // 17 rows down
  EXPECT_EQ(lines.back(), "across: a 0..1   up: b 0..1   one scale for both");
}

TEST(Scatter, CountsWhatFallsTogether) {
  Scatter crowd("s", "a", "b");
  crowd.point("3", 0, 0, 3).point("4", 0, 0, 4).point("11", 0.01, 0, 11).point("15", 9, 0, 15);
  crowd.others("nouns", {{4, 0}});
  const std::string text = text_of(draw(crowd, 80, {}));
  EXPECT_THAT(text, HasSubstr("3+2"));
  EXPECT_THAT(text, HasSubstr("15"));
  EXPECT_THAT(text, Not(HasSubstr("11\n")));
  EXPECT_THAT(text, HasSubstr("· nouns   3+2: 3 and two more"));
  EXPECT_THAT(text_of(draw(crowd, 80, {80, false, true}), {80, false, true}), Not(HasSubstr("·")));
}

TEST(Scatter, ColoursByValue) {
  Scatter two("s", "a", "b");
  two.point("0", 0, 0, 0).point("7", 1, 0, 7);
  const std::string text = text_of(draw(two, 60, {60, true, false}), {60, true, false});
  EXPECT_THAT(text, HasSubstr(";48;5;17m"));
  EXPECT_THAT(text, HasSubstr(";48;5;227m"));
}

TEST(Scatter, FitsAndSurvivesOddPoints) {
  const double nan = std::nan("");
  Scatter odd("s", "a", "b");
  odd.point("long", 0, 0, 0).point("x", nan, 0, 0).point("end", 100, 1, 1);
  odd.others("o", {{nan, 0}});
  for (const int width : {60, 80, 120}) {
    for (const Line& line : draw(odd, width, {})) EXPECT_LE(line.width(), width);
  }
  Scatter lonely("s", "a", "b");
  EXPECT_NO_THROW(draw(lonely, 60, {}));
  EXPECT_NO_THROW(draw(lonely.point("o", 1, 1, 1), 60, {}));
}

TensorRecord matrix_record(std::vector<std::int64_t> shape, std::vector<double> values) {
  TensorRecord tensor;
  tensor.name = "A";
  tensor.dtype = "float64";
  tensor.shape = std::move(shape);
  tensor.values = std::move(values);
  return tensor;
}

TEST(Matrix, ShowsNumbersWithShadesAndSigns) {
  const Lines lines = draw_matrix(matrix_record({2, 2}, {0, 0.5, -1, 0.25}), 60, {}, false);
  EXPECT_EQ(text_of(lines),
            "      0      1\n"
            "0  0.00   0.50+\n"
            "1 -1.00@  0.25:\n");
}

TEST(Matrix, ColoursStandBesideTheNumbers) {
  const std::string text = text_of(
      draw_matrix(matrix_record({1, 2}, {0, 1}), 60, {60, true, false}, false), {60, true, false});
  EXPECT_THAT(text, HasSubstr(";48;5;17m"));
  EXPECT_THAT(text, HasSubstr(";48;5;227m"));
  EXPECT_THAT(text, HasSubstr(" 1 "));
}

TEST(Matrix, PrintsMaskedEntriesAsDashes) {
  TensorRecord tensor = matrix_record({1, 2}, {0, 1});
  tensor.masked = {true, false};
  const std::string text = text_of(draw_tensor(tensor, 80, {}, false));
  EXPECT_THAT(text, HasSubstr("0 -- "));
  EXPECT_THAT(text, HasSubstr("mean 1  std 0  min 1  max 1  norm 1  NaN 0  Inf 0  masked 1"));
}

TEST(Matrix, CutsWideOnesAndShowsAllWhenAsked) {
  std::vector<double> values(60);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  const TensorRecord tensor = matrix_record({2, 30}, values);
  const std::string cut = text_of(draw_matrix(tensor, 40, {}, false));
  EXPECT_THAT(cut, HasSubstr("... "));
  EXPECT_THAT(cut, HasSubstr("59"));
  EXPECT_THAT(cut, Not(HasSubstr(" 45")));
  EXPECT_THAT(text_of(draw_matrix(tensor, 40, {}, true)), HasSubstr(" 45"));
}

TEST(Matrix, CutsTallOnesAndSaysHowToSeeAll) {
  const TensorRecord tensor = matrix_record({20, 1}, std::vector<double>(20, 1));
  EXPECT_THAT(text_of(draw_matrix(tensor, 40, {}, false)),
              HasSubstr("... 9 more rows: t A --all\n"));
}

TEST(Matrix, ShowsSlicesOfLargerTensors) {
  const TensorRecord tensor = matrix_record({3, 1, 2}, {0, 1, 2, 3, 4, 5});
  const std::string text = text_of(draw_matrix(tensor, 40, {}, false));
  EXPECT_THAT(text, HasSubstr("A[1,:,:]\n"));
  EXPECT_THAT(text, HasSubstr("... 1 more slices: t A --all\n"));
}

TEST(TensorView, HasNameShapeDtypeAxesAndStatistics) {
  TensorRecord tensor = matrix_record({2, 2}, {3, 0, 0, std::nan("")});
  tensor.axes = {"query", "key"};
  tensor.labels = {{"[CLS]", "num1"}, {}};
  const std::string text = text_of(draw_tensor(tensor, 80, {}, false));
  EXPECT_THAT(text, HasSubstr("  A [2,2]  f64  row = query, column = key\n"));
  EXPECT_THAT(text, HasSubstr("[CLS]"));
  EXPECT_THAT(text, HasSubstr("mean 1  std 1.414  min 0  max 3  norm 3  NaN 1  Inf 0  masked 0"));
}

TEST(TensorView, AGradientShowsItsCheckOrThatThereIsNone) {
  TensorRecord tensor = matrix_record({2}, {1, 2});
  tensor.gradient = true;
  EXPECT_THAT(text_of(draw_tensor(tensor, 80, {}, false)),
              HasSubstr("check not compared with a difference quotient in this step"));
  tensor.badge = {.compared = 1, .total = 2, .worst = 0};
  EXPECT_THAT(text_of(draw_tensor(tensor, 80, {}, false)), HasSubstr("entries 1/2"));
  EXPECT_THAT(text_of(draw_tensor(tensor, 80, {}, false)), HasSubstr("DIFFERS"));
}

}  // namespace
}  // namespace gradwalk::course
