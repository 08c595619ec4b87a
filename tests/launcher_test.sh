#!/bin/sh
# The launcher's promises, held against stand-ins for cmake and ctest in a folder of its own: quick,
# and nothing is built or installed. tests/bare_root_test.sh is the same for real.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
calls=$work/calls

mkdir -p "$work/bin" "$tree/lessons/04_walk" "$tree/lessons/05_score" "$tree/lessons/course" "$tree/lessons/tasks" \
  "$tree/lessons/driver" "$tree/tests" "$tree/bench" \
  "$tree/tensor" "$tree/autograd" "$tree/nn" "$work/elsewhere"
cp "$here/gradwalk" "$tree/gradwalk"
touch "$tree/CMakeLists.txt" "$tree/CMakePresets.json" "$tree/lessons/claims.json" "$tree/lessons/glossary.json" "$tree/tensor/shape.cpp" "$tree/tests/a_test.cpp" \
  "$tree/lessons/04_walk/lesson.cpp" "$tree/lessons/05_score/lesson.cpp"

cat >"$work/bin/cmake" <<STUB
#!/bin/sh
echo "cmake \$*" | sed "s|$tree|TREE|g" >>"$calls"
build=$tree/build/release
mkdir -p "\$build/bin"
case "\$*" in
  --build*)
    sleep 0.2
    if [ -e "$work/break" ]; then
      printf '[1/2] Building a\nFAILED: a.o \nthe-whole-command\na.cpp:1:1: error: broken\nninja: build stopped: subcommand failed.\n'
      exit 1
    fi
    echo '[0/1] Re-checking globbed directories...'
    [ ! -e "$work/warn" ] || printf '[1/1] Building a\na.cpp:1:1: warning: odd\n'
    case "\$*" in
      *--target\ all) made='gradwalk gradwalk_bench lesson_04_walk lesson_05_score' ;;
      *) made=\${*##*--target } ;;
    esac
    for one in \$made; do
      printf '#!/bin/sh\necho "%s in \$PWD:" "\$#" "\$@"\n[ "\${1:-}" != fail ] || exit 3\n' "\$one" |
        sed 's/^echo "gradwalk in/echo "driver in/' >"\$build/bin/\$one"
      chmod +x "\$build/bin/\$one"
    done
    ;;
  *)
    touch "\$build/build.ninja"
    echo "CMAKE_HOME_DIRECTORY:INTERNAL=$tree" >"\$build/CMakeCache.txt"
    case "\$*" in *TESTS=ON*) echo 'GRADWALK_TESTS:BOOL=ON' >>"\$build/CMakeCache.txt" ;; esac
    ;;
esac
STUB
printf '#!/bin/sh\necho "ctest $*" | sed "s|%s|TREE|g; s/-j [0-9]*/-j N/"\n' "$tree" >"$work/bin/ctest"
# Whatever this machine lacks, this test installs nothing.
printf '#!/bin/sh\necho "apt-get: not in this test"\nexit 1\n' >"$work/bin/apt-get"
for tool in ninja g++; do printf '#!/bin/sh\n' >"$work/bin/$tool"; done
chmod +x "$work/bin/"*
PATH=$work/bin:$PATH
unset CXX

# call FOLDER COMMAND...: runs the launcher, keeps its code, output and the calls of cmake.
call() {
  : >"$calls"
  code=0
  (cd "$1" && shift && "$@") >"$work/out" 2>"$work/err" </dev/null || code=$?
}

# expect WHAT GOT WANTED
expect() {
  [ "$2" = "$3" ] && return
  printf 'launcher_test: %s\n  expected: %s\n  got:      %s\n' "$1" "$3" "$2"
  cat "$work/out" "$work/err"
  exit 1
}
out() { cat "$work/out"; }
err() { cat "$work/err"; }
cmake_calls() { cat "$calls"; }
later() { sleep 0.05; }  # so that what comes next has a later time than the stamp

call "$work/elsewhere" "$tree/gradwalk" run 4
expect 'a cold run of one lesson configures without tests and builds that lesson alone' "$(cmake_calls)" \
  'cmake -B TREE/build/release --preset release -DGRADWALK_TESTS=OFF -DGRADWALK_BENCH=OFF
cmake --build TREE/build/release --target lesson_04_walk'
expect 'the lesson gets the words, in the folder of the caller' "$(out)" "lesson_04_walk in $work/elsewhere: 2 run 4"
expect 'a cold run succeeds' "$code" 0

call "$tree" ./gradwalk run 04 --step --seed=3
expect 'a warm run of the lesson calls no cmake' "$(cmake_calls)" ''
expect 'options go to the lesson' "$(out)" "lesson_04_walk in $tree: 4 run 04 --step --seed=3"

later
touch "$tree/lessons/05_score/lesson.cpp"
call "$tree" ./gradwalk run 4
expect 'an edit of another lesson is none of this one' "$(cmake_calls)" ''

for words in 'run all' 'run 4-5' 'run 4 5' 'run 7' 'run' 'list'; do
  rm -f "$tree/build/release/.gradwalk-run"
  # shellcheck disable=SC2086  # several words
  call "$tree" ./gradwalk $words
  expect "$words needs the driver" "$(cmake_calls)" 'cmake --build TREE/build/release --target gradwalk'
  expect "$words goes to the driver" "$(out | cut -d' ' -f1)" driver
done

later
touch "$tree/lessons/04_walk/lesson.cpp"
call "$tree" ./gradwalk run all
expect 'an edit of a lesson is one of the driver' "$(cmake_calls)" 'cmake --build TREE/build/release --target gradwalk'
call "$tree" ./gradwalk run 4
expect 'where the driver is up to date and the lesson is not, nothing is built' "$(cmake_calls)" ''
expect 'and the driver runs the lesson' "$(out)" "driver in $tree: 2 run 4"

later
touch "$tree/lessons/04_walk/lesson.cpp"
call "$tree" ./gradwalk run 4
expect 'where neither is up to date, the lesson is built' "$(cmake_calls)" \
  'cmake --build TREE/build/release --target lesson_04_walk'
call "$tree" ./gradwalk list

call "$tree" ./gradwalk list
expect 'a warm run calls no cmake' "$(cmake_calls)" ''
expect 'a warm run says nothing of its own' "$(err)" ''

ln -s tree/gradwalk "$work/link"
ln -s ../link "$work/elsewhere/link to link"
call "$work/elsewhere" './link to link' help 'two words' ''
expect 'a link to a link finds the checkout' "$(out)" "driver in $work/elsewhere: 3 help two words "
call "$tree" sh gradwalk fail
expect 'the exit code is that of the driver' "$code" 3

later
touch "$tree/tensor/shape.cpp" "$work/warn"
call "$tree" ./gradwalk list
expect 'an edit is built' "$(cmake_calls | cut -d' ' -f1-3)" 'cmake --build TREE/build/release'
expect 'a warning is shown' "$(err | grep -v ^gradwalk:)" 'a.cpp:1:1: warning: odd'
rm "$work/warn"

later
touch "$tree/nn/new.cpp"
rm "$tree/nn/new.cpp"
call "$tree" ./gradwalk list
expect 'a file that went is seen' "$(cmake_calls | wc -l | tr -d ' ')" 1
expect 'a look that finds nothing to do is quiet' "$(err)" ''

later
touch "$tree/lessons/05_score/lesson.cpp" "$work/break"
for again in first second; do
  call "$tree" ./gradwalk list
  expect "a broken build is exit code 6, the $again time" "$code" 6
  expect "a broken build shows what the compiler said, the $again time" "$(err | grep -v ^gradwalk:)" \
    'a.cpp:1:1: error: broken'
  expect "a broken build runs nothing, the $again time" "$(out)" ''
done
rm "$work/break"
call "$tree" ./gradwalk list
expect 'a mended build runs' "$code" 0

call "$tree" ./gradwalk test -L lesson04
expect 'test turns the tests on and builds all' "$(cmake_calls)" \
  'cmake -B TREE/build/release -DGRADWALK_TESTS=ON
cmake --build TREE/build/release --target all'
expect 'ctest gets the words' "$(out)" 'ctest --test-dir TREE/build/release --output-on-failure -j N -L lesson04'
call "$tree" ./gradwalk test
expect 'long suites are left out unless asked for' "$(out)" \
  'ctest --test-dir TREE/build/release --output-on-failure -j N -LE ^long$'
expect 'a warm test calls no cmake' "$(cmake_calls)" ''
later
touch "$tree/tests/a_test.cpp"
call "$tree" ./gradwalk run 4
expect 'a run neither undoes test nor minds the tests' "$(cmake_calls)" ''
call "$tree" ./gradwalk test
expect 'an edited test is built' "$(cmake_calls)" 'cmake --build TREE/build/release --target all'
# The launcher looks for the real header, and would install the package that has it.
if [ -e /usr/include/benchmark/benchmark.h ] || [ -e /usr/local/include/benchmark/benchmark.h ]; then
  call "$tree" ./gradwalk bench --quick
  expect 'bench turns the benchmarks on' "$(cmake_calls)" \
    'cmake -B TREE/build/release -DGRADWALK_BENCH=ON
cmake --build TREE/build/release --target gradwalk gradwalk_bench'
  expect 'bench gets the words' "$(out)" "gradwalk_bench in $tree: 1 --quick"
else
  echo 'without Google Benchmark: bench is not tried'
fi

later
touch "$tree/tensor/shape.cpp"
: >"$calls"
(cd "$tree" && exec ./gradwalk one) >"$work/one" 2>&1 </dev/null &
(cd "$tree" && exec ./gradwalk two) >"$work/two" 2>&1 </dev/null &
wait
expect 'of two at once one builds' "$(grep -c -e --build "$calls")" 1
expect 'of two at once both run' "$(cat "$work/one" "$work/two" | grep ^driver)" \
  "driver in $tree: 1 one
driver in $tree: 1 two"

sed -i.old 's/^CMAKE_HOME_DIRECTORY.*/CMAKE_HOME_DIRECTORY:INTERNAL=elsewhere/' "$tree/build/release/CMakeCache.txt"
later
touch "$tree/tensor/shape.cpp"
call "$tree" ./gradwalk list
expect 'a build that was made for another folder is started again' "$(cmake_calls | head -n 1)" \
  'cmake -B TREE/build/release --preset release -DGRADWALK_TESTS=OFF -DGRADWALK_BENCH=OFF'
