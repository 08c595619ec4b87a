#!/bin/sh
# No function has more than 60 lines, from its signature to its last brace, but for those that
# tests/long_functions.txt names. A name there that is no longer needed is an error too, so the list only
# gets shorter.
#
#     sh tests/functions_test.sh [ROOT]         self-test, then the checkout at ROOT (default: this one)
#     sh tests/functions_test.sh --list [ROOT]  the functions over 60 lines, as the list has them
#
# It reads text as clang-format lays it out: what opens at the left edge, or two columns in where that is
# a class, is closed by a brace in the same column.
set -eu

limit=60

# long_functions ROOT: "file function" and, behind a tab, its lines.
long_functions() {
  (
    cd "$1"
    # shellcheck disable=SC2016  # the dollars are those of awk
    find tensor autograd nn lessons bench tests \( -name '*.cpp' -o -name '*.h' \) -type f |
      grep -v '/fuzz/corpus/' | LC_ALL=C sort | xargs awk -v limit="$limit" '
      function name_of(text) {
        sub(/^[ ]*template <[^>]*> ?/, "", text)
        sub(/ : [a-z_]+_?\(.*/, "", text)
        sub(/\(.*/, "", text)
        sub(/.*[ *&]/, "", text)
        return text
      }
      # A statement of level L begins at its column, and ends with a brace or semicolon there.
      function begin(level, line) { start[level] = FNR; head[level] = line }
      FNR == 1 { inside_class = 0; open[0] = open[1] = 0; fence = "" }
      {
        line = $0
        if (fence != "") {  # a raw string, whose lines are no code
          if (index(line, fence)) fence = ""
          next
        }
        if (match(line, /R"[a-z]*\(/)) {
          fence = ")" substr(line, RSTART + 2, RLENGTH - 3) "\""
          if (index(substr(line, RSTART + RLENGTH), fence)) fence = ""
        }
        level = inside_class
        edge = level ? "  " : ""
        at_edge = level ? line ~ /^  [^ \/#]/ : line ~ /^[^ \/#]/
        if (level && line ~ /^}/) { inside_class = 0; open[0] = open[1] = 0; next }
        if (!at_edge && !open[level]) next
        if (at_edge && line ~ "^" edge "}") {
          if (open[level] && is_function[level] && FNR - start[level] + 1 > limit) {
            printf "%s %s\t%d\n", FILENAME, name_of(head[level]), FNR - start[level] + 1
          }
          open[level] = 0
          next
        }
        if (at_edge && !open[level]) {
          if (line ~ /^[ ]*(public|private|protected):/) next
          if (line ~ /^(namespace|extern "C")/ ) next
          begin(level, line)
          open[level] = 1
          is_function[level] = 0
        } else if (at_edge && head[level] ~ /^[ ]*template <.*>$/) {
          head[level] = line
        }
        if (!is_function[level] && line ~ /{$/) {
          if (head[level] ~ /^(struct|class|union) / || line ~ /^(struct|class|union) /) {
            inside_class = 1
            open[0] = 0
            next
          }
          is_function[level] = head[level] ~ /\(/ && head[level] !~ /^[ ]*(enum|struct|class|union) /
          if (!is_function[level]) open[level] = 1
        }
        # A statement without a block ends in its line; "{}" and one-line functions too.
        if (open[level] && !is_function[level] && line ~ /(;|}|\\)$/) open[level] = 0
      }'
  )
}

self_test() {
  tree=$(mktemp -d)
  trap 'rm -rf "$tree"' EXIT
  for folder in tensor autograd nn lessons bench tests; do mkdir "$tree/$folder"; done
  lines() { awk -v n="$1" 'BEGIN { for (i = 0; i < n; ++i) print "  call(\"} {\");" }'; }
  {
    printf '#include <vector>\n\nnamespace gradwalk {\nnamespace {\n\nconstexpr int kA = 1;\n\n'
    printf 'struct Point {\n  double x = 0;\n};\n\nint fits(int a) {\n'
    lines 58
    printf '}\n\ntemplate <class T>\nstd::vector<T> too_long(const std::vector<T>& a,\n                        int b) {\n'
    lines 58
    printf '}\n\n}  // namespace\n\nclass Box {\n public:\n  int fits() const {\n'
    lines 58
    printf '  }\n  int method_too_long() const {\n'
    lines 59
    printf '  }\n};\n\nBox::Box(int a)\n    : a_(a) {\n'
    lines 59
    printf '}\n\nconst char* kText = R"x(\nint not_code() {\n'
    lines 90
    printf '})x";\n\nint one_line() { return 1; }\n\n}  // namespace gradwalk\n'
  } >"$tree/nn/a.cpp"
  expected='nn/a.cpp too_long	62
nn/a.cpp method_too_long	61
nn/a.cpp Box::Box	62'
  found=$(long_functions "$tree")
  if [ "$found" != "$expected" ]; then
    printf 'functions_test: self-test: expected\n%s\ngot\n%s\n' "$expected" "$found"
    exit 1
  fi
  rm -rf "$tree"
  trap - EXIT
}

case ${1:-} in
  --list) long_functions "${2:-$(dirname "$0")/..}" | cut -f1; exit ;;
esac
self_test
root=${1:-$(dirname "$0")/..}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
long_functions "$root" | sort >"$work/found"
cut -f1 "$work/found" | sort -u >"$work/names"
grep -v '^#' "$root/tests/long_functions.txt" | sort -u >"$work/allowed"
bad=0
comm -23 "$work/names" "$work/allowed" >"$work/new"
while IFS= read -r name; do
  bad=1
  echo "over $limit lines: $(grep -F "$name	" "$work/found" | tr '\t' ' ')"
done <"$work/new"
comm -13 "$work/names" "$work/allowed" >"$work/stale"
while IFS= read -r name; do
  bad=1
  echo "tests/long_functions.txt: no longer needed: $name"
done <"$work/stale"
echo "$(wc -l <"$work/names") functions over $limit lines, all of them listed: $([ $bad -eq 0 ] && echo yes || echo no)"
exit $bad
