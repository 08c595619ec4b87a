#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "lessons/20_diagnosing/digit_task.h"
#include "lessons/tasks/numbers/task.h"
#include "nn/encoder.h"
#include "nn/linear.h"

/// An encoder of several layers on the number task: in which layer, and by which heads, does [CLS]
/// look at the numbers?
namespace gradwalk::lesson_20 {

struct ClsEncoderOptions {
  std::variant<tasks::NumberTask, DigitTask> task = tasks::NumberTask{};
  std::int64_t layers = 2;
  std::int64_t d_model = 32;
  std::int64_t heads = 4;

  int updates = 400;
  std::int64_t batch = 64;
  double lr = 3e-3;  ///< of Adam

  auto operator<=>(const ClsEncoderOptions&) const = default;
};

/// logits = C cls(encoder(ids)) + b
///
/// The encoder is an nn::Encoder with a learned table of positions; norms, before attention and
/// feed-forward and at the end, without parameters; hidden width 2 d_model with GELU. Tables begin
/// as N(0, 0.3^2), weights as N(0, 1/in).
///
/// Parameters: `encoder.*`, `readout.weight`, `readout.bias`.
class ClsEncoder : public nn::Module {
 public:
  ClsEncoder(const ClsEncoderOptions& options, const nn::Seed& seed);

  /// ids int64 [B, T] to logits [B, classes]. @throws as nn::Encoder
  Variable operator()(const Tensor& ids, const nn::EncoderContext& context = {});

  nn::Encoder& encoder() { return encoder_; }
  const ClsEncoderOptions& options() const { return options_; }

 private:
  ClsEncoderOptions options_;
  nn::Encoder encoder_;
  nn::Linear readout_;
};

/// Texts of the options' task. @throws as draw_numbers and draw_digits
tasks::NumberBatch draw_texts(std::int64_t batch, const ClsEncoderOptions& options,
                              Generator& generator);

/// Trained on fresh texts, once a process for its options and seed; the caller's own, to change as
/// he likes. Seeds as for trained_number_model.
/// @param progress  is told how many updates are done
std::unique_ptr<ClsEncoder> trained_cls_encoder(const ClsEncoderOptions& options,
                                                std::uint64_t seed,
                                                const std::function<void(int)>& progress = {});

/// What [CLS] does with one head.
struct EncoderHead {
  std::int64_t layer;  ///< from 0
  std::int64_t head;
  double on_answer;  ///< mean weight on the tokens that hold the answer
  double ratio;      ///< mean weight on a number relative to that on a noun
  double gap;        ///< mean cosine of query and key, numbers - nouns, over all texts
  double rho;        ///< Spearman of the logits of all numbers of all texts and their ranks
};

struct EncoderScore {
  double accuracy;
  std::vector<EncoderHead> heads;  ///< layer by layer
};
/// @note  With digits there are no nouns: ratio and gap are NaN; the rank of a digit is that of its
///        item
EncoderScore encoder_score(ClsEncoder& model, const tasks::NumberBatch& texts);

}  // namespace gradwalk::lesson_20
