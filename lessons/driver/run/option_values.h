#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "lessons/driver/run/options.h"

namespace gradwalk::commands {

/// Numbers of options that several verbs have. Each throws a UsageError that names the option, what
/// was expected and what came.

/// A whole number in [least, most]; `otherwise` if the option was not given.
std::int64_t whole_option(const Arguments& arguments, const std::string& name,
                          std::int64_t otherwise, std::int64_t least = 0,
                          std::int64_t most = std::numeric_limits<std::int64_t>::max());

/// A finite number for which `fits` holds; `otherwise` if the option was not given.
/// @param expected  what fits, in words: "a number >= 0"
double number_option(const Arguments& arguments, const std::string& name, double otherwise,
                     const char* expected, bool (*fits)(double));

/// --seed, 1 if it was not given.
std::uint64_t seed_option(const Arguments& arguments);

/// Sets the threads of the kernels by --threads, or to `otherwise`.
void apply_threads(const Arguments& arguments, int otherwise);

}  // namespace gradwalk::commands
