#include "lessons/tasks/query_key_gain.h"

#include "tensor/inplace.h"

namespace gradwalk::tasks {

void multiply_query_key(const nn::Module& model, double gain) {
  for (const auto& [name, weight] : model.state_dict()) {
    if (name.ends_with("q_proj.weight") || name.ends_with("k_proj.weight")) mul_into(weight, gain);
  }
}

}  // namespace gradwalk::tasks
