#include "lessons/tasks/numbers/key_scatter.h"

#include <gtest/gtest.h>

#include <variant>

#include "lessons/course/engine/lesson.h"
#include "lessons/course/pictures/scatter.h"
#include "tensor/create.h"

namespace gradwalk::tasks {
namespace {

TEST(DrawKeys, PlacesNumbersByTheirAxesAndColoursThemByRank) {
  NumberTask task;
  task.numbers = 3;
  task.nouns = 2;
  task.order = smallest_first_order(3);
  // [CLS], which must not count, then five points on the line (t, 2t) with t = -2, -1, 0, 1, 2.
  const Tensor keys =
      matrix({{90, -90}, {-2, -4}, {-1, -2}, {0, 0}, {1, 2}, {2, 4}}, DType::kFloat64);
  const course::Lesson lesson(7, "fake", "Fake");
  const course::Settings settings;
  course::StepRecord record;
  course::Step step(lesson, settings, &record);
  draw_keys(step, "keys", keys, task);
  ASSERT_EQ(record.pictures.size(), 1U);
  const auto& scatter = dynamic_cast<const course::Scatter&>(*record.pictures[0]);
  EXPECT_EQ(scatter.caption, "keys (100 % of the variance)");
  ASSERT_EQ(scatter.points.size(), 3U);
  EXPECT_EQ(scatter.points[0].name, "0");
  EXPECT_EQ(scatter.points[0].value, 2) << "the smallest ranks highest";
  EXPECT_NEAR(scatter.points[0].x, -4.47213595499958, 1e-12);  // -2 sqrt(5)
  EXPECT_NEAR(scatter.points[0].y, 0, 1e-12);
  EXPECT_NEAR(scatter.points[2].x, 0, 1e-12);
  EXPECT_EQ(scatter.others_name, "nouns");
  ASSERT_EQ(scatter.other_points.size(), 2U);
  EXPECT_NEAR(scatter.other_points[1].first, 4.47213595499958, 1e-12);
}

TEST(DrawKeys, NamesTheNounsWhereTheyAreAskedFor) {
  NumberTask task;
  task.question = NumberQuestion::kNounMax;
  task.numbers = 3;
  task.nouns = 2;
  const Tensor keys = matrix({{9, 9}, {0, 1}, {1, 0}, {2, 0}, {-3, 0}, {3, 0}}, DType::kFloat64);
  const course::Lesson lesson(7, "fake", "Fake");
  const course::Settings settings;
  course::StepRecord record;
  course::Step step(lesson, settings, &record);
  draw_keys(step, "keys", keys, task);
  const auto& scatter = dynamic_cast<const course::Scatter&>(*record.pictures.at(0));
  ASSERT_EQ(scatter.points.size(), 2U);
  EXPECT_EQ(scatter.points[1].name, "1");
  EXPECT_EQ(scatter.points[1].value, 1);
  EXPECT_NEAR(scatter.points[1].x - scatter.points[0].x, 6, 0.1);
  EXPECT_EQ(scatter.others_name, "numbers");
  EXPECT_EQ(scatter.other_points.size(), 3U);
}

}  // namespace
}  // namespace gradwalk::tasks
