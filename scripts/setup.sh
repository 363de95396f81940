#!/bin/sh
# Makes a fresh machine ready: the packages of package-lock.json, and a clang with its linker. Returns at once when all is there.
set -eu
cd "$(dirname "$0")/.."

packages() {
  stamp=node_modules/.stamp
  if [ -e "$stamp" ] && [ ! package-lock.json -nt "$stamp" ]; then return; fi
  npm ci --no-audit --no-fund
  # npm leaves Bun's own install script out under --ignore-scripts.
  node_modules/.bin/bun --version >/dev/null 2>&1 || node node_modules/bun/install.js
  node_modules/.bin/bun --version >/dev/null
  : > "$stamp"
}

# Whether a compiler is clang 16 or later and has ld.lld.
usable() {
  command -v "$1" >/dev/null 2>&1 || return 1
  major=$("$1" --version 2>/dev/null | sed -n 's/.*clang version \([0-9]*\).*/\1/p')
  [ "${major:-0}" -ge 16 ] || return 1
  linker=$("$1" -print-prog-name=ld.lld)
  [ -x "$linker" ] || command -v ld.lld >/dev/null 2>&1
}

has_compiler() {
  for name in ${TF_CLANG:-clang-19 clang-18 clang-17 clang-16 clang}; do
    if usable "$name"; then return 0; fi
  done
  return 1
}

# The command that makes one the administrator: nothing for root, sudo where it asks for nothing or can ask.
administrator() {
  if [ "$(id -u)" = 0 ]; then return 0; fi
  command -v sudo >/dev/null 2>&1 || return 1
  if sudo -n true 2>/dev/null || [ -t 0 ]; then echo sudo; else return 1; fi
}

# The newest clang of 19, 18, 17 and 16 that this system's packages hold.
packaged() {
  for version in 19 18 17 16; do
    if apt-cache show "clang-$version" >/dev/null 2>&1 && apt-cache show "lld-$version" >/dev/null 2>&1; then
      echo "$version"
      return
    fi
  done
  return 1
}

install_by_apt() {
  as=$(administrator) || return 1
  echo "Installing clang and lld, which compile kernels for the host device."
  $as apt-get update -qq || true
  version=$(packaged) || return 1
  $as env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "clang-$version" "lld-$version" >/dev/null
}

explain() {
  echo "No usable compiler: clang 16 or later with ld.lld was not found." >&2
  echo "  Kernel sources are compiled by clang to run on the host device." >&2
  if [ -n "${TF_CLANG:-}" ]; then
    echo "  TF_CLANG is '$TF_CLANG', so nothing else was tried: correct it or unset it." >&2
    exit 1
  fi
  case "$(uname -s)" in
    Darwin)
      echo "  Xcode's clang comes without lld. Run:" >&2
      echo "    xcode-select --install" >&2
      echo "    brew install llvm lld" >&2
      echo '    export TF_CLANG="$(brew --prefix llvm)/bin/clang" PATH="$(brew --prefix lld)/bin:$PATH"' >&2
      ;;
    *)
      echo "  On Debian and Ubuntu run, as root or with sudo:" >&2
      echo "    apt-get update && apt-get install -y clang-19 lld-19" >&2
      echo "  Elsewhere install clang and lld by the system's own means, or set TF_CLANG to a clang." >&2
      ;;
  esac
  exit 1
}

packages
if has_compiler; then exit 0; fi
if [ -z "${TF_CLANG:-}" ] && command -v apt-get >/dev/null 2>&1; then install_by_apt || explain; fi
has_compiler || explain
