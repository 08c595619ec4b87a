#include "lessons/course/pictures/heatmap.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "lessons/course/engine/record.h"
#include "lessons/course/json/numbers.h"
#include "lessons/course/pictures/matrix.h"
#include "lessons/course/pictures/shade.h"

namespace gradwalk::course {
namespace {

using Json = nlohmann::ordered_json;

std::shared_ptr<const Picture> read_heatmap(const Json& object) {
  return std::make_shared<Heatmap>(text_field(object, "caption"),
                                   object.at("tensors").get<std::vector<std::string>>());
}

const PictureKind kHeatmapKind("heatmap", read_heatmap);

const TensorRecord* find(const StepRecord& step, const std::string& name) {
  const auto found = std::find_if(step.tensors.begin(), step.tensors.end(),
                                  [&](const TensorRecord& tensor) { return tensor.name == name; });
  return found == step.tensors.end() ? nullptr : &*found;
}

}  // namespace

Heatmap::Heatmap(std::string words, std::vector<std::string> names)
    : caption(std::move(words)), tensors(std::move(names)) {}

Json Heatmap::to_json() const {
  return {{"kind", "heatmap"}, {"caption", caption}, {"tensors", tensors}};
}

// The tensors are looked at where they are recorded.
void Heatmap::each_list(const Look&) const {}

std::string Heatmap::missing(const StepRecord& step) const {
  for (const std::string& name : tensors) {
    if (find(step, name) == nullptr) {
      return fmt::format("the heatmap shows tensor {}, which this step does not record", name);
    }
  }
  return "";
}

Lines Heatmap::draw(const StepRecord& step, int width, const Display& display) const {
  std::vector<Lines> blocks;
  for (const std::string& name : tensors) {
    const TensorRecord* tensor = find(step, name);
    if (tensor == nullptr) continue;
    RangedMatrix matrix = ranged_matrix(*tensor, width, display);
    Line title;
    title.add(name + tensor->shape_text()).add("  " + matrix.range, styles::kDim);
    Lines block = {title};
    for (Line& line : matrix.lines) block.push_back(std::move(line));
    blocks.push_back(std::move(block));
  }
  Lines lines;
  for (const std::string& part : wrap(caption, width)) lines.emplace_back(part, styles::kDim);
  for (Line& line : side_by_side(blocks, /*gap=*/2, width)) lines.push_back(std::move(line));
  lines.emplace_back(Shade::legend(), styles::kDim);
  return lines;
}

}  // namespace gradwalk::course
