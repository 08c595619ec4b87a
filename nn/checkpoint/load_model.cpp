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

[[noreturn]] void refuse(const std::string& expected, const std::string& got,
                         const fs::path& path) {
  throw std::runtime_error(error_text("load_model", expected, got) + "; " + path.string());
}

fs::path weights_of(const fs::path& folder) {
  for (const char* name : {"model.safetensors", "model.safetensors.index.json"}) {
    if (fs::exists(folder / name)) return folder / name;
  }
  refuse("model.safetensors or model.safetensors.index.json in the folder",
         fs::exists(folder / "pytorch_model.bin") ? "pytorch_model.bin, which is not supported"
                                                  : "neither",
         folder);
}

// The file of llama2.c in a folder that has no config.json.
fs::path llama2c_in(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".bin" || name.starts_with("tok")) continue;
    if (!name.starts_with("pytorch_model")) found.push_back(entry.path());
  }
  if (found.size() == 1) return found[0];
  std::sort(found.begin(), found.end());
  refuse("config.json in the folder, or one .bin file of llama2.c",
         found.empty()
             ? "neither"
             : fmt::format("{} and {}", found[0].filename().string(), found[1].filename().string()),
         folder);
}

// The parameters are built once the file has shown that it fills them.
template <class Model, class Options>
std::unique_ptr<Model> filled(const Options& options, const StateDict& state,
                              const fs::path& path) {
  try {
    auto model = std::make_unique<Model>(options, Seed(0));
    model->load_state_dict(state);
    model->eval();
    return model;
  } catch (const std::invalid_argument& error) {  // settings that do not fit each other
    throw std::runtime_error(fmt::format("{}; {}", error.what(), path.string()));
  }
}

std::unique_ptr<CausalLm> load_llama2c(const fs::path& path, DType dtype) {
  const Llama2c file = read_llama2c(path, dtype);
  return filled<CausalLm>(file.options, file.state, path);
}

}  // namespace

std::unique_ptr<CausalLm> load_model(const fs::path& path, DType dtype) {
  if (!is_float(dtype)) throw_argument_error("load_model", "float32 or float64", name(dtype));
  if (!fs::exists(path)) refuse("a folder or a file", "nothing", path);
  if (!fs::is_directory(path)) {
    if (path.extension() != ".bin") {
      refuse("a folder with config.json, or a .bin file of llama2.c", "another file", path);
    }
    return load_llama2c(path, dtype);
  }
  if (!fs::exists(path / "config.json")) return load_llama2c(llama2c_in(path), dtype);
  const ModelConfig config = read_config(path / "config.json", dtype);
  const CausalLmOptions& options = config.causal_lm;
  if (config.architecture == Architecture::kBert) {
    refuse("a language model", "bert, an encoder, which load_encoder reads", path);
  }
  const Safetensors file(weights_of(path));
  return filled<CausalLm>(options,
                          config.architecture == Architecture::kLlama ? llama_state(file, options)
                                                                      : gpt2_state(file, options),
                          path);
}

std::unique_ptr<Encoder> load_encoder(const fs::path& path, DType dtype) {
  if (!is_float(dtype)) throw_argument_error("load_encoder", "float32 or float64", name(dtype));
  const ModelConfig config = read_config(path / "config.json", dtype);
  if (config.architecture != Architecture::kBert) {
    refuse("an encoder", fmt::format("{}, a language model", name(config.architecture)), path);
  }
  return filled<Encoder>(config.encoder, bert_state(Safetensors(weights_of(path)), config.encoder),
                         path);
}

}  // namespace gradwalk::nn
