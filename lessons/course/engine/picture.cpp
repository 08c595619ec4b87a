#include "lessons/course/engine/picture.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace gradwalk::course {
namespace {

// Filled before main by the kinds' constants.
std::map<std::string, PictureKind::Read, std::less<>>& kinds() {
  static std::map<std::string, PictureKind::Read, std::less<>> all;
  return all;
}

}  // namespace

std::string Picture::missing(const StepRecord&) const { return ""; }

PictureKind::PictureKind(std::string_view name, Read read) { kinds().emplace(name, read); }

std::shared_ptr<const Picture> picture_from_json(const nlohmann::ordered_json& object) {
  const auto name = object.at("kind").get<std::string>();
  const auto kind = kinds().find(name);
  if (kind == kinds().end()) {
    throw std::runtime_error(fmt::format("'{}' is no kind of picture", name));
  }
  return kind->second(object);
}

}  // namespace gradwalk::course
