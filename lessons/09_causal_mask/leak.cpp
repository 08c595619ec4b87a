#include "lessons/09_causal_mask/leak.h"

#include <algorithm>

#include "lessons/tasks/language_model.h"
#include "lessons/tasks/write_texts.h"
#include "tensor/cross_entropy.h"
#include "tensor/join.h"
#include "tensor/layout.h"

namespace gradwalk::lesson_09 {
namespace {

constexpr std::int64_t kTextWords = 64, kPromptWords = 8, kShown = 14;

double share(std::int64_t part, std::int64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace

Tensor stepwise_logits(nn::CausalLm& model, const Tensor& text) {
  std::vector<Tensor> rows;
  for (std::int64_t length = 1; length <= text.numel(); ++length) {
    const Tensor logits = tasks::logits_at_once(model, slice(text, 0, 0, length));
    rows.push_back(slice(logits, 0, length - 1, length));
  }
  return concat(rows, /*axis=*/0);
}

std::vector<double> prefix_losses(nn::CausalLm& model, const std::vector<std::int64_t>& text,
                                  std::int64_t first, std::int64_t last, std::int64_t windows) {
  const NoGrad no_grad;
  const nn::TokenBatch batch = tasks::text_windows(text, last, windows);
  std::vector<double> losses;
  for (std::int64_t length = first; length <= last; ++length) {
    const Tensor logits = model(slice(batch.inputs, 1, 0, length)).value();
    const Tensor targets = select(batch.targets, 1, length - 1);
    losses.push_back(cross_entropy(select(logits, 1, length - 1), targets).item());
  }
  return losses;
}

double WrittenTexts::legal_sentences() const {
  return share(score.legal_sentences, score.sentences);
}

double WrittenTexts::legal_pairs() const { return share(score.legal_pairs, score.pairs); }

WrittenTexts written_texts(nn::CausalLm& model, const std::vector<std::int64_t>& prompts,
                           std::int64_t texts, Generator generator) {
  const Tensor first = tasks::text_windows(prompts, kPromptWords, texts).inputs;
  const Tensor words = tasks::write_texts(model, first, kTextWords, /*temperature=*/1, generator);
  WrittenTexts written;
  for (std::int64_t text = 0; text < texts; ++text) {
    const Tensor row = contiguous(select(words, 0, text));
    const std::span<const std::int64_t> ids(row.data<std::int64_t>(), kTextWords);
    const tasks::GrammarScore one = score_behind_first_mark(ids);
    written.score.sentences += one.sentences;
    written.score.legal_sentences += one.legal_sentences;
    written.score.pairs += one.pairs;
    written.score.legal_pairs += one.legal_pairs;
    if (text == 0) written.first = tasks::grammar_text(ids.first(kShown));
  }
  return written;
}

tasks::GrammarScore score_behind_first_mark(std::span<const std::int64_t> ids) {
  const auto mark = std::find_if(ids.begin(), ids.end(), [](std::int64_t id) {
    return tasks::grammar_kind(id) == tasks::GrammarKind::kMark;
  });
  if (mark == ids.end()) return {};
  return tasks::score_grammar(ids.subspan(static_cast<std::size_t>(mark - ids.begin()) + 1));
}

}  // namespace gradwalk::lesson_09
