#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "lessons/08_long_range/pairs.h"
#include "lessons/08_long_range/reach.h"
#include "lessons/08_long_range/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/curves.h"

namespace gradwalk::lesson_08 {
namespace {

using course::Evidence;
using course::Step;

}  // namespace

void all_pairs(Step& step) {
  constexpr std::int64_t kWidth = 64, kWindow = 64, kQueries = 64, kScanned = 256;
  const std::int64_t window = step.broken("window") ? kWindow : 0;
  const std::int64_t longest = step.whole("longest");
  step.formula("scan: for each query i, for each key j: s_ij = q_i.k_j / sqrt(d)");
  step.formula("at once: S = Q K^T / sqrt(d) [n, n], answers = softmax(S) V");
  step.formula("both: n d multiply-adds for the scores of a query, n d for its answer");
  step.formula("all n queries: 2 d n^2; 64 queries of another text: 2 d 64 n");
  step.formula("an RNN: W x and U h, 2 d^2 a word, one word after the other");
  std::vector<double> log_n, log_ms, log_rnn_ms;
  auto scanned = step.table("pair by pair beside at once: million multiply-adds and ms (d = 64)",
                            {"scan", "at once", "scan ms", "at once ms", "ratio"});
  auto counts = step.table("million multiply-adds for n words, counted as they run",
                           {"at once", "64 queries", "RNN", "at once ms", "RNN ms"});
  bool quadruples = true, doubles = true, fewer = false;
  double off = 0, before = 0, before_other = 0, growth = 0, speedup = 0;
  std::int64_t cases = 0;
  for (std::int64_t n = 64; n <= longest; n *= 2, ++cases) {
    step.progress("measure", n, 2 * longest);
    const auto label = fmt::format("n = {}", n);
    const Heads heads = draw_heads(n, n, kWidth, step.seed());
    const Heads other = draw_heads(kQueries, n, kWidth, step.seed());
    const auto count = static_cast<double>(count_at_once(heads, window));
    const auto other_count = static_cast<double>(count_at_once(other, window));
    const auto rnn_count = static_cast<double>(count_rnn(n, kWidth, step.seed()));
    const double ms = time_at_once(heads, window);
    const double rnn_ms = time_rnn(n, kWidth, step.seed());
    counts.digits({2, 2, 2, 3, 3})
        .row(label, {count / 1e6, other_count / 1e6, rnn_count / 1e6, ms, rnn_ms});
    log_n.push_back(std::log2(static_cast<double>(n)));
    log_ms.push_back(std::log10(ms));
    log_rnn_ms.push_back(std::log10(rnn_ms));
    if (n > 64) {
      growth = count / before;
      quadruples = quadruples && growth == 4;
      doubles = doubles && other_count == 2 * before_other;
    }
    before = count;
    before_other = other_count;
    if (n > kScanned) continue;
    const Scan by_hand = scan(heads);
    const auto scan_count = static_cast<double>(by_hand.multiply_adds);
    const double scan_ms = time_scan(heads);
    off = std::max(off, course::distance(at_once(heads, window), by_hand.answers));
    fewer = count < scan_count;
    speedup = scan_ms / ms;
    scanned.digits({2, 2, 2, 3, 1})
        .row(label, {scan_count / 1e6, count / 1e6, scan_ms, ms, speedup});
  }
  step.predict("n doubles. What happens to the multiply-adds of all pairs at once?",
               {"they stay", "they double", "4 times as many"},
               growth > 3     ? 2
               : growth > 1.5 ? 1
                              : 0);
  // Below 512 what a call costs beside its products is seen.
  std::vector<double> x, y;
  for (std::size_t i = 0; i < log_n.size(); ++i) {
    if (log_n[i] < 9) continue;
    x.push_back(log_n[i] * std::log10(2.0));
    y.push_back(log_ms[i]);
  }
  if (x.size() > 1) {
    const double slope = slope_of(x, y);
    const bool met = slope >= 1.7 && slope <= 2.4;
    step.number("slope of log ms in log n, from 512", slope,
                fmt::format("clock, 1.7 to 2.4 expected: {}", met ? "met" : "missed"), 2);
  }
  step.picture(
          course::Curves("log10 of the ms for n words (0 is 1 ms)", "log2 n: 10 is 1024 words"))
      .series("at once", log_n, log_ms)
      .series("RNN", log_n, log_rnn_ms);
  step.claim("B3", Evidence::kCounted, cases)
      .as_stated(fewer)
      .right(quadruples && doubles && !fewer && off < 1e-5)
      .value(growth)
      .expected("4 times for 2 n, 2 times for twice the keys; as many as the scan, same answers")
      .tolerance("counts exact; answers 1e-5: float32, weights that sum to 1")
      .found(fmt::format("{:.3g} times for 2 n; {} than the scan, {:.1g} apart", growth,
                         fewer ? "fewer" : "not fewer", off));
  step.why(
      "One product makes the pairs independent, so hardware does many together; it leaves out no "
      "pair, and there are n^2 of them.");
  step.try_next({"./gradwalk run 8 --claim=B3 --break=window",
                 "./gradwalk run 8 --claim=B3 --set=longest=512"});
}

}  // namespace gradwalk::lesson_08
