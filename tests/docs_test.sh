#!/bin/sh
# What README.md and docs/*.md show is so: their commands run, what they print is what is shown, links
# lead somewhere, and the README stays short.
#
#     sh tests/docs_test.sh [SOURCE [DRIVER [DATA]]]
#
# SOURCE is the checkout (default: this one). Without DRIVER, the built gradwalk, no command is run.
# DATA is GRADWALK_TEST_DATA, whose model is used where a document uses one; without it a small one is
# trained. A self-test comes first.
#
# Commands are the lines of fenced and indented blocks that begin with ./gradwalk or $ ./gradwalk, up to
# two spaces, behind which a remark may stand; "(exit N)" in it is the exit code. Blocks are fenced as:
#     console               run, and compared: "..." stands for lines left out, "> x" is typed in
#     console approximate   run only: times, or numbers of trained models, which machines differ in
# Long commands run in a small form, see in_small.
set -eu
# What the driver prints depends on these.
LC_ALL=C.UTF-8
export LC_ALL
unset FORCE_COLOR NO_COLOR COLUMNS

source=$(cd "${1:-$(dirname "$0")/..}" && pwd -P)
driver=${2:-}
data=${3:-}
least=45  # commands that there are at least; fewer means that the search for them is broken
most_readme=7000

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=$scratch/failed
: >"$failed"
fail() {
  printf 'docs_test: %s\n' "$*"
  echo . >>"$failed"
}

# --- Blocks and commands ---

# commands FILE: writes its commands to $blocks as NUMBER.cmd (the line), NUMBER.exit, NUMBER.typed and
# NUMBER.shown (where output is shown and compared), and prints "NUMBER LINE" for each.
commands() {
  awk -v out="$blocks" '
    function finish() {
      if (shown != "") close(shown)
      if (typed != "") close(typed)
      shown = typed = ""
    }
    function take(line,   remark, code, at) {
      sub(/^[ ]*(\$ )?/, "", line)
      remark = ""
      # Two spaces outside of quotes end the command.
      quoted = ""
      for (at = 1; at <= length(line); ++at) {
        c = substr(line, at, 1)
        if (quoted != "") { if (c == quoted) quoted = "" }
        else if (c == "\"" || c == "\047") quoted = c
        else if (substr(line, at, 2) == "  ") {
          remark = substr(line, at)
          line = substr(line, 1, at - 1)
          break
        }
      }
      code = 0
      if (match(remark, /\(exit [0-9]+\)/)) code = substr(remark, RSTART + 6, RLENGTH - 7)
      ++count
      print set line >(out "/" count ".cmd"); close(out "/" count ".cmd")
      print code >(out "/" count ".exit"); close(out "/" count ".exit")
      print count, FNR
    }
    /^[ ]*```/ {
      finish()
      if (fenced) { fenced = 0; kind = "" } else { fenced = 1; kind = $0; sub(/^[ ]*```/, "", kind); set = "" }
      next
    }
    fenced && kind ~ /^console/ {
      if ($0 ~ /^\$ [A-Z]+=/) { set = set substr($0, 3) "; "; next }
      if ($0 ~ /^\$ /) {
        finish()
        if ($0 !~ /^\$ \.\/gradwalk( |$)/) next
        take($0)
        if (kind == "console") { shown = out "/" count ".shown"; typed = out "/" count ".typed" }
        next
      }
      if (shown != "") print >shown
      if (typed != "" && /^> /) print substr($0, 3) >typed
      next
    }
    fenced && /^(\$ )?\.\/gradwalk( |$)/ { take($0) }
    !fenced && /^    (\$ )?\.\/gradwalk( |$)/ { take($0) }
  ' "$1"
}

# shown_is_printed SHOWN PRINTED: the lines of SHOWN stand in PRINTED, those between two "..." one behind
# the other. Prints the first that does not.
shown_is_printed() {
  awk '
    function found(from,   at, i) {
      for (at = from; at + size <= printed; ++at) {
        for (i = 0; i < size && line[at + i] == piece[i]; ++i) {}
        if (i > best) best = i
        if (i == size) return at + size
      }
      return -1
    }
    function piece_ends() {
      if (size == 0) return
      best = 0
      next_line = found(next_line)
      if (next_line < 0) { print piece[best]; bad = 1; exit 1 }
      size = 0
    }
    FILENAME == ARGV[1] { line[printed++] = $0; next }
    $0 == "..." { piece_ends(); next }
    { piece[size++] = $0 }
    END { if (!bad) piece_ends(); exit bad }
  ' "$2" "$1"
}

# --- Running ---

# in_small COMMAND: the command as it is run here, "launcher", or "unknown". Nothing of the course in full
# size, no training to its end.
in_small() {
  case $1 in
    *'./gradwalk test'*) echo launcher ;;
    *'./gradwalk bench'*) echo launcher ;;
    *'./gradwalk run all'*) echo "$1 --quick --claim=B21,A3" ;;  # the course as a whole is a part of CI
    *'./gradwalk run '*--quick*) echo "$1" ;;
    *'./gradwalk run 4' | *'./gradwalk run 4 '*) echo "$1" ;;  # nothing is trained: full size
    *'./gradwalk run '*--help*) echo "$1" ;;
    *'./gradwalk run '*) echo "$1 --quick" ;;
    *'./gradwalk train '*--resume*) echo "$1" ;;
    *'./gradwalk train '*) echo "$1 --steps=4 --layers=1" ;;
    *'./gradwalk list'* | *'./gradwalk claims'* | *'./gradwalk help'* | *'./gradwalk version'*) echo "$1" ;;
    *'./gradwalk generate '* | *'./gradwalk probe '*) echo "$1" ;;
    *) echo unknown ;;
  esac
}

# launcher_knows PLACE WORDS: ./gradwalk test and bench build much, so only their words are looked at.
launcher_knows() {
  place=$1 verb=$2
  shift 2
  grep -qE "(^|[ |])$verb( \||\))" "$source/gradwalk" || { fail "$place: the launcher has no verb $verb"; return; }
  while [ $# -gt 0 ]; do
    case $verb:$1 in
      bench:--*)
        option=${1#--}
        grep -q "(\"${option%%=*}\"," "$source/bench/options.cpp" || fail "$place: ./gradwalk bench has no option $1"
        ;;
      test:-L)
        shift
        case ${1:-} in
          tensor | autograd | nn | lessons | house | bench) ;;
          lesson[0-9][0-9])
            ls -d "$source/lessons/${1#lesson}_"* >/dev/null 2>&1 || fail "$place: no lesson for the label $1"
            ;;
          *) fail "$place: no test has the label '${1:-}'" ;;
        esac
        ;;
      test:-R | test:-E) shift ;;
      *) fail "$place: ./gradwalk $verb: not known to this test: $1" ;;
    esac
    [ $# -eq 0 ] || shift
  done
}

# What documents name and the repository does not have.
make_fixtures() {
  mkdir -p "$scratch/run/models"
  printf '#!/bin/sh\nexec "%s" "$@"\n' "$driver" >"$scratch/run/gradwalk"
  chmod +x "$scratch/run/gradwalk"
  i=0
  while [ $i -lt 300 ]; do
    echo "ROMEO: First, Once upon a time there was line $((i * i)) of a text that is made up."
    i=$((i + 1))
  done >"$scratch/run/tinyshakespeare.txt"
  if [ -n "$data" ] && [ -d "$data/data/models/tinystories-656k" ]; then
    ln -s "$data/data/models/tinystories-656k" "$scratch/run/models/tinystories-656k"
  else
    (cd "$scratch/run" && ./gradwalk train tinyshakespeare.txt --out=models/tinystories-656k --steps=1 --layers=1) \
      >/dev/null 2>&1 || fail 'no model could be made for the examples'
  fi
}

# run_commands FILE
run_commands() {
  name=${1#"$source/"}
  blocks=$scratch/blocks
  rm -rf "$blocks" && mkdir "$blocks"
  commands "$1" >"$scratch/list"
  while read -r number line; do
    count=$((count + 1))
    command=$(cat "$blocks/$number.cmd")
    small=$(in_small "$command")
    case $small in
      unknown)
        fail "$name:$line: this test does not know how to run: $command"
        continue
        ;;
      launcher)
        # shellcheck disable=SC2086  # words
        set -f && set -- ${command#*./gradwalk } && set +f
        launcher_knows "$name:$line" "$@"
        continue
        ;;
    esac
    [ -n "$driver" ] || continue
    typed=$blocks/$number.typed
    [ -e "$typed" ] || typed=/dev/null
    code=0
    (cd "$scratch/run" && sh -c "$small") <"$typed" >"$scratch/out" 2>"$scratch/err" || code=$?
    if [ "$code" -ne "$(cat "$blocks/$number.exit")" ]; then
      fail "$name:$line: exit code $code instead of $(cat "$blocks/$number.exit"): $small"
      tail -n 5 "$scratch/err"
    elif [ -e "$blocks/$number.shown" ]; then
      missing=$(shown_is_printed "$blocks/$number.shown" "$scratch/out") ||
        fail "$name:$line: '$small' does not print this line, or not there: $missing"
    fi
  done <"$scratch/list"
}

# --- Links and the README's size ---

# headings FILE: its anchors, as GitHub makes them.
headings() {
  awk '
    /^```/ { fenced = !fenced }
    !fenced && /^#+ / {
      line = tolower($0)
      sub(/^#+ /, "", line)
      gsub(/[^a-z0-9 _-]/, "", line)
      gsub(/ /, "-", line)
      n = seen[line]++
      print line (n ? "-" n : "")
    }' "$1"
}

# check_links FILE
check_links() {
  awk '
    /^```/ { fenced = !fenced }
    !fenced {
      gsub(/`[^`]*`/, "")
      while (match($0, /\]\([^)]+\)/)) {
        print FNR, substr($0, RSTART + 2, RLENGTH - 3)
        $0 = substr($0, RSTART + RLENGTH)
      }
    }' "$1" >"$scratch/links"
  while read -r line link; do
    case $link in *://* | mailto:*) continue ;; esac
    links=$((links + 1))
    file=${link%%#*}
    target=$1
    [ -z "$file" ] || target=${1%/*}/$file
    if [ ! -e "$target" ]; then
      fail "${1#"$source/"}:$line: nothing is at $link"
    elif [ "$link" != "$file" ] && ! headings "$target" | grep -qxF -- "${link#*#}"; then
      fail "${1#"$source/"}:$line: $target has no heading for #${link#*#}"
    fi
  done <"$scratch/links"
}

characters() { LC_ALL=C tr -d '\200-\277' <"$1" | wc -c | tr -d ' '; }

# check_readme FILE
check_readme() {
  size=$(characters "$1")
  [ "$size" -le $most_readme ] ||
    fail "README.md has $size characters, more than $most_readme; the rest belongs in docs/"
}

# --- The test of the test ---

# expect_failures COUNT WHAT: so many were told since the last call.
expect_failures() {
  told=$(wc -l <"$failed" | tr -d ' ')
  : >"$failed"
  [ "$told" -eq "$1" ] && return
  echo "docs_test: self-test: $2: $told failures instead of $1"
  exit 1
}

self_test() {
  plant=$scratch/plant
  mkdir -p "$plant"
  keep_driver=$driver keep_source=$source
  driver=$plant/driver source=$plant
  # A driver that prints its words and what is typed in, and fails at "wrong".
  cat >"$driver" <<'STUB'
#!/bin/sh
case "$*" in *wrong*) exit 2 ;; esac
printf 'first\nwords %s\n' "$*"
while read -r typed; do echo "> $typed"; echo "typed $typed"; done
echo last
STUB
  chmod +x "$driver"
  mkdir -p "$scratch/run"
  cp "$driver" "$scratch/run/gradwalk"
  count=0 links=0

  cat >"$plant/good.md" <<'GOOD'
# A good page

    ./gradwalk run 4                    a remark
    ./gradwalk run 4 --set=wrong=1      (exit 2)
    ./other command

```console
$ K=there
$ ./gradwalk list $K
first
words list there
...
last
$ ./gradwalk run 4 --step
...
> c x[0]
typed c x[0]
```

```console approximate
$ ./gradwalk claims "two  spaces"
nothing like it
```

[here](#a-good-page) [there](good.md) [outside](https://example.org/none) `[no](link)`
GOOD
  run_commands "$plant/good.md"
  check_links "$plant/good.md"
  expect_failures 0 'a good page'
  [ "$count" -eq 5 ] || { echo "docs_test: self-test: $count commands found instead of 5"; exit 1; }
  [ "$links" -eq 2 ] || { echo "docs_test: self-test: $links links found instead of 2"; exit 1; }

  # shellcheck disable=SC2016  # backticks
  block() { printf '```console\n$ ./gradwalk list\n' && printf '%s\n' "$@" && echo '```'; }
  bad() {  # COUNT WHAT; the page comes from stdin
    cat >"$plant/bad.md"
    run_commands "$plant/bad.md" >"$scratch/said"
    check_links "$plant/bad.md" >>"$scratch/said"
    expect_failures "$1" "$2"
  }
  printf '    ./gradwalk run 4 --set=wrong=1\n' | bad 1 'a command that fails'
  printf '    ./gradwalk run 4      (exit 3)\n' | bad 1 'a command that does not fail as told'
  printf '    ./gradwalk bake\n' | bad 1 'a command that is not known'
  block first second | bad 1 'a line that is not printed'
  block first last | bad 1 'a line that is left out without ...'
  block last ... first | bad 1 'lines in another order'
  printf '[a](none.md) [b](good.md#none)\n' | bad 2 'links to nowhere'
  cp "$keep_source/gradwalk" "$plant/gradwalk"
  printf '    ./gradwalk test -L lesson99\n' | bad 1 'a label that no test has'

  awk 'BEGIN { for (i = 0; i < 7001; ++i) printf "\303\244" }' >"$plant/README.md"
  check_readme "$plant/README.md" >"$scratch/said"
  expect_failures 1 'a README that is too long'
  printf '%s' "$(head -c 14000 "$plant/README.md")" >"$plant/short.md"
  check_readme "$plant/short.md"
  expect_failures 0 'a README of 7000 characters'
  rm -rf "$plant" "$scratch/run"
  driver=$keep_driver source=$keep_source
}

self_test

[ -z "$driver" ] || make_fixtures
count=0 links=0
for page in "$source/README.md" "$source/docs/"*.md; do
  run_commands "$page"
  check_links "$page"
done
check_readme "$source/README.md"
[ "$count" -ge $least ] || fail "only $count commands were found, and there are $least at least"
[ "$links" -ge 30 ] || fail "only $links links were found, and there are 30 at least"
[ ! -s "$failed" ] || exit 1
if [ -n "$driver" ]; then
  echo "docs_test: $count commands ran, $links links lead somewhere"
else
  echo "docs_test: without a driver none of $count commands was run; $links links lead somewhere"
fi
