#!/bin/sh
# Installs aman for this user:
#
#   curl -fsSL https://github.com/@REPOSITORY@/releases/latest/download/install.sh | sh
#
# Downloads the archive for this system and verifies it by the release's checksums; without a valid checksum it stops.
# Then it starts the program once as a test, and replaces an older version in a single step. It changes nothing else: no
# settings of a shell, and it needs no sudo.
#
#   AMAN_INSTALL_DIR   folder of the program (default: ~/.local/bin)
#   AMAN_VERSION       release to install, such as v1.2.3 (default: the latest)
#   AMAN_BASE_URL      other address of the release's files; https, or http on this machine
set -eu

fail() {
  printf 'aman: %s\n' "$1" >&2
  [ $# -lt 2 ] || printf '  hint: %s\n' "$2" >&2
  exit 1
}

has() {
  command -v "$1" >/dev/null 2>&1
}

# Prints the name of the archive for this system.
archive_name() {
  system=$(uname -s)
  machine=$(uname -m)
  case $system in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    MINGW* | MSYS* | CYGWIN*) fail "this script does not install on Windows" "use install.ps1 in PowerShell" ;;
    *) fail "there is no aman for $system" "it can be built from source: npm ci && npm run build" ;;
  esac
  case $machine in
    x86_64 | amd64) arch=amd64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "there is no aman for $system on $machine" "it can be built from source: npm ci && npm run build" ;;
  esac
  # Under Rosetta, uname reports x86_64 although the processor is ARM.
  if [ "$os" = darwin ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || echo 0)" = 1 ]; then arch=arm64; fi
  libc=
  if [ "$os" = linux ] && is_musl; then libc=_musl; fi
  printf 'aman_%s_%s%s.tar.gz' "$os" "$arch" "$libc"
}

is_musl() {
  if has ldd; then
    # The ldd of musl prints "musl" on stderr, and exits with 1.
    case $(ldd --version 2>&1 || true) in
      *musl*) return 0 ;;
      *) return 1 ;;
    esac
  fi
  for loader in /lib/ld-musl-*.so.1; do [ -e "$loader" ] && return 0; done
  return 1
}

base_url() {
  if [ -n "${AMAN_BASE_URL:-}" ]; then
    case $AMAN_BASE_URL in
      https://* | http://localhost:* | http://localhost/* | http://127.0.0.1:* | http://127.0.0.1/*) ;;
      *) fail "AMAN_BASE_URL must begin with https://" ;;
    esac
    printf '%s' "${AMAN_BASE_URL%/}"
    return
  fi
  repository='@REPOSITORY@'
  case $repository in
    @*) fail "this copy of the script does not know where aman is released" "take it from a release, or set AMAN_BASE_URL" ;;
  esac
  case ${AMAN_VERSION:-latest} in
    latest) printf 'https://github.com/%s/releases/latest/download' "$repository" ;;
    *) printf 'https://github.com/%s/releases/download/%s' "$repository" "$AMAN_VERSION" ;;
  esac
}

# download URL FILE
download() {
  case $1 in
    https://*) protocol='=https' ;;
    *) protocol='=http' ;;
  esac
  if has curl; then
    curl -fsSL --proto "$protocol" --retry 2 -o "$2" "$1" || fail "could not download $1"
  elif has wget; then
    wget -q -O "$2" "$1" || fail "could not download $1"
  else
    fail "neither curl nor wget is here" "install one of them and run this again"
  fi
}

sha256_of() {
  if has sha256sum; then
    sha256sum <"$1" | cut -d ' ' -f 1
  elif has shasum; then
    shasum -a 256 <"$1" | cut -d ' ' -f 1
  elif has openssl; then
    openssl dgst -sha256 -r <"$1" | cut -d ' ' -f 1
  else
    fail "nothing here can compute SHA-256, so the download cannot be trusted" \
      "install coreutils (sha256sum), perl (shasum) or openssl"
  fi
}

# verify FILE NAME CHECKSUMS
verify() {
  expected=$(awk -v name="$2" '$2 == name || $2 == "*" name { print $1 }' "$3")
  case $expected in
    '') fail "the release's checksums do not name $2, so it is not installed" ;;
    *[!0-9a-f]*) fail "the release's checksum of $2 is none, so it is not installed" ;;
  esac
  [ "${#expected}" -eq 64 ] || fail "the release's checksum of $2 is none, so it is not installed"
  actual=$(sha256_of "$1")
  [ "$actual" = "$expected" ] || fail "the checksum of $2 is wrong, so it is not installed" \
    "expected $expected, downloaded was $actual; try again, and report it if it stays so"
}

main() {
  name=$(archive_name)
  url=$(base_url)
  directory=${AMAN_INSTALL_DIR:-${HOME:?HOME is not set}/.local/bin}
  scratch=$(mktemp -d)
  staged=
  trap 'rm -rf "$scratch"; [ -z "$staged" ] || rm -f "$staged"' EXIT
  trap 'exit 130' INT TERM HUP

  download "$url/checksums.txt" "$scratch/checksums.txt"
  download "$url/$name" "$scratch/$name"
  verify "$scratch/$name" "$name" "$scratch/checksums.txt"
  tar -xzf "$scratch/$name" -C "$scratch" aman || fail "$name holds no program"

  mkdir -p "$directory" || fail "cannot make $directory" "choose another: AMAN_INSTALL_DIR=..."
  # The new program is first copied to the folder under another name, so that the last step is a rename.
  staged="$directory/.aman-new-$$"
  cp "$scratch/aman" "$staged" || fail "cannot write to $directory" "choose another: AMAN_INSTALL_DIR=..."
  chmod 755 "$staged"
  if ! version=$("$staged" version 2>"$scratch/error"); then
    cat "$scratch/error" >&2
    case $name in
      *_musl*) fail "the program does not start here" "it needs libstdc++; on Alpine: apk add libstdc++" ;;
      *) fail "the program does not start here" ;;
    esac
  fi
  mv -f "$staged" "$directory/aman"
  staged=
  printf '%s is installed: %s\n' "$version" "$directory/aman"

  case ":${PATH:-}:" in
    *":$directory:"*) ;;
    *)
      printf "Its folder is not on your PATH yet; add this line to your shell's settings:\n"
      printf '  export PATH="%s:%s"\n' "$directory" "\$PATH"
      ;;
  esac
}

main "$@"
