#include <iostream>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/peers/best_settings.h"

int main(int argc, char** argv) {
  gradwalk::bench::restart_with_best_settings(argv);
  gradwalk::bench::keep_freed_memory();
  return gradwalk::bench::run_bench(std::vector<std::string>(argv + 1, argv + argc),
                                    gradwalk::bench::found_peers(), std::cout, std::cerr);
}
