#!/bin/sh
# A project outside this one finds the installed package, includes headers as we do, links the three layers and runs; and it
# builds the same sources by add_subdirectory, with lessons, tests and benchmarks off.
#
#     sh tests/package_test.sh SOURCE BUILD COMPILER [SANITIZE]
set -eu
source=$1 build=$2 compiler=$3 sanitize=${4:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cat >"$scratch/main.cpp" <<'EOF'
#include "autograd/backward.h"
#include "autograd/cross_entropy.h"
#include "autograd/matmul.h"
#include "nn/optim/sgd.h"
#include "tensor/create.h"

int main() {
  using namespace gradwalk;
  const Variable w = parameter(zeros({2, 3}));
  nn::Sgd sgd({w}, 0.5);
  for (int step = 0; step < 100; ++step) {
    sgd.zero_grad();
    backward(cross_entropy(matmul(w, ones({3})), scalar(1, DType::kInt64)));
    sgd.step();
  }
  return w.value().at({1, 0}) > 0.5 && w.value().at({0, 0}) < -0.5 ? 0 : 1;
}
EOF

project() {  # NAME LINE-THAT-GETS-GRADWALK CMAKE-ARGUMENT...
  folder=$scratch/$1
  mkdir "$folder"
  cat >"$folder/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.22)
project(outside LANGUAGES CXX)
$2
if(TARGET test_tensor OR TARGET gradwalk_bench OR TARGET gradwalk_course)
  message(FATAL_ERROR "lessons, tests and benchmarks must be off in another project")
endif()
add_executable(outside ../main.cpp)
target_link_libraries(outside PRIVATE gradwalk::nn)
EOF
  shift 2
  if ! {
    cmake -S "$folder" -B "$folder/build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" \
      -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS="${sanitize:+-fsanitize=$sanitize}" "$@" &&
      cmake --build "$folder/build"
  } >"$folder/log" 2>&1; then
    cat "$folder/log"
    echo "FAILED: $folder"
    exit 1
  fi
  "$folder/build/outside" || { echo "FAILED: outside project of $folder returned $?"; exit 1; }
}

cmake --install "$build" --prefix "$scratch/prefix" >/dev/null

# What is installed is the public face, and needs no library of somebody else.
include=$scratch/prefix/include/gradwalk
for private in tensor/kernels tensor/reference tensor/detail/map.h nn/files nn/checkpoint/config.h nn/tokenizer/bpe.h; do
  [ ! -e "$include/$private" ] || { echo "FAILED: $private is installed"; exit 1; }
done
if grep -rnE '#include <(fmt|hwy|nlohmann|omp)' "$include"; then
  echo 'FAILED: an installed header needs another library'
  exit 1
fi
headers=$(cd "$include" && find . -name '*.h' | sed 's|^\./||' | LC_ALL=C sort)
[ "$(echo "$headers" | wc -l)" -ge 100 ] || { echo 'FAILED: fewer headers than there are'; exit 1; }
echo "$headers" | sed 's|.*|#include "&"|' | cat - "$scratch/main.cpp" >"$scratch/all.cpp"
mv "$scratch/all.cpp" "$scratch/main.cpp"
project installed 'find_package(gradwalk 0.1 REQUIRED)' -DCMAKE_PREFIX_PATH="$scratch/prefix"
if [ "${CI:-}" = true ] && [ -z "$sanitize" ]; then  # builds the layers once more
  project subdirectory "add_subdirectory($source gradwalk)"
fi
echo passed
