#!/bin/sh
# All lessons share one namespace and are linked into one driver. Two types of one name in two of
# their headers would be one type to the linker, without a word from it: each name may stand once.
#
#     sh tests/names_test.sh [ROOT]      self-test, then the checkout at ROOT (default: this one)
#
# Prints name and headers of each that stands more often, and exits 1 if there is one.
set -eu

# check ROOT: reads the headers of ROOT's lessons.
check() {
  (
    cd "$1"
    set -- lessons/[0-9]*/*.h
    [ -e "$1" ] || { echo "names_test: no header to read in $PWD"; exit 1; }
    awk '
      match($0, /^(struct|class|enum class|enum) [A-Za-z0-9_]+/) && !/;[ \t]*$/ {
        words = split(substr($0, RSTART, RLENGTH), word, " ")
        name = word[words]
        if (name in where) {
          printf "%s: %s and %s\n", name, where[name], FILENAME
          bad = 1
        }
        where[name] = FILENAME
      }
      END { exit bad }' "$@"
  )
}

self_test() {
  tree=$(mktemp -d)
  trap 'rm -rf "$tree"' EXIT
  mkdir -p "$tree/lessons/05_a" "$tree/lessons/06_b"
  printf 'struct Run;\nstruct Recipe {\n};\n' >"$tree/lessons/05_a/a.h"
  printf 'struct Run {\n  struct Recipe {};\n};\n' >"$tree/lessons/06_b/b.h"
  found=$(check "$tree") && [ -z "$found" ] || {
    echo "names_test: self-test: nothing stands twice, got: ${found:-a failure}"
    exit 1
  }
  echo 'class Recipe final {' >>"$tree/lessons/06_b/b.h"
  if found=$(check "$tree") || [ "$found" != 'Recipe: lessons/05_a/a.h and lessons/06_b/b.h' ]; then
    echo "names_test: self-test: Recipe stands twice, got: ${found:-nothing}"
    exit 1
  fi
}

self_test
check "${1:-$(dirname "$0")/..}"
