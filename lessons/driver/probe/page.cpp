#include "lessons/driver/probe/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lessons/course/engine/record.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/course/text/shell_word.h"
#include "lessons/course/text/text_table.h"
#include "lessons/driver/probe/bands.h"

namespace gradwalk::probe {
namespace {

using course::Line;
using course::Lines;
using course::TextCell;
using course::TextColumn;

constexpr int kLabel = 10;

// A label at the left and a text that wraps behind it.
void put(Lines& lines, const std::string& label, const std::string& text, int width) {
  bool first = true;
  for (const std::string& part : course::wrap(text, width - kLabel)) {
    Line line(course::pad_right(first ? label : "", kLabel), course::styles::kLabel);
    lines.push_back(line.add(part));
    first = false;
  }
}

void put_table(Lines& lines, const std::vector<TextColumn>& columns,
               const std::vector<std::vector<TextCell>>& rows, int width) {
  for (Line& line : course::draw_text_table(columns, rows, width)) lines.push_back(std::move(line));
}

std::string fixed(double value, int digits = 2) {
  constexpr double kLarge = 1e4;
  if (std::isnan(value)) return "-";
  return std::abs(value) < kLarge ? fmt::format("{:.{}f}", value, digits)
                                  : fmt::format("{:.2g}", value);
}
std::string short_number(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.2g}", value);
}

// "0.41 @@@@......"
std::string with_bar(double share) {
  if (std::isnan(share)) return "-";
  constexpr int kMost = 10;
  const int full = std::clamp(static_cast<int>(std::lround(kMost * share)), 0, kMost);
  return fmt::format("{:.2f} {}{}", share, std::string(static_cast<std::size_t>(full), '@'),
                     std::string(static_cast<std::size_t>(kMost - full), '.'));
}

std::string words_of(const std::vector<Flag>& flags) {
  std::vector<std::string> words;
  for (const Flag flag : flags) words.emplace_back(word(flag));
  return fmt::format("{}", fmt::join(words, ", "));
}

// A tensor without a place is an error, so what is left is known.
std::string use_text(const Reading& reading) {
  if (reading.taken == reading.numbers) return "every number has its place";
  return fmt::format(
      "{} numbers have their place; the others are buffers, or parts of no use here, "
      "that the layout knows",
      reading.taken);
}

TextCell flag_cell(const std::vector<Flag>& flags) {
  return {words_of(flags), course::styles::kWarn};
}

void put_meanings(Lines& lines, const std::set<Flag>& flags, int width) {
  if (flags.empty()) return;
  lines.emplace_back();
  for (const Flag flag : flags) {
    put(lines, "flag",
        fmt::format("{}: {}; {}", word(flag), meaning(flag),
                    course::launcher_command(fmt::format("run {}", lesson_of(flag)))),
        width);
  }
}

void put_heads(Lines& lines, const Checkpoint& model, const Measures& measures,
               std::set<Flag>& flags, int width) {
  std::vector<std::vector<TextCell>> rows;
  for (const HeadMeasures& head : measures.heads) {
    const std::vector<Flag> own = flags_of(head);
    flags.insert(own.begin(), own.end());
    rows.push_back({{fmt::format("{}", head.layer), {}},
                    {fmt::format("{}", head.head), {}},
                    {with_bar(head.entropy), {}},
                    {std::isnan(head.top_weight) ? "-" : fmt::format("{}", head.top_key), {}},
                    {fixed(head.top_weight), {}},
                    {fixed(head.top_use), {}},
                    {short_number(head.influence), {}},
                    flag_cell(own)});
  }
  put_table(lines,
            {{"layer", false},
             {"head", false},
             {"entropy", false},
             {"top place", false},
             {"weight", false},
             {"adds", false},
             {"without", false},
             {"flag", true}},
            rows, width);
  put(lines, "entropy", "of a token's weights, 1: even over all keys it sees, 0: on one key",
      width);
  put(lines, "top place",
      "the place in a text, from 0, that gets most weight from the tokens with a choice, in the "
      "texts that have it; adds: its share in what all places add, weight times |v W_O|",
      width);
  put(lines, "without",
      model.is_causal() ? "how far the next token's probabilities move when the head is left out, "
                          "Kullback-Leibler, nats"
                        : "1 - cosine of [CLS] at the end, with and without the head",
      width);
}

void put_classes(Lines& lines, const Measures& measures, const std::vector<TokenClass>& classes,
                 const std::string& who, int width) {
  std::vector<std::vector<TextCell>> rows;
  int texts = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    for (const HeadMeasures& head : measures.heads) {
      const ClassMatch& match = head.classes[i];
      texts = std::max(texts, match.gap.count());
      const double gap = match.gap.value();
      rows.push_back(
          {{classes[i].label, {}},
           {fmt::format("{}", head.layer), {}},
           {fmt::format("{}", head.head), {}},
           {std::isnan(gap) ? "-" : fmt::format("{:+.2f}", gap), {}},
           {std::isnan(gap) ? "-"
                            : fmt::format("{:.1f}/{:.1f}", match.rank.value(), match.keys.value()),
            {}},
           {fixed(match.weight.value()), {}},
           {fixed(match.cosine.value()), {}},
           {fixed(match.others_cosine.value()), {}}});
    }
  }
  lines.emplace_back();
  put_table(lines,
            {{"class", true},
             {"layer", false},
             {"head", false},
             {"score", false},
             {"rank", false},
             {"weight", false},
             {"cosine", false},
             {"others", false}},
            rows, width);
  put(lines, "score",
      fmt::format("of {}: mean over the class' keys less that over all others, in standard "
                  "deviations of the scores; rank: of the class' best key among all; in {} text{}",
                  who, texts, texts == 1 ? "" : "s"),
      width);
  put(lines, "cosine",
      "of its query with the class' mean key; others: with the mean of all other keys, the control",
      width);
}

void put_layers(Lines& lines, const Measures& measures, std::set<Flag>& flags, int width) {
  std::vector<std::vector<TextCell>> rows;
  for (std::size_t i = 0; i < measures.layers.size(); ++i) {
    const LayerMeasures& layer = measures.layers[i];
    const std::vector<Flag> own = flags_of(layer);
    flags.insert(own.begin(), own.end());
    const bool several = !std::isnan(layer.divergence);
    rows.push_back({{fmt::format("{}", i), {}},
                    {fixed(layer.query_scale), {}},
                    {fixed(layer.key_scale), {}},
                    {short_number(layer.score_variance), {}},
                    {fixed(layer.divergence), {}},
                    {several ? fmt::format("{:.2f} ({},{})", layer.least_divergence, layer.twin_a,
                                           layer.twin_b)
                             : "-",
                     {}},
                    {fixed(layer.cosine), {}},
                    {fmt::format("{} of {:.0f}", fixed(layer.effective_rank, 1), layer.rank), {}},
                    flag_cell(own)});
  }
  lines.emplace_back();
  put_table(lines,
            {{"layer", false},
             {"W_Q", false},
             {"W_K", false},
             {"Var(s)", false},
             {"JS", false},
             {"least JS", true},
             {"tokens", false},
             {"rank", false},
             {"flag", true}},
            rows, width);
  put(lines, "W_Q, W_K", "standard deviation times sqrt(d_in): 1 keeps the variance", width);
  put(lines, "Var(s)", "of the scaled scores that are seen, nats^2", width);
  put(lines, "JS",
      "how differently two heads look, mean over pairs, 0 to 1; least: of the two most alike "
      "(which)",
      width);
  put(lines, "tokens",
      "mean cosine of two tokens after the layer, of the first 256; rank: over how many directions "
      "they spread",
      width);
}

// Heads in the order of how much their cosine with a class changes.
struct Turn {
  std::size_t layer, head;
  double change;
};

std::vector<Turn> turns_of(const std::vector<Aligned>& checkpoints, std::size_t wanted) {
  std::vector<Turn> turns;
  const auto& first = checkpoints.front().matches;
  const auto& last = checkpoints.back().matches;
  for (std::size_t layer = 0; layer < last.size(); ++layer) {
    for (std::size_t head = 0; head < last[layer].size(); ++head) {
      const double change =
          last[layer][head][wanted].cosine.value() - first[layer][head][wanted].cosine.value();
      if (!std::isnan(change)) turns.push_back({layer, head, std::abs(change)});
    }
  }
  std::stable_sort(turns.begin(), turns.end(),
                   [](const Turn& a, const Turn& b) { return a.change > b.change; });
  return turns;
}

}  // namespace

Lines draw_reading(const Reading& reading, int width) {
  Lines lines;
  put(lines, "read", fmt::format("{}   {}", reading.weights.string(), reading.contents), width);
  put(lines, "layout",
      fmt::format("{}, by {}; {}", reading.layout, reading.settings, use_text(reading)), width);
  for (const StoredWeight& weight : reading.projections) {
    put(lines, "",
        fmt::format("{}  {}  {} = {}", weight.role, weight.name, weight.place,
                    weight.transposed ? "in x out" : "out x in"),
        width);
  }
  put(lines, "heads", reading.heads, width);
  put(lines, "places", reading.positions, width);
  put(lines, "mask", reading.mask, width);
  put(lines, "inside", reading.inside, width);
  return lines;
}

Lines draw_comparison(const std::optional<Comparison>& comparison, const std::string& name,
                      int width) {
  Lines lines;
  put(lines, "check",
      comparison ? fmt::format("{}: largest difference {:.2g} over {} numbers up to {:.3g}", name,
                               comparison->largest, comparison->numbers, comparison->size)
                 : "not compared with the source model; --expect=FILE does",
      width);
  return lines;
}

Lines draw_weights(const std::vector<LayerMeasures>& layers, int width) {
  Lines lines;
  std::set<Flag> flags;
  std::vector<std::vector<TextCell>> rows;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::vector<Flag> own = flags_of_weights(layers[i]);
    flags.insert(own.begin(), own.end());
    rows.push_back({{fmt::format("{}", i), {}},
                    {fixed(layers[i].query_scale), {}},
                    {fixed(layers[i].key_scale), {}},
                    flag_cell(own)});
  }
  lines.emplace_back();
  put_table(lines, {{"layer", false}, {"W_Q", false}, {"W_K", false}, {"flag", true}}, rows, width);
  put(lines, "W_Q, W_K", "standard deviation times sqrt(d_in): 1 keeps the variance", width);
  put(lines, "", "entropy, use of values, twins, collapse and scores need --tokens", width);
  put_meanings(lines, flags, width);
  return lines;
}

Lines draw_measures(const Checkpoint& model, const Measures& measures,
                    const std::vector<TokenClass>& classes, int width) {
  Lines lines;
  std::set<Flag> flags;
  lines.emplace_back();
  put_heads(lines, model, measures, flags, width);
  if (!classes.empty()) {
    put_classes(lines, measures, classes,
                model.is_causal() ? "the last token" : "the first token, [CLS]", width);
  }
  put_layers(lines, measures, flags, width);
  put_meanings(lines, flags, width);
  return lines;
}

Lines draw_alignment(const std::vector<Aligned>& checkpoints,
                     const std::vector<TokenClass>& classes, const course::Display& display) {
  constexpr std::size_t kMostHeads = 4;
  Lines lines;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    std::vector<Turn> turns = turns_of(checkpoints, i);
    if (turns.size() > kMostHeads) turns.resize(kMostHeads);
    lines.emplace_back();
    if (turns.empty()) {
      put(lines, "class",
          fmt::format("{}: no text has a token of it and another", classes[i].label),
          display.width);
      continue;
    }
    std::vector<TextColumn> columns = {{"checkpoint", true}};
    course::Curves curves(
        fmt::format("cosine of the query and the mean key of {}", classes[i].label), "checkpoint");
    for (const Turn& turn : turns) {
      const std::string head = fmt::format("{}.{}", turn.layer, turn.head);
      columns.push_back({head, false});
      columns.push_back({"others", false});
      curves.series("head " + head, {}, {});
    }
    std::vector<std::vector<TextCell>> rows;
    for (std::size_t at = 0; at < checkpoints.size(); ++at) {
      rows.push_back({{checkpoints[at].name, {}}});
      for (std::size_t head = 0; head < turns.size(); ++head) {
        const ClassMatch& match = checkpoints[at].matches[turns[head].layer][turns[head].head][i];
        rows.back().push_back({fixed(match.cosine.value()), {}});
        rows.back().push_back({fixed(match.others_cosine.value()), {}});
        curves.curves[head].x.push_back(static_cast<double>(at));
        curves.curves[head].y.push_back(match.cosine.value());
      }
    }
    put(lines, "class",
        fmt::format(
            "{}: cosine of the query and the class' mean key, layer.head, those that change "
            "most; others: the mean of all other keys, the control",
            classes[i].label),
        display.width);
    put_table(lines, columns, rows, display.width);
    lines.emplace_back();
    for (Line& line : curves.draw(course::StepRecord(), display.width, display)) {
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

}  // namespace gradwalk::probe
