#!/bin/sh
# Includes point one way: driver -> a lesson -> tasks -> course -> nn -> autograd -> tensor, and inside these from
# room to room as the ranks below say. No lesson knows another one. Inside tensor/ the naive loops of
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
        # From below. Rooms of one number know nothing of each other.
        order = "tensor; autograd; nn/files nn/statistics; nn; nn/optim nn/diagnostics nn/checkpoint nn/tokenizer;" \
                "nn/training; course/text; course/engine; course/json; course/pictures; course/terminal; tasks; lesson;" \
                "driver/run; driver/probe; driver/commands; driver; tests bench"
        count = split(order, level, /; */)
        for (i = 1; i <= count; ++i) {
          rooms = split(level[i], room_name, " ")
          for (j = 1; j <= rooms; ++j) rank[room_name[j]] = i
        }
      }
      # The room of a path: two folders deep where there is a rank for that.
      function room_of(path, part, parts, name) {
        parts = split(path, part, "/")
        if (part[1] == "lessons") {
          if (part[2] ~ /^([0-9][0-9]_|template$)/) return "lesson"
          name = parts > 3 ? part[2] "/" part[3] : part[2]
          return name in rank ? name : part[2]
        }
        name = parts > 2 ? part[1] "/" part[2] : part[1]
        return name in rank ? name : part[1]
      }
      function report(from, to) {
        printf "%s:%d: %s -> %s: %s\n", FILENAME, FNR, from, to, $0
        bad = 1
      }
      FNR == 1 && !(room_of(FILENAME) in rank) { report("a room without a rank", room_of(FILENAME)) }
      /^[ \t]*#[ \t]*include[ \t]*["<]/ {
        path = $0
        sub(/^[^"<]*["<]/, "", path)
        sub(/[">].*/, "", path)
        split(FILENAME, file, "/")
        split(path, included, "/")
        from = room_of(FILENAME)
        to = room_of(path)
        if (path ~ /(^|\/)\.\.?\// || ($0 ~ /include[ \t]*"/ && path !~ /\//)) {
          report(from, "a relative path (name it from the top of the checkout)")
        } else if ($0 ~ /include[ \t]*"/ && !(to in rank)) {
          report(from, to)
        } else if (to in rank && (rank[to] > rank[from] || (rank[to] == rank[from] && to != from))) {
          report(from, to)
        } else if (from == "lesson" && to == "lesson" && file[2] != included[2]) {
          report(file[2], included[2])
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
      "$tree/house/nn/optim" "$tree/house/nn/files" "$tree/house/lessons/course/text" "$tree/house/lessons/course/json" \
      "$tree/house/lessons/course/engine" "$tree/house/lessons/tasks" "$tree/house/lessons/driver/run" \
      "$tree/house/lessons/04_walk" "$tree/house/lessons/05_score"
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
  expect_found nn/optim/bad.cpp '"lessons/course/text/text.h"' 'nn/optim -> course/text'
  expect_found nn/files/bad.cpp '"nn/module.h"' 'nn/files -> nn'
  expect_found nn/optim/bad.cpp '"nn/diagnostics/pca.h"' 'nn/optim -> nn/diagnostics'
  expect_found lessons/course/text/bad.cpp '"lessons/course/engine/step.h"' 'course/text -> course/engine'
  expect_found lessons/course/json/bad.cpp '"lessons/tasks/grammar.h"' 'course/json -> tasks'
  expect_found lessons/tasks/bad.cpp '"lessons/04_walk/walk.h"' 'tasks -> lesson'
  expect_found lessons/04_walk/bad.cpp '"lessons/05_score/score.h"' '04_walk -> 05_score'
  expect_found lessons/04_walk/bad.cpp '"lessons/driver/run/context.h"' 'lesson -> driver/run'
  expect_found lessons/driver/run/bad.cpp '"lessons/driver/commands/train.h"' 'driver/run -> driver/commands'
  expect_found lessons/04_walk/bad.cpp '"tests/support.h"' 'lesson -> tests'
  expect_found tensor/reference/bad.cpp '"tensor/kernels/matmul.h"' 'tensor/reference -> tensor/kernels'
  expect_found tensor/kernels/bad.cpp '"tensor/reference/matmul.h"' 'tensor/kernels -> tensor/reference'
  expect_found autograd/bad.cpp '"../nn/linear.h"' \
    'autograd -> a relative path (name it from the top of the checkout)'
  expect_found autograd/bad.cpp '"variable.h"' \
    'autograd -> a relative path (name it from the top of the checkout)'
  expect_clean tensor/reference/good.cpp '"tensor/shape.h"'
  expect_clean lessons/04_walk/good.cpp '"tensor/reference/matmul.h"'
  expect_clean lessons/04_walk/good.cpp '"lessons/04_walk/steps/steps.h"'
  expect_clean lessons/driver/run/good.cpp '"lessons/course/terminal/render_step.h"'
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
