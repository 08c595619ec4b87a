#include <cmath>

#include "bench/peers/torch_ops.h"
#include "bench/peers/torch_tensors.h"

namespace gradwalk::bench {
namespace {

// The model of bench/decode.h in eager libtorch: keys and values go into buffers that were made
// before, and the sines of all positions are at hand.
class TorchDecoding {
 public:
  explicit TorchDecoding(const DecodeCall& call)
      : config_(call.config), head_dim_(config_.d_model / config_.num_heads) {
    const torch::InferenceMode inference;
    const std::vector<Variable> parameters = call.model->parameters();
    std::size_t at = 0;
    const auto take = [&] { return to_torch(parameters[at++].value()).clone(); };
    table_ = take();
    const std::int64_t positions = kDecodeStart + kDecodeTokens;
    for (std::int64_t i = 0; i < config_.num_layers; ++i) {
      Layer layer;
      for (at::Tensor& weight : layer.weights) weight = take();
      layer.keys = torch::zeros({config_.num_kv_heads, positions, head_dim_});
      layer.values = torch::zeros_like(layer.keys);
      layers_.push_back(layer);
    }
    norm_ = take();
    const at::Tensor speeds =
        torch::pow(RopeOptions{}.base, torch::arange(0, head_dim_, 2, torch::kDouble) /
                                           -static_cast<double>(head_dim_));
    const at::Tensor angles = torch::outer(torch::arange(positions, torch::kDouble), speeds);
    cosines_ = angles.cos().to(torch::kFloat);
    sines_ = angles.sin().to(torch::kFloat);
    const auto* ids = call.ids.data<std::int64_t>();
    ids_.assign(ids, ids + positions);
    for (std::int64_t i = 0; i < kDecodeStart; ++i) step(i);
  }

  std::vector<at::Tensor> decode() const {
    const torch::InferenceMode inference;
    std::vector<at::Tensor> all;
    for (std::int64_t i = kDecodeStart; i < kDecodeStart + kDecodeTokens; ++i) {
      all.push_back(step(i));
      all.back().argmax().item<std::int64_t>();
    }
    return all;
  }

 private:
  enum { kNorm1, kQuery, kKey, kValue, kProjection, kNorm2, kGate, kUp, kDown, kWeights };
  struct Layer {
    at::Tensor weights[kWeights];
    at::Tensor keys, values;  // [G, S, Dh]
  };

  static at::Tensor norm(const at::Tensor& x, const at::Tensor& weight) {
    return x * torch::rsqrt((x * x).mean(-1, /*keepdim=*/true) + 1e-5) * weight;
  }

  at::Tensor turn(const at::Tensor& x, std::int64_t position) const {  // [H, Dh]
    const at::Tensor pairs = x.view({x.size(0), -1, 2});
    const at::Tensor a = pairs.select(-1, 0), b = pairs.select(-1, 1);
    const at::Tensor cosine = cosines_[position], sine = sines_[position];
    return torch::stack({a * cosine - b * sine, a * sine + b * cosine}, -1).view_as(x);
  }

  // Logits [V].
  at::Tensor step(std::int64_t position) const {
    const std::int64_t num_kv_heads = config_.num_kv_heads;
    const std::int64_t in_group = config_.num_heads / num_kv_heads;
    const double scale = 1 / std::sqrt(static_cast<double>(head_dim_));
    at::Tensor x = table_.narrow(0, ids_[static_cast<std::size_t>(position)], 1);
    for (const Layer& layer : layers_) {
      const auto& w = layer.weights;
      at::Tensor h = norm(x, w[kNorm1]);
      const auto heads = [&](int weight) {
        return torch::linear(h, w[weight]).view({-1, head_dim_});
      };
      layer.keys.select(1, position).copy_(turn(heads(kKey), position));
      layer.values.select(1, position).copy_(heads(kValue));
      const at::Tensor keys = layer.keys.narrow(1, 0, position + 1);
      const at::Tensor values = layer.values.narrow(1, 0, position + 1);
      const at::Tensor query =
          turn(heads(kQuery), position).view({num_kv_heads, in_group, head_dim_});
      const at::Tensor scores = torch::matmul(query, keys.transpose(1, 2)) * scale;
      const at::Tensor y = torch::matmul(torch::softmax(scores, -1), values);
      x = x + torch::linear(y.view({1, -1}), w[kProjection]);
      h = norm(x, w[kNorm2]);
      const at::Tensor wide = at::silu(torch::linear(h, w[kGate])) * torch::linear(h, w[kUp]);
      x = x + torch::linear(wide, w[kDown]);
    }
    return torch::linear(norm(x, norm_), table_)[0];
  }

  DecodeConfig config_;
  std::int64_t head_dim_;
  std::vector<std::int64_t> ids_;
  at::Tensor table_, norm_, cosines_, sines_;
  std::vector<Layer> layers_;
};

}  // namespace

std::vector<Contender> torch_decode(const DecodeCall& call) {
  const auto decoding = std::make_shared<TorchDecoding>(call);
  return {{"libtorch", [decoding] { decoding->decode(); },
           [decoding]() -> Tensors { return {from_torch(torch::stack(decoding->decode()))}; }}};
}

}  // namespace gradwalk::bench
