#include "nn/checkpoint/load_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "nn/checkpoint/config.h"
#include "nn/checkpoint/readers.h"
#include "tensor/error.h"

namespace gradwalk::nn {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLoadModel = "load_model";
constexpr const char* kLoadEncoder = "load_encoder";

[[noreturn]] void refuse(const char* op, const std::string& expected, const std::string& got,
                         const fs::path& path) {
  throw std::runtime_error(error_text(op, expected, got) + "; " + path.string());
}

fs::path weights_of(const char* op, const fs::path& folder) {
  if (fs::exists(folder / "model.safetensors") &&
      fs::exists(folder / "model.safetensors.index.json")) {
    refuse(op, "model.safetensors or model.safetensors.index.json in the folder", "both", folder);
  }
  for (const char* name : {"model.safetensors", "model.safetensors.index.json"}) {
    if (fs::exists(folder / name)) return folder / name;
  }
  refuse(op, "model.safetensors or model.safetensors.index.json in the folder",
         fs::exists(folder / "pytorch_model.bin") ? "pytorch_model.bin, which is not supported"
                                                  : "neither",
         folder);
}

// The file of llama2.c in a folder that has no config.json.
fs::path llama2c_in(const char* op, const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".bin" || name.starts_with("tok")) continue;
    if (!name.starts_with("pytorch_model")) found.push_back(entry.path());
  }
  if (found.size() == 1) return found[0];
  std::sort(found.begin(), found.end());
  refuse(op, "config.json in the folder, or one .bin file of llama2.c",
         found.empty()
             ? "neither"
             : fmt::format("{} and {}", found[0].filename().string(), found[1].filename().string()),
         folder);
}

// The parameters are built once the file has shown that it fills them.
template <class Model, class Options>
std::unique_ptr<Model> filled(const char* op, const Options& options, const StateDict& state,
                              const fs::path& path) {
  try {
    auto model = std::make_unique<Model>(options, Seed(0));
    model->load_state_dict(state);
    model->eval();
    return model;
  } catch (const std::invalid_argument& error) {  // settings that do not fit each other
    refuse(op, "settings that fit each other", error.what(), path);
  }
}

void require_float(const char* op, DType dtype) {
  if (!is_float(dtype)) throw_argument_error(op, "float32 or float64", name(dtype));
}

}  // namespace

CheckpointFiles find_checkpoint(const fs::path& path, const char* op) {
  if (!fs::exists(path)) refuse(op, "a folder or a file", "nothing", path);
  if (fs::is_directory(path)) {
    if (!fs::exists(path / "config.json")) return {{}, llama2c_in(op, path)};
    return {path / "config.json", weights_of(op, path)};
  }
  if (path.extension() == ".bin") return {{}, path};
  if (path.extension() != ".safetensors" && path.extension() != ".json") {
    refuse(op, "a folder with config.json, a .safetensors file, or a .bin file of llama2.c",
           "another file", path);
  }
  const fs::path config = path.parent_path() / "config.json";
  if (!fs::exists(config)) refuse(op, "config.json beside the file", "none", path);
  return {config, path};
}

std::unique_ptr<CausalLm> load_model(const CheckpointFiles& files, DType dtype) {
  require_float(kLoadModel, dtype);
  if (files.config.empty()) {
    const Llama2c file = read_llama2c(kLoadModel, files.weights, dtype);
    return filled<CausalLm>(kLoadModel, file.options, file.state, files.weights);
  }
  const ModelConfig config = read_config(files.config, dtype, kLoadModel);
  const bool llama = config.architecture == Architecture::kLlama;
  if (!llama && config.architecture != Architecture::kGpt2) {
    refuse(kLoadModel, "a language model",
           fmt::format("{}, an encoder, which load_encoder reads", name(config.architecture)),
           files.config);
  }
  const Safetensors file(files.weights, kLoadModel);
  return filled<CausalLm>(
      kLoadModel, config.causal_lm,
      llama ? llama_state(file, config.causal_lm) : gpt2_state(file, config.causal_lm),
      files.weights);
}

std::unique_ptr<CausalLm> load_model(const fs::path& path, DType dtype) {
  require_float(kLoadModel, dtype);
  return load_model(find_checkpoint(path, kLoadModel), dtype);
}

std::unique_ptr<Encoder> load_encoder(const CheckpointFiles& files, DType dtype) {
  require_float(kLoadEncoder, dtype);
  if (files.config.empty()) {
    refuse(kLoadEncoder, "an encoder", "a .bin file of llama2.c, a language model", files.weights);
  }
  const ModelConfig config = read_config(files.config, dtype, kLoadEncoder);
  const bool bert = config.architecture == Architecture::kBert;
  if (!bert && config.architecture != Architecture::kEncoder) {
    refuse(kLoadEncoder, "an encoder",
           fmt::format("{}, a language model", name(config.architecture)), files.config);
  }
  const Safetensors file(files.weights, kLoadEncoder);
  return filled<Encoder>(
      kLoadEncoder, config.encoder,
      bert ? bert_state(file, config.encoder) : encoder_state(file, config.encoder), files.weights);
}

std::unique_ptr<Encoder> load_encoder(const fs::path& path, DType dtype) {
  require_float(kLoadEncoder, dtype);
  return load_encoder(find_checkpoint(path, kLoadEncoder), dtype);
}

}  // namespace gradwalk::nn
