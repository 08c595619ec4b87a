#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/course/text/text.h"

namespace gradwalk::course {

struct StepRecord;

/// A picture of a step: what it shows, and all that is done with it. A kind of picture is one class
/// in a pair of files of pictures/; nothing else knows its name.
class Picture {
 public:
  Picture() = default;
  Picture(Picture&&) = default;
  Picture& operator=(Picture&&) = default;
  virtual ~Picture() = default;

  /// As the terminal shows it. `step` is the one that it belongs to.
  virtual Lines draw(const StepRecord& step, int width, const Display& display) const = 0;

  /// An object with "kind", the name under which a PictureKind reads it again.
  virtual nlohmann::ordered_json to_json() const = 0;

  /// Is told lists of numbers, each with the words that say where it stands.
  using Look = std::function<void(const std::string& where, const std::vector<double>& values)>;

  /// Shows all its numbers: a NaN or infinity among them is an error of the step.
  virtual void each_list(const Look& look) const = 0;

  /// What keeps it from being drawn in its step, such as a tensor that is not there; empty if
  /// nothing does.
  virtual std::string missing(const StepRecord& step) const;
};

/// Makes a kind known by name to picture_from_json: a constant in the kind's .cpp.
class PictureKind {
 public:
  using Read = std::shared_ptr<const Picture> (*)(const nlohmann::ordered_json& object);
  PictureKind(std::string_view name, Read read);
};

/// @throws std::exception that says what is wrong, such as a kind that is not known
std::shared_ptr<const Picture> picture_from_json(const nlohmann::ordered_json& object);

}  // namespace gradwalk::course
