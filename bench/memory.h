#pragma once

#include <string>

namespace gradwalk::bench {

/// MiB: the most memory that this process ever had.
double peak_memory();

/// The number that a program prints which is started for the purpose: `gradwalk_bench_memory` or
/// the like, from the folder of this one (bench/peers/memory_main.cpp). Peak memory is that of a
/// whole process.
/// @throws std::runtime_error if it does not end well
double figure_of_program(const std::string& program, const std::string& arguments);

}  // namespace gradwalk::bench
