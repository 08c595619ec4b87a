#include "lessons/driver/probe/reading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <stdexcept>

#include "nn/checkpoint/safetensors.h"
#include "nn/checkpoint/weights.h"

namespace gradwalk::probe {
namespace {

namespace fs = std::filesystem;
using nn::Architecture;

// How a layout names the projections of layer N.
struct Names {
  Architecture architecture;
  const char* prefix;             // that some of its files put before the body's names
  std::array<const char*, 4> of;  // q, k, v, o
  bool transposed;                // stored as [in, out]
};

constexpr std::array<Names, 4> kNames = {{
    {Architecture::kLlama,
     "model.",
     {"layers.N.self_attn.q_proj.weight", "layers.N.self_attn.k_proj.weight",
      "layers.N.self_attn.v_proj.weight", "layers.N.self_attn.o_proj.weight"},
     false},
    {Architecture::kGpt2,
     "transformer.",
     {"h.N.attn.c_attn.weight", "h.N.attn.c_attn.weight", "h.N.attn.c_attn.weight",
      "h.N.attn.c_proj.weight"},
     true},
    {Architecture::kBert,
     "bert.",
     {"encoder.layer.N.attention.self.query.weight", "encoder.layer.N.attention.self.key.weight",
      "encoder.layer.N.attention.self.value.weight",
      "encoder.layer.N.attention.output.dense.weight"},
     false},
    {Architecture::kEncoder,
     "",
     {"layers.N.self_attn.q_proj.weight", "layers.N.self_attn.k_proj.weight",
      "layers.N.self_attn.v_proj.weight", "layers.N.self_attn.o_proj.weight"},
     false},
}};

const Names& names_of(Architecture architecture) {
  for (const Names& names : kNames) {
    if (names.architecture == architecture) return names;
  }
  throw std::logic_error("probe: a layout without names");
}

// A weight of layer 0, by the name that the reader of the layout takes it by; nullptr without one.
const nn::SafetensorsEntry* of_first_layer(const nn::Safetensors& file, const Names& names,
                                           std::size_t role) {
  std::string name = names.of[role];
  name.replace(name.find(".N."), 3, ".0.");
  return file.find(nn::Weights(file, names.prefix).body(name));
}

std::string with_n(std::string name) {
  const std::size_t at = name.find(".0.");
  return at == std::string::npos ? name : name.replace(at, 3, ".N.");
}

std::string shape_text(const nn::SafetensorsEntry& entry) {
  return fmt::format("[{}]", fmt::join(entry.shape, ", "));
}

// "1 x 32, 2 x 16, ...": what the width of the queries can be cut into.
std::string head_counts(std::uint64_t width) {
  constexpr std::uint64_t kMostHeads = 128;
  std::vector<std::string> all;
  for (std::uint64_t heads = 1; heads <= std::min(width, kMostHeads); ++heads) {
    if (width % heads == 0) all.push_back(fmt::format("{} x {}", heads, width / heads));
  }
  return fmt::format("{}{}", fmt::join(all, ", "), width > kMostHeads ? ", ..." : "");
}

[[noreturn]] void refuse_without_settings(const fs::path& path, const fs::path& weights) {
  const nn::Safetensors file(weights);
  std::vector<std::string> fitting;
  std::optional<std::uint64_t> width;
  for (const Names& names : kNames) {
    const nn::SafetensorsEntry* query = of_first_layer(file, names, 0);
    if (!query || query->shape.size() != 2) continue;
    fitting.emplace_back(name(names.architecture));
    width = query->shape[0];  // of all heads together, in either orientation
  }
  const std::string whose = fitting.empty()
                                ? "names of no layout that is known here"
                                : fmt::format("names as {} has them", fmt::join(fitting, " or "));
  const std::string heads =
      width && *width > 0
          ? fmt::format("; shapes leave the heads open: {} (heads x width)", head_counts(*width))
          : "";
  throw std::runtime_error(
      fmt::format("probe: expected config.json beside the weights, got none, and {} tensors with "
                  "{}{}; --config=FILE names a config.json elsewhere; {}",
                  file.entries().size(), whose, heads, path.string()));
}

fs::path weights_in(const fs::path& path) {
  if (!fs::is_directory(path)) return path;
  for (const char* name : {"model.safetensors", "model.safetensors.index.json"}) {
    if (fs::exists(path / name)) return path / name;
  }
  return {};
}

std::int64_t numbers_in(const nn::Safetensors& file) {
  std::uint64_t numbers = 0;
  for (const nn::SafetensorsEntry& entry : file.entries()) {
    std::uint64_t product = 1;
    for (const std::uint64_t size : entry.shape) product *= size;
    numbers += product;
  }
  return static_cast<std::int64_t>(numbers);
}

std::string contents_of(const nn::Safetensors& file) {
  std::set<std::string> types;
  for (const nn::SafetensorsEntry& entry : file.entries()) types.emplace(entry.dtype);
  return fmt::format("{} tensors, {} numbers, {}", file.entries().size(), numbers_in(file),
                     fmt::join(types, " and "));
}

std::vector<StoredWeight> projections_of(const nn::Safetensors& file, Architecture architecture) {
  const Names& names = names_of(architecture);
  std::vector<StoredWeight> all;
  for (std::size_t i = 0; i < names.of.size(); ++i) {
    const nn::SafetensorsEntry* entry = of_first_layer(file, names, i);
    if (!entry) throw std::logic_error(fmt::format("probe: no {}", names.of[i]));
    std::string place = shape_text(*entry);
    const bool joined = architecture == Architecture::kGpt2 && i < 3;
    if (joined) {
      const std::uint64_t width = entry->shape[0];
      place += fmt::format(", columns {} to {}", i * width, (i + 1) * width - 1);
    }
    all.push_back({std::string(1, "qkvo"[i]), with_n(entry->name), place, names.transposed});
  }
  return all;
}

std::string heads_text(const nn::MultiHeadAttentionOptions& attention, std::int64_t layers,
                       std::int64_t d_model) {
  const std::int64_t heads = attention.num_heads;
  const std::int64_t kv_heads = attention.num_kv_heads > 0 ? attention.num_kv_heads : heads;
  const std::int64_t head_dim = attention.head_dim > 0 ? attention.head_dim : d_model / heads;
  const std::string keys = kv_heads == heads
                               ? "with keys of its own"
                               : fmt::format("{} share keys and values", heads / kv_heads);
  return fmt::format(
      "{} layer{} of {} head{}, each {} wide, {}; vectors of {}; scores q.k/sqrt({})", layers,
      layers == 1 ? "" : "s", heads, heads == 1 ? "" : "s", head_dim, keys, d_model, head_dim);
}

std::string positions_text(const nn::MultiHeadAttentionOptions& attention, std::int64_t rows) {
  if (attention.rope) {
    const bool halves = attention.rope->layout == RopeLayout::kHalves;
    return fmt::format("rotary, base {}, {}; made for {}", attention.rope->base,
                       halves ? "pairs (i, i + half the width)" : "pairs (2i, 2i + 1)", rows);
  }
  return rows == 0 ? "none" : fmt::format("a learned table of {}", rows);
}

// What else a forward is made of, so that a wrong setting can be seen.
std::string inside_text(const nn::TransformerBlockOptions& block, std::int64_t d_model) {
  std::string norm = "no norms";
  if (block.norm != nn::NormKind::kNone) {
    norm =
        fmt::format("{} {} each part, eps {:g}{}",
                    block.norm == nn::NormKind::kRmsNorm ? "RMS norm" : "layer norm",
                    block.norm_place == nn::NormPlace::kPre ? "before" : "after",
                    block.norm_options.eps, block.norm_options.learned ? "" : ", without weights");
  }
  if (!block.has_feed_forward) return norm + "; no feed-forward layer";
  const nn::FeedForwardOptions& layer = block.feed_forward;
  const char* kind = layer.kind == nn::FeedForwardKind::kSwiGlu ? "SwiGLU"
                     : layer.gelu == GeluForm::kTanh            ? "GELU by tanh"
                                                                : "GELU";
  return fmt::format("{}; feed-forward layer of {}, {}", norm,
                     block.d_hidden > 0 ? block.d_hidden : 4 * d_model, kind);
}

std::string output_text(const nn::CausalLmOptions& model) {
  return fmt::format("; {} tokens, output {}", model.vocab_size,
                     model.tie_embeddings ? "by the table of tokens" : "by a layer of its own");
}

std::string output_text(const nn::EncoderOptions& model) {
  return fmt::format("; {} tokens{}{}", model.vocab_size,
                     model.num_types > 0 ? fmt::format(", {} types of them", model.num_types) : "",
                     model.embedding_norm && model.block.norm != nn::NormKind::kNone
                         ? ", a norm of their sum"
                         : "");
}

constexpr const char* kCausal = "causal: a token sees itself and those before";
constexpr const char* kNoMask = "none: every token sees every token";

}  // namespace

nn::CheckpointFiles files_of(const fs::path& path, const fs::path& settings) {
  const fs::path weights = fs::exists(path) ? weights_in(path) : fs::path();
  const bool named = !weights.empty() && weights.extension() != ".bin";
  if (!settings.empty()) {
    if (!named || !fs::exists(weights)) {
      throw std::runtime_error(
          fmt::format("probe: --config expects a file of safetensors beside it, got another; {}",
                      path.string()));
    }
    if (!fs::exists(settings)) {
      throw std::runtime_error(
          fmt::format("probe: expected a file --config={}, got nothing", settings.string()));
    }
    return {settings, weights};
  }
  if (named && weights.extension() == ".safetensors" &&
      !fs::exists(weights.parent_path() / "config.json")) {
    refuse_without_settings(path, weights);
  }
  return nn::find_checkpoint(path);
}

Reading read_names(const nn::CheckpointFiles& files, const nn::ModelConfig& model) {
  const nn::Safetensors file(files.weights);
  const bool causal =
      model.architecture == Architecture::kLlama || model.architecture == Architecture::kGpt2;
  const nn::MultiHeadAttentionOptions& attention =
      causal ? model.causal_lm.block.attention : model.encoder.block.attention;
  Reading reading;
  reading.weights = files.weights;
  reading.layout = name(model.architecture);
  reading.settings = files.config.filename().string();
  reading.numbers = numbers_in(file);
  reading.contents = contents_of(file);
  reading.projections = projections_of(file, model.architecture);
  reading.heads = causal
                      ? heads_text(attention, model.causal_lm.num_layers, model.causal_lm.d_model)
                      : heads_text(attention, model.encoder.num_layers, model.encoder.d_model);
  reading.positions = positions_text(
      attention, causal ? model.causal_lm.max_positions : model.encoder.max_positions);
  reading.mask = causal ? kCausal : kNoMask;
  reading.inside =
      causal ? inside_text(model.causal_lm.block, model.causal_lm.d_model) +
                   output_text(model.causal_lm)
             : inside_text(model.encoder.block, model.encoder.d_model) + output_text(model.encoder);
  return reading;
}

Reading read_names(const nn::CheckpointFiles& files, const nn::CausalLmOptions& model) {
  constexpr std::uintmax_t kHeaderBytes = 7 * sizeof(std::int32_t);
  const nn::MultiHeadAttentionOptions& attention = model.block.attention;
  const std::int64_t queries = attention.num_heads * (model.d_model / attention.num_heads);
  const std::int64_t keys = attention.num_kv_heads * (model.d_model / attention.num_heads);
  Reading reading;
  reading.weights = files.weights;
  reading.layout = "llama2.c";
  reading.settings = "the file's header and what the format lays down";
  reading.numbers =
      static_cast<std::int64_t>((fs::file_size(files.weights) - kHeaderBytes) / sizeof(float));
  reading.contents = fmt::format("{} numbers, F32, without names", reading.numbers);
  const auto put = [&](const char* role, std::int64_t out, std::int64_t in) {
    reading.projections.push_back({role, fmt::format("w{}", role),
                                   fmt::format("[{}, {}, {}], layer N", model.num_layers, out, in),
                                   false});
  };
  put("q", queries, model.d_model);
  put("k", keys, model.d_model);
  put("v", keys, model.d_model);
  put("o", model.d_model, queries);
  reading.heads = heads_text(attention, model.num_layers, model.d_model);
  reading.positions = positions_text(attention, model.max_positions);
  reading.mask = kCausal;
  reading.inside = inside_text(model.block, model.d_model) + output_text(model);
  return reading;
}

}  // namespace gradwalk::probe
