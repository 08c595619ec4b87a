#include "lessons/15_repetition/writers.h"

#include <cmath>
#include <tuple>

#include "lessons/course/engine/memo.h"
#include "lessons/tasks/grammar.h"
#include "lessons/tasks/write_texts.h"
#include "nn/diagnostics/entropy.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/join.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"
#include "tensor/softmax.h"

namespace gradwalk::lesson_15 {
namespace {

constexpr std::int64_t kRows = 8;  // that are read of each window: every word has one
static_assert(kWords % kRows == 0);

// In float64, as all means of them.
Tensor last_rows(const Tensor& x, int axis) {
  return to(slice(x, axis, -kRows, x.shape()[axis]), DType::kFloat64);
}

Tensor pieces(const Writer& writer, const char* stream, std::int64_t texts, std::int64_t words) {
  Generator places(writer.seed, stream);
  return nn::draw_batch(tasks::test_text(options_of(writer), writer.seed), texts, words, places)
      .inputs;
}

}  // namespace

tasks::LanguageModelOptions options_of(const Writer& writer) {
  tasks::LanguageModelOptions options;
  options.steps = writer.updates;
  options.attention = !writer.last_word_only;
  options.positions = !writer.last_word_only;
  return options;
}

std::unique_ptr<nn::CausalLm> model_of(const Writer& writer, const WriterProgress& progress) {
  tasks::LanguageModelOptions options = options_of(writer);
  auto trained = tasks::trained_language_model(options, writer.seed, progress).model;
  if (writer.attention_temperature == 1) return trained;
  const double head_dim = static_cast<double>(options.d_model / options.heads);
  options.scale = 1 / (std::sqrt(head_dim) * writer.attention_temperature);
  auto changed = tasks::new_language_model(options, writer.seed);
  changed->load_state_dict(trained->state_dict());
  return changed;
}

Tensor prompts_of(const Writer& writer, std::int64_t texts) {
  return pieces(writer, "repetition.prompts", texts, kPrompt);
}

Tensor real_texts(const Writer& writer, std::int64_t texts) {
  return pieces(writer, "repetition.real texts", texts, kWords);
}

const Tensor& texts_of(const Writer& writer, std::int64_t texts, double temperature) {
  static course::Memo<std::tuple<Writer, std::int64_t, double>, Tensor> memo;
  return memo({writer, texts, temperature}, [&] {
    Generator draws(writer.seed, "repetition.draws");
    return tasks::write_texts(*model_of(writer), prompts_of(writer, texts), kWords, temperature,
                              draws);
  });
}

std::vector<std::int64_t> next_words(const Writer& writer) {
  const NoGrad no_grad;
  const Tensor words = unsqueeze(arange(0, tasks::kGrammarWords), 1);  // [40, 1]
  const Tensor logits = select((*model_of(writer))(words).value(), 1, 0);
  std::vector<std::int64_t> next;
  for (const double id : argmax(logits, /*axis=*/-1).to_vector()) {
    next.push_back(static_cast<std::int64_t>(id));
  }
  return next;
}

bool follows(const Tensor& texts, const Tensor& prompts, const std::vector<std::int64_t>& next) {
  for (std::int64_t text = 0; text < texts.shape()[0]; ++text) {
    double word = prompts.at({text, -1 + prompts.shape()[1]});
    for (std::int64_t at = 0; at < texts.shape()[1]; ++at) {
      const auto predicted = static_cast<double>(next[static_cast<std::size_t>(word)]);
      word = texts.at({text, at});
      if (word != predicted) return false;
    }
  }
  return true;
}

WritingEntropy writing_entropy(const Writer& writer, std::int64_t texts, double temperature) {
  const NoGrad no_grad;
  const auto model = model_of(writer);
  const std::int64_t context = options_of(writer).context;
  const Tensor all = concat({prompts_of(writer, texts), texts_of(writer, texts, temperature)},
                            /*axis=*/1);
  Tensor attention = zeros({texts}, DType::kFloat64), next_word = attention;
  for (std::int64_t end = kPrompt + kRows - 1; end < kPrompt + kWords; end += kRows) {
    std::vector<nn::AttentionTrace> traces;
    const Tensor seen = slice(all, 1, std::max<std::int64_t>(0, end - context), end);
    const Tensor logits = last_rows((*model)(seen, {.traces = &traces}).value(), 1);
    for (const nn::AttentionTrace& trace : traces) {
      const Tensor rows = nn::entropy(last_rows(trace.weights.value(), 2));  // [N, H, kRows]
      attention = attention + mean(rows, {1, 2}) / static_cast<double>(traces.size());
    }
    if (temperature == 0) continue;  // nothing is drawn
    next_word = next_word + mean(nn::entropy(softmax(logits / temperature, /*axis=*/-1)), 1);
  }
  const double windows = static_cast<double>(kWords / kRows);
  return {(attention / windows).to_vector(), (next_word / windows).to_vector()};
}

}  // namespace gradwalk::lesson_15
