#include "lessons/20_diagnosing/cls_encoder_checkpoint.h"

#include <variant>

#include "lessons/tasks/numbers/cls_checkpoint.h"
#include "nn/checkpoint/save_model.h"
#include "tensor/random.h"

namespace gradwalk::lesson_20 {

void save_cls_encoder(ClsEncoder& model, std::uint64_t seed, const std::filesystem::path& folder) {
  nn::Encoder& encoder = model.encoder();
  nn::save_encoder(encoder.options(), encoder.state_dict(), folder);
  const NoGrad guard;
  Generator generator(seed, "save_cls_encoder");
  const Tensor ids = draw_texts(tasks::kCheckpointTexts, model.options(), generator).ids;
  tasks::save_expected(ids, nn::cls(encoder(ids)).value(), folder);
  if (const auto* task = std::get_if<tasks::NumberTask>(&model.options().task)) {
    tasks::save_classes(*task, folder);
  }
}

}  // namespace gradwalk::lesson_20
