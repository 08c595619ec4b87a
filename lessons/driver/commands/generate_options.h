#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lessons/driver/run/context.h"
#include "nn/generate.h"

namespace gradwalk::commands {

/// What `generate` was asked for.
struct GenerateRequest {
  std::filesystem::path model;
  std::string prompt;
  std::vector<std::int64_t> ids;  ///< the prompt as ids; empty: it is a text
  nn::GenerateOptions options;
  bool stats = false;
  bool help = false;
};

const std::vector<OptionSpec>& generate_option_specs();

/// @throws UsageError that says what was expected, what came, and the nearest name where there is
/// one
GenerateRequest parse_generate_options(const std::vector<std::string>& words);

}  // namespace gradwalk::commands
