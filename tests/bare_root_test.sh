#!/bin/sh
# The two commands of the README on a bare Debian 12, where nothing is installed and nothing is built:
# makes one with debootstrap, puts the tracked files of this checkout into it, and calls the launcher
# through chroot. Run by hand, as root; it takes some minutes and about 2 GB in TMPDIR.
#
#     sudo sh tests/bare_root_test.sh [DATA]
#
# DATA is a folder with cases/ and data/, laid read-only beside the checkout for the tests that read it
# (without it they skip). GRADWALK_MIRROR names a Debian mirror; without it the host's own is taken.
# Exits 0 if all went well, 1 if not, 77 if something is missing to run it.
set -eu

data=${1:-}
here=$(cd "$(dirname "$0")/.." && pwd -P)

[ "$(id -u)" -eq 0 ] || { echo 'bare_root_test: needs root'; exit 77; }
for tool in debootstrap git mount; do
  command -v $tool >/dev/null || { echo "bare_root_test: needs $tool"; exit 77; }
done
[ -z "$data" ] || [ -d "$data" ] || { echo "bare_root_test: no folder $data"; exit 77; }

# The host's first mirror of Debian, in either form of apt's source files; empty where there is none.
host_mirror() {
  cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
    sed -n -e 's/^deb  *\(\[[^]]*] *\)\{0,1\}//p' -e 's/^URIs: *//p' |
    grep -oE '^[a-z]+://[^ ]*/debian/?' | head -n 1
}
mirror=${GRADWALK_MIRROR:-$(host_mirror || :)}

work=$(mktemp -d)
root=$work/root

# Runs in every case, interrupts included. Nothing is removed while something is still mounted there.
# shellcheck disable=SC2317  # called by the trap
clean_up() {
  awk -v inside="$root/" 'index($2, inside) == 1 { print $2 }' /proc/mounts | sort -r |
    while IFS= read -r place; do umount "$place" || umount -l "$place"; done
  rm -rf --one-file-system "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

bind() {  # FROM TO [OPTIONS]
  mkdir -p "$root$2"
  mount --bind "$1" "$root$2"
  [ -z "${3:-}" ] || mount -o "remount,bind,$3" "$root$2"
}

now() { date +%s%N; }
seconds_since() { awk "BEGIN { printf \"%.2f\", ($(now) - $1) / 1e9 }"; }

echo "bare root: Debian bookworm, minbase, from ${mirror:-the default mirror}"
start=$(now)
# shellcheck disable=SC2086  # no mirror is no argument
debootstrap --variant=minbase bookworm "$root" $mirror >"$work/debootstrap.log" 2>&1 || {
  tail -n 20 "$work/debootstrap.log"
  echo 'bare_root_test: debootstrap failed'
  exit 1
}
echo "bare root: made in $(seconds_since "$start") s"
cp /etc/resolv.conf "$root/etc/resolv.conf"
{ apt-config dump Acquire 2>/dev/null | grep -i '::proxy '; } >"$root/etc/apt/apt.conf.d/90proxy" || :

mkdir -p "$root/src/gradwalk"
git -C "$here" -c safe.directory="$here" ls-files -z |
  tar -C "$here" --null --files-from=- -cf - | tar -C "$root/src/gradwalk" --no-same-owner -xf -
[ -x "$root/src/gradwalk/gradwalk" ] || { echo 'bare_root_test: the launcher is not tracked by git'; exit 1; }
bind /proc /proc
bind /dev /dev
[ -z "$data" ] || bind "$(cd "$data" && pwd -P)" /src/shared ro
for tool in cmake g++ c++ ninja; do
  [ ! -e "$root/usr/bin/$tool" ] || { echo "bare_root_test: the root is not bare, it has $tool"; exit 1; }
done

failed=0
fail() {
  printf '  FAILED: %s\n' "$*"
  failed=1
}

# step NAME WORDS...: ./gradwalk WORDS in the root; prints exit code and seconds.
step() {
  name=$1
  shift
  start=$(now)
  code=0
  # shellcheck disable=SC2016  # "$@" is the inner shell's
  chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb \
    sh -c 'cd /src/gradwalk && exec ./gradwalk "$@"' sh "$@" </dev/null \
    >"$work/out" 2>"$work/err" || code=$?
  took=$(seconds_since "$start")
  printf 'exit %-3s %8s s   %s ./gradwalk %s\n' "$code" "$took" "$name" "$*"
  if [ "$code" -ne 0 ]; then
    tail -n 60 "$work/out" "$work/err"
    fail "exit code $code"
  fi
  if [ "$name" = warm ] && grep '^gradwalk: ' "$work/err"; then
    fail 'a warm call should find nothing to set up or to build'
  fi
}

step cold run 4
step warm run 4
awk "BEGIN { exit !($took < 1) }" || fail "a warm run took $took s, 1 s is the limit"
# What `run all` builds before its first lesson prints.
rm -rf "$root/src/gradwalk/build"
step cold list
step cold test
sed -n -e '/tests passed/p' -e '/\*\*\*Skipped/p' "$work/out"
step warm test
step warm run all
[ $failed -eq 0 ] && echo 'bare root: all passed'
exit $failed
