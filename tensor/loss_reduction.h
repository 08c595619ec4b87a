#pragma once

#include <cstdint>

namespace gradwalk {

/// How a loss makes one number of many.
enum class LossReduction : std::uint8_t {
  kMean,  ///< over what counts; 0 if nothing does
  kSum,
};

}  // namespace gradwalk
