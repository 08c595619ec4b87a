#include "lessons/course/pictures/pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "lessons/course/pictures/draw_matrix.h"

namespace gradwalk::course {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string text_of(const Lines& lines, const Display& display = {}) {
  return paint(lines, display);
}

TEST(Bars, GrowWithTheirNumbers) {
  const BarsRecord bars{"weights", {"right"}, {{"num1", {0.5}}, {"num2", {0.25}}}, -1};
  EXPECT_EQ(text_of(draw_bars(bars, 30, {}), {30, false, true}),
            "weights\n"
            "num1  0.50  ##################\n"
            "num2  0.25  #########\n");
}

TEST(Bars, GoLeftOfACommonZero) {
  const BarsRecord bars{"dz", {"ours", "article"}, {{"a", {-1, 1}}}, 1};
  EXPECT_EQ(text_of(draw_bars(bars, 40, {}), {40, false, true}),
            "dz\n"
            "a  ours     -1.0  ##########|\n"
            "   article   1.0            |##########\n");
}

TEST(Bars, ShowNothingForZeroAndNan) {
  const BarsRecord bars{"none", {"s"}, {{"a", {0}}, {"b", {std::nan("")}}}, 0};
  EXPECT_EQ(text_of(draw_bars(bars, 40, {})), "none\na    0\nb  nan\n");
}

TEST(Curves, NameEachCurveAtItsEnd) {
  const CurvesRecord curves{"c", "step", {{"up", {0, 1}, {0, 1}}, {"down", {0, 1}, {1, 0}}}};
  const std::string text = text_of(draw_curves(curves, 60, {60, false, true}), {60, false, true});
  EXPECT_THAT(text, HasSubstr("o o up\n"));
  EXPECT_THAT(text, HasSubstr("x x down\n"));
  EXPECT_THAT(text, HasSubstr("step"));
}

TEST(Curves, HaveALegendWhereNamesDoNotFit) {
  const std::string name(40, 'n');
  const CurvesRecord curves{"c", "step", {{name, {0, 1}, {0, 1}}}};
  EXPECT_THAT(text_of(draw_curves(curves, 60, {})), HasSubstr("c\n● " + name + "\n"));
}

TEST(Curves, DrawAZeroLineOnlyWhereTheyCrossIt) {
  const CurvesRecord across{"c", "x", {{"s", {0, 1, 2}, {-1, 1, -1}}}};
  const CurvesRecord above{"c", "x", {{"s", {0, 1, 2}, {1, 2, 1}}}};
  EXPECT_THAT(text_of(draw_curves(across, 60, {})), HasSubstr("┈┈┈"));
  EXPECT_THAT(text_of(draw_curves(above, 60, {})), Not(HasSubstr("┈")));
}

TEST(Curves, SurviveOnePointAndNan) {
  const CurvesRecord curves{"c", "x", {{"s", {0}, {3}}, {"n", {0, 1}, {std::nan(""), 2}}}};
  EXPECT_NO_THROW(draw_curves(curves, 60, {}));
  EXPECT_NO_THROW(draw_curves(CurvesRecord{"empty", "x", {}}, 60, {}));
}

TEST(Plane, UsesOneScaleForBothAxes) {
  // A square must be twice as many columns wide as rows high.
  const PlaneRecord plane{"p", "a", "b",
                          {},  {},  {{"box", {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}}}}};
  const Lines lines = draw_plane(plane, 70, {70, false, true});
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
  const PlaneRecord plane{"p",
                          "along",
                          "across",
                          {{"k_num1", 1, 0}, {"k_num2", 0.2, 0.9}},
                          {{"mean", -0.5, -0.5}},
                          {{"walk", {{0, 0}, {0.5, 0.2}}}}};
  const std::string text = text_of(draw_plane(plane, 68, {}));
  for (const char* name : {"k_num1", "k_num2", "mean", "walk", "across: along", "up: across"}) {
    EXPECT_THAT(text, HasSubstr(name));
  }
}

TEST(Plane, SurvivesASinglePoint) {
  EXPECT_NO_THROW(draw_plane(PlaneRecord{"p", "a", "b", {}, {{"o", 0, 0}}, {}}, 60, {}));
}

TEST(Scatter, PutsNamesAtTheirPlacesOnOneScale) {
  // A square is twice as many columns wide as rows high.
  const ScatterRecord square{
      "s", "a", "b", {{"A", 0, 0, 1}, {"B", 1, 0, 2}, {"C", 0, 1, 3}, {"D", 1, 1, 4}}, {}, {}};
  const std::string text = text_of(draw_scatter(square, 80, {}));
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
  const ScatterRecord crowd{
      "s",     "a",
      "b",     {{"3", 0, 0, 3}, {"4", 0, 0, 4}, {"11", 0.01, 0, 11}, {"15", 9, 0, 15}},
      "nouns", {{4, 0}}};
  const std::string text = text_of(draw_scatter(crowd, 80, {}));
  EXPECT_THAT(text, HasSubstr("3+2"));
  EXPECT_THAT(text, HasSubstr("15"));
  EXPECT_THAT(text, Not(HasSubstr("11\n")));
  EXPECT_THAT(text, HasSubstr("· nouns   3+2: 3 and two more"));
  EXPECT_THAT(text_of(draw_scatter(crowd, 80, {80, false, true}), {80, false, true}),
              Not(HasSubstr("·")));
}

TEST(Scatter, ColoursByValue) {
  const ScatterRecord two{"s", "a", "b", {{"0", 0, 0, 0}, {"7", 1, 0, 7}}, {}, {}};
  const std::string text = text_of(draw_scatter(two, 60, {60, true, false}), {60, true, false});
  EXPECT_THAT(text, HasSubstr(";48;5;17m"));
  EXPECT_THAT(text, HasSubstr(";48;5;227m"));
}

TEST(Scatter, FitsAndSurvivesOddPoints) {
  const double nan = std::nan("");
  const ScatterRecord odd{
      "s", "a", "b", {{"long", 0, 0, 0}, {"x", nan, 0, 0}, {"end", 100, 1, 1}}, "o", {{nan, 0}}};
  for (const int width : {60, 80, 120}) {
    for (const Line& line : draw_scatter(odd, width, {})) EXPECT_LE(line.width(), width);
  }
  EXPECT_NO_THROW(draw_scatter(ScatterRecord{"s", "a", "b", {}, {}, {}}, 60, {}));
  EXPECT_NO_THROW(draw_scatter(ScatterRecord{"s", "a", "b", {{"o", 1, 1, 1}}, {}, {}}, 60, {}));
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
