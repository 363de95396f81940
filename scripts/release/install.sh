#!/bin/sh
# Installs tf-kernel-contract from a release: a folder, or the address where its files are.
set -eu

{ # read to its end before anything runs: a download that was cut short does nothing

# Where the files of this release are, written in where it is published; --from names another place.
RELEASE=""

PROGRAM=tf-kernel-contract
from=$RELEASE
prefix=${HOME:-}/.local
pinned=""

usage() {
  cat <<END
Installs $PROGRAM for this user.

  sh install.sh [--from PLACE] [--prefix DIR] [--sha256 HASH]

  --from PLACE    a folder with a release's files, or its address (https://...)
  --prefix DIR    into DIR/bin and DIR/share (default ~/.local)
  --sha256 HASH   what SHA256SUMS itself must hash to, from where you trust it

Every file is held against SHA256SUMS before it is used.
END
}

fail() {
  echo "install.sh: $1" >&2
  [ $# -lt 2 ] || echo "  $2" >&2
  exit 1
}

wrong() {
  echo "install.sh: $1" >&2
  echo "  sh install.sh --help says what it takes." >&2
  exit 2
}

while [ $# -gt 0 ]; do
  case "$1" in
    --from=* | --prefix=* | --sha256=*)
      word=$1
      shift
      set -- "${word%%=*}" "${word#*=}" "$@"
      ;;
    --from | --prefix | --sha256)
      if [ $# -lt 2 ] || [ -z "$2" ]; then wrong "$1 takes a value"; fi
      case "$1" in
        --from) from=${2%/} ;;
        --prefix) prefix=$2 ;;
        --sha256) pinned=$2 ;;
      esac
      shift 2
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) wrong "'$1' is no flag of it" ;;
  esac
done

[ -n "$from" ] || wrong "--from is missing: this copy does not know where its release is"
case "$prefix" in
  /.local) fail "HOME is not set" "Name a folder by --prefix." ;;
  /*) ;;
  *) prefix=$PWD/$prefix ;;
esac

platform() {
  system=$(uname -s)
  machine=$(uname -m)
  # A shell that runs translated on an Apple processor sees an Intel one.
  if [ "$system" = Darwin ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || echo 0)" = 1 ]; then machine=arm64; fi
  case "$system/$machine" in
    Linux/x86_64 | Linux/amd64) echo linux-x64 ;;
    Linux/aarch64 | Linux/arm64) echo linux-arm64 ;;
    Darwin/arm64) echo darwin-arm64 ;;
    *) fail "there is no release for $system on $machine" "There are linux-x64, linux-arm64 and darwin-arm64; elsewhere run from source." ;;
  esac
}

if command -v sha256sum >/dev/null 2>&1; then hash_of() { sha256sum "$1" | cut -d ' ' -f 1; }
elif command -v shasum >/dev/null 2>&1; then hash_of() { shasum -a 256 "$1" | cut -d ' ' -f 1; }
else fail "neither sha256sum nor shasum is here, so nothing can be verified" "Install coreutils."
fi

# fetch NAME FILE
fetch() {
  case "$from" in
    http://* | https://* | file://*)
      if command -v curl >/dev/null 2>&1; then curl -fsSL --proto-redir =https --retry 2 -o "$2" "$from/$1" || fail "$from/$1 does not download"
      elif command -v wget >/dev/null 2>&1; then wget -q -O "$2" "$from/$1" || fail "$from/$1 does not download"
      else fail "neither curl nor wget is here" "Install one, or download the files and name their folder by --from."
      fi
      ;;
    *) cp "$from/$1" "$2" 2>/dev/null || fail "$from/$1 cannot be read" ;;
  esac
}

target=$(platform)
archive=$PROGRAM-$target.tar.gz
work=$(mktemp -d "${TMPDIR:-/tmp}/$PROGRAM.XXXXXX") || fail "no temporary folder can be made"
new=""
trap 'rm -rf "$work" ${new:+"$new"}' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fetch SHA256SUMS "$work/SHA256SUMS"
if [ -n "$pinned" ] && [ "$(hash_of "$work/SHA256SUMS")" != "$pinned" ]; then
  fail "SHA256SUMS of $from is not the one that --sha256 names" "Nothing was installed."
fi
wanted=$(awk -v name="$archive" '$2 == name { print $1 }' "$work/SHA256SUMS")
[ -n "$wanted" ] || fail "SHA256SUMS of $from does not list $archive" "Nothing was installed."
fetch "$archive" "$work/$archive"
found=$(hash_of "$work/$archive")
if [ "$found" != "$wanted" ]; then
  fail "$archive is not what SHA256SUMS says: $found, not $wanted" "Nothing was installed. Download it again."
fi

tar -xzf "$work/$archive" -C "$work" || fail "$archive does not unpack"
made=$work/$PROGRAM-$target

cannot() { fail "$1" "Name another folder by --prefix."; }

# put_beside MODE SOURCE TARGET: complete, as $new beside its name, so that a running program is not written into.
put_beside() {
  mkdir -p "$(dirname "$3")" || cannot "$(dirname "$3") cannot be made"
  new=$3.new.$$
  if ! cp "$2" "$new" || ! chmod "$1" "$new"; then cannot "$3 cannot be written"; fi
}

rename() {
  mv -f "$new" "$1" || cannot "$1 cannot be written"
  new=""
}

install_file() {
  put_beside "$@"
  rename "$3"
}

put_beside 755 "$made/$PROGRAM" "$prefix/bin/$PROGRAM"
"$new" --version || fail "$PROGRAM does not run on this system, or not from $prefix/bin" \
  "On Linux it needs glibc 2.17 or later. Nothing was installed."
rename "$prefix/bin/$PROGRAM"
install_file 644 "$made/$PROGRAM.1" "$prefix/share/man/man1/$PROGRAM.1"
install_file 644 "$made/LICENSES.txt" "$prefix/share/doc/$PROGRAM/LICENSES.txt"
install_file 644 "$made/completions/$PROGRAM.bash" "$prefix/share/bash-completion/completions/$PROGRAM"
install_file 644 "$made/completions/_$PROGRAM" "$prefix/share/zsh/site-functions/_$PROGRAM"
install_file 644 "$made/completions/$PROGRAM.fish" "$prefix/share/fish/vendor_completions.d/$PROGRAM.fish"

case ":${PATH:-}:" in
  *":$prefix/bin:"*) ;;
  *) echo "Installed as $prefix/bin/$PROGRAM, which is not on your PATH. Add this to your shell's profile:
  export PATH=\"$prefix/bin:\$PATH\"" ;;
esac

exit 0
}
