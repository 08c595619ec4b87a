#include "lessons/driver/commands/train_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "nn/checkpoint/safetensors.h"
#include "tensor/create.h"
#include "tensor/detail/fnv.h"

namespace gradwalk::commands {
namespace {

constexpr const char* kFormat = "gradwalk training 1";

std::vector<CurvePoint> curve_from(const nn::Safetensors& file) {
  const auto column = [&](const char* name) { return file.load(name).to_vector(); };
  const std::vector<double> steps = column("curve.step");
  const std::vector<double> train = column("curve.train");
  const std::vector<double> validation = column("curve.validation");
  if (train.size() != steps.size() || validation.size() != steps.size()) {
    throw std::runtime_error("expected a curve with columns of one length");
  }
  std::vector<CurvePoint> curve;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    curve.push_back({static_cast<std::int64_t>(steps[i]), train[i], validation[i]});
  }
  return curve;
}

TrainRecord record_from(const nn::Safetensors& file) {
  const auto& metadata = file.metadata();
  const auto text = metadata.find("text");
  const auto format = metadata.find("format");
  if (format == metadata.end() || format->second != kFormat || text == metadata.end()) {
    throw std::runtime_error(fmt::format("expected a checkpoint of the format '{}'", kFormat));
  }
  TrainRecord record{settings_from(metadata), text->second, curve_from(file), {}};
  for (const nn::SafetensorsEntry& entry : file.entries()) {
    if (!entry.name.starts_with("curve.")) {
      record.trainer.emplace_back(entry.name, file.load(entry.name));
    }
  }
  return record;
}

}  // namespace

bool TrainRecord::is_best(std::int64_t step) const {
  return !curve.empty() && curve.back().step == step &&
         std::all_of(curve.begin(), curve.end() - 1, [&](const CurvePoint& point) {
           return curve.back().validation < point.validation;
         });
}

std::string text_identity(std::string_view text) {
  return fmt::format("{} bytes, fnv1a {:016x}", text.size(), fnv1a(text));
}

void write_train_record(const std::filesystem::path& path, const TrainRecord& record) {
  std::vector<double> steps, train, validation;
  for (const CurvePoint& point : record.curve) {
    steps.push_back(static_cast<double>(point.step));
    train.push_back(point.train);
    validation.push_back(point.validation);
  }
  const Shape shape{static_cast<std::int64_t>(steps.size())};
  nn::StateDict tensors = record.trainer;
  tensors.emplace_back("curve.step", from_vector(steps, shape, DType::kInt64));
  tensors.emplace_back("curve.train", from_vector(train, shape, DType::kFloat64));
  tensors.emplace_back("curve.validation", from_vector(validation, shape, DType::kFloat64));
  auto metadata = texts_of(record.settings);
  metadata["format"] = kFormat;
  metadata["text"] = record.text;
  nn::save_safetensors(path, tensors, metadata);
}

TrainRecord read_train_record(const std::filesystem::path& path) {
  const nn::Safetensors file(path);
  try {
    return record_from(file);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("{}: {}", path.string(), error.what()));
  }
}

std::string curve_csv(const std::vector<CurvePoint>& curve) {
  std::string text = "step,train,validation\n";
  for (const CurvePoint& point : curve) {
    text += fmt::format("{},{},{}\n", point.step, point.train, point.validation);
  }
  return text;
}

}  // namespace gradwalk::commands
