#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "lessons/13_phases/snapshots.h"
#include "lessons/13_phases/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/course/pictures/heatmap.h"
#include "lessons/tasks/grammar.h"
#include "lessons/tasks/head_targets.h"
#include "lessons/tasks/language_model.h"
#include "tensor/create.h"
#include "tensor/layout.h"
#include "tensor/triangle.h"

namespace gradwalk::lesson_13 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

// What a model's heads did, scores as multiples of an even spread.
struct Model {
  double began, early, ended;  // start, after 0, 80 and all updates
  double marks;                // after 480
  double previous;             // after all
  double apart_later;          // how much further apart than after 160, bits
  Slowdown slow;
};

class Scores {
 public:
  explicit Scores(bool any) : any_(any) {}

  const HeadScores& of(const Snapshot& snapshot) const {
    return any_ ? snapshot.any_scores : snapshot.scores;
  }
  EvenScores even(std::uint64_t seed) const { return even_scores(seed, any_); }

  Model model(const std::vector<Snapshot>& snapshots, std::uint64_t seed) const {
    const EvenScores spread = even(seed);
    const Snapshot& end = snapshots.back();
    const auto start = [&](const Snapshot& snapshot) {
      return tasks::best_head(of(snapshot).start) / spread.start;
    };
    return {.began = start(snapshots.front()),
            .early = start(snapshot_at(snapshots, kEarly)),
            .ended = start(end),
            .marks = of(snapshot_at(snapshots, kMarks)).marks / spread.marks,
            .previous = of(end).previous / spread.previous,
            .apart_later = end.apart - snapshot_at(snapshots, kMiddle).apart,
            .slow = slowdown(snapshots)};
  }

 private:
  bool any_;
};

void show_model(Step& step, const std::vector<Snapshot>& snapshots, std::uint64_t seed,
                const Scores& scores) {
  const EvenScores even = scores.even(seed);
  auto table = step.table("model 0, best head", {"start", "marks", "word before", "apart, bits"});
  table.digits(3).row("even spread", {even.start, even.marks, even.previous, 0},
                      "what no preference gives");
  std::vector<double> x, start, marks, before;
  for (const Snapshot& snapshot : snapshots) {
    const HeadScores& now = scores.of(snapshot);
    x.push_back(static_cast<double>(snapshot.updates));
    start.push_back(tasks::best_head(now.start));
    marks.push_back(now.marks);
    before.push_back(now.previous);
    table.row(fmt::format("update {}", snapshot.updates),
              {start.back(), marks.back(), before.back(), snapshot.apart},
              snapshot.updates == 0 ? "start, apart: layer 2; else of both" : "");
  }
  step.picture(course::Curves("model 0: the best head's weight on its target", "updates"))
      .series("start", x, start)
      .series("marks", x, marks)
      .series("word before", x, before);
}

// The head of layer 2 that finds the start in the end, over the first words of the text.
void show_maps(Step& step, const std::vector<Snapshot>& snapshots, std::uint64_t seed) {
  constexpr std::int64_t kWords = 9;
  const std::vector<double>& ended = snapshots.back().scores.start;
  const auto head = std::max_element(ended.begin(), ended.end()) - ended.begin();
  const std::vector<std::int64_t>& text = tasks::test_text({}, seed);
  std::vector<std::string> words;
  for (std::size_t at = 0; at < kWords; ++at) words.emplace_back(tasks::grammar_word(text[at]));
  const Tensor hidden = triu(ones({kWords, kWords}, DType::kBool), 1);
  const auto show = [&](const std::string& name, const Snapshot& snapshot) {
    const Tensor map = select(select(snapshot.maps.back(), 0, 0), 0, head);
    step.tensor(name, slice(slice(map, 0, 0, kWords), 1, 0, kWords))
        .axes("query", "key")
        .rows(words)
        .columns(words)
        .masked(hidden)
        .explain(Explain::given(fmt::format(
            "layer 2, head {} after {} updates, read from the model", head, snapshot.updates)));
  };
  show("A_0", snapshots.front());
  show("A_160", snapshot_at(snapshots, kMiddle));
  show("A_end", snapshots.back());
  step.picture(course::Heatmap(
      fmt::format("model 0, layer 2, head {}: at the start, after 160 updates, at the end", head),
      {"A_0", "A_160", "A_end"}));
}

}  // namespace

void heads(Step& step) {
  const Scores scores(step.broken("any-word"));
  const TrainingRuns all = training_runs(step);
  step.formula("a head's score = mean over queries t of the weight on its target, t = 4 ... 31");
  step.formula("start: the sentence's first word, where the next word hangs on it (echo, mark)");
  step.formula("marks: all . ? ! so far      apart: mean divergence between two heads' maps");
  show_model(step, all.snapshots[0], all.seeds[0], scores);
  auto table = step.table("times an even spread (start: at 0, 80, the end; marks: at 480)",
                          {"at 0", "at 80", "end", "marks", "slower"});
  table.digits({2, 2, 2, 2, 1});
  std::vector<double> began, early, ended, marks, previous, apart, slower, alike;
  double future = 0;
  std::int64_t with_marks = 0;
  for (std::size_t i = 0; i < all.snapshots.size(); ++i) {
    const Model model = scores.model(all.snapshots[i], all.seeds[i]);
    table.row(fmt::format("model {}", i),
              {model.began, model.early, model.ended, model.marks, model.slow.last_fifth},
              i == 0 ? "slower: of step 1, last fifth" : "");
    began.push_back(model.began);
    early.push_back(model.early);
    ended.push_back(model.ended);
    marks.push_back(model.marks);
    previous.push_back(model.previous);
    apart.push_back(model.apart_later);
    slower.push_back(model.slow.last_fifth);
    alike.push_back(model.slow.like_for_like);
    with_marks += model.marks > 1.7 ? 1 : 0;
    for (const Snapshot& snapshot : all.snapshots[i]) future = std::max(future, snapshot.future);
  }
  const auto of = [](const std::vector<double>& values) { return course::spread_of(values); };
  table.row("mean",
            {of(began).mean, of(early).mean, of(ended).mean, of(marks).mean, of(slower).mean});
  step.predict("Which job does the best head do most clearly in the end, beside an even spread?",
               {"the word before", "marks", "the sentence's start"},
               of(ended).mean > std::max(of(marks).mean, of(previous).mean) ? 2
               : of(marks).mean > of(previous).mean                         ? 1
                                                                            : 0);
  step.number(
      "models with marks > 1.7", static_cast<double>(with_marks),
      fmt::format("of {}: no word hangs on an old mark, so some do without", all.seeds.size()));
  step.number("word before, end", of(previous).mean, "times an even spread, mean of the models", 2);
  step.number("apart, end less 160", of(apart).mean, "bits, mean: heads go on to separate", 3);
  step.number("weight on words to come", future, "all heads, all looks: the mask leaves none");
  show_maps(step, all.snapshots[0], all.seeds[0]);
  // The language forces the start upon every model; when it comes, and who looks at marks, is left
  // to chance, so that these are judged by the mean.
  const bool random_then_start =
      of(began).highest < 2 && of(early).mean < 2 && of(ended).lowest > 3;
  const bool phases =
      of(slower).lowest > 10 && random_then_start && of(marks).mean > 1.7 && of(apart).mean > 0;
  step.claim("B13", Evidence::kTensor, /*cases=*/static_cast<std::int64_t>(all.seeds.size()) * 48)
      .seeds(static_cast<int>(all.seeds.size()))
      .as_stated(phases)
      .right(phases && of(alike).lowest > 2 && future == 0)
      .value(of(ended).lowest)
      .expected(
          "every model: slower > 10, start < 2 at 0, > 3 at the end, to come 0; mean: start < 2 at "
          "80, marks > 1.7, apart grows")
      .tolerance("multiples of an even spread; the bounds are the claim's")
      .found(fmt::format("slower {:.1f}; start {:.1f}, {:.1f}, {:.1f}; marks {:.1f}; apart "
                         "{:+.2f}; to come {:.0f}",
                         of(slower).lowest, of(began).highest, of(early).mean, of(ended).lowest,
                         of(marks).mean, of(apart).mean, future));
  step.why(
      "Without the sentence's first word echo and mark are guesses: every model learns to find it. "
      "No word hangs on an old mark: not all models look there.");
  step.try_next(
      {"./gradwalk run 13 --claim=B13 --break=any-word", "./gradwalk run 13 --claim=B13 --seed=2"});
}

}  // namespace gradwalk::lesson_13
