#!/bin/sh
# Includes point one way: lessons -> nn -> autograd -> tensor, and inside tensor/ the naive loops of
# reference/ and the fast ones of kernels/ know nothing of each other.
#
#     sh tests/includes_test.sh [ROOT]         self-test, then the checkout at ROOT (default: this one)
#     sh tests/includes_test.sh --self-test    only the self-test
#
# Prints file, line and arrow of each include that runs back, and exits 1 if there is one.
set -eu

# check ROOT: reads every source below ROOT's four layers.
check() {
  (
    cd "$1"
    set --
    for layer in tensor autograd nn lessons; do
      [ ! -d "$layer" ] || set -- "$@" "$layer"
    done
    [ $# -gt 0 ] || { echo "includes_test: no layer to read in $PWD"; exit 1; }
    [ -n "$(find "$@" -name '*.cpp')" ] || { echo "includes_test: no source to read in $PWD"; exit 1; }
    find "$@" -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.in' \) -exec awk '
      BEGIN {
        rank["tensor"] = 1; rank["autograd"] = 2; rank["nn"] = 3; rank["lessons"] = 4
        rank["tests"] = 5; rank["bench"] = 5
      }
      function report(from, to) {
        printf "%s:%d: %s -> %s: %s\n", FILENAME, FNR, from, to, $0
        bad = 1
      }
      /^[ \t]*#[ \t]*include[ \t]*["<]/ {
        path = $0
        sub(/^[^"<]*["<]/, "", path)
        sub(/[">].*/, "", path)
        split(FILENAME, file, "/")
        split(path, included, "/")
        from = file[1]
        to = included[1]
        if (path ~ /(^|\/)\.\.?\// || ($0 ~ /include[ \t]*"/ && path !~ /\//)) {
          report(from, "a relative path (name it from the top of the checkout)")
        } else if (rank[to] > rank[from]) {
          report(from, to)
        } else if (from == "tensor" && to == "tensor" &&
                   ((file[2] == "reference" && included[2] == "kernels") ||
                    (file[2] == "kernels" && included[2] == "reference"))) {
          report(from "/" file[2], to "/" included[2])
        }
      }
      END { exit bad }' {} +
  )
}

# One planted tree per rule: the check must name exactly the planted line, and nothing in a clean one.
self_test() {
  tree=$(mktemp -d)
  trap 'rm -rf "$tree"' EXIT
  plant() {  # FILE INCLUDED: a clean tree with one include in it, on line 2 of FILE
    rm -rf "$tree/house"
    mkdir -p "$tree/house/tensor/kernels" "$tree/house/tensor/reference" "$tree/house/autograd" \
      "$tree/house/nn/optim" "$tree/house/lessons/course" "$tree/house/lessons/04_walk"
    echo '#include "tensor/tensor.h"' >"$tree/house/tensor/kernels/matmul.cpp"
    echo '#include "tensor/tensor.h"' >"$tree/house/tensor/reference/matmul.cpp"
    echo '#include "tensor/kernels/matmul.h"' >"$tree/house/tensor/matmul.cpp"
    echo '#include "tensor/matmul.h"' >"$tree/house/autograd/matmul.cpp"
    echo '#include "autograd/matmul.h"' >"$tree/house/nn/optim/sgd.cpp"
    echo '#include "nn/optim/sgd.h"' >"$tree/house/lessons/04_walk/lesson.cpp"
    printf '#include <vector>\n#include %s\n// #include "lessons/course/text/text.h"\n' "$2" >"$tree/house/$1"
  }
  expect_found() {
    plant "$1" "$2"
    if found=$(check "$tree/house") || [ "$found" != "$1:2: $3: #include $2" ]; then
      echo "includes_test: self-test: in $1 the include of $2 should be found, got: ${found:-nothing}"
      exit 1
    fi
  }
  expect_clean() {
    plant "$1" "$2"
    if ! found=$(check "$tree/house") || [ -n "$found" ]; then
      echo "includes_test: self-test: $1 may include $2, got: ${found:-a failure}"
      exit 1
    fi
  }
  expect_found tensor/bad.cpp '"autograd/variable.h"' 'tensor -> autograd'
  expect_found tensor/bad.h '<nn/linear.h>' 'tensor -> nn'
  expect_found autograd/bad.h '"nn/linear.h"' 'autograd -> nn'
  expect_found nn/optim/bad.cpp '"lessons/course/text/text.h"' 'nn -> lessons'
  expect_found lessons/04_walk/bad.cpp '"tests/support.h"' 'lessons -> tests'
  expect_found tensor/reference/bad.cpp '"tensor/kernels/matmul.h"' 'tensor/reference -> tensor/kernels'
  expect_found tensor/kernels/bad.cpp '"tensor/reference/matmul.h"' 'tensor/kernels -> tensor/reference'
  expect_found autograd/bad.cpp '"../nn/linear.h"' \
    'autograd -> a relative path (name it from the top of the checkout)'
  expect_found autograd/bad.cpp '"variable.h"' \
    'autograd -> a relative path (name it from the top of the checkout)'
  expect_clean tensor/reference/good.cpp '"tensor/shape.h"'
  expect_clean lessons/04_walk/good.cpp '"tensor/reference/matmul.h"'
  expect_clean nn/good.h '<hwy/highway.h>'
  rm -rf "$tree"/house/*
  if check "$tree/house" >/dev/null; then
    echo "includes_test: self-test: a folder without sources should fail"
    exit 1
  fi
}

self_test
[ "${1:-}" != --self-test ] || exit 0
check "${1:-$(dirname "$0")/..}"
