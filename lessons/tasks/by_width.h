#pragma once

#include "nn/init.h"

namespace gradwalk::tasks {

/// How the course's models draw weights: N(0, 1/in), so that what comes out has the variance of
/// what goes in.
inline constexpr nn::Init kByWidth = {nn::InitScheme::kKaimingNormal, 1};

}  // namespace gradwalk::tasks
