# Sourced by the scripts that need programs beside Go: installs Debian packages
# as root or by sudo, and npm packages into a temporary folder. A program that
# cannot be had is a failure, never a skip.
#
# A script states what it needs in one place and calls prepare:
#
#   packages() {                  # a line for each Debian package still missing:
#     command -v npm >/dev/null || echo npm installs html-validate
#   }                             # the package and, in words, what it is for
#   npm_packages=(html-validate@9.7.1)
#   prepare "$@"                  # now $tools/node_modules has the npm packages
#
# With --needs as its only argument it prints what it would install and ends.

npm_packages=()

die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# needs prints what would be installed, a line each.
needs() {
  local package why
  packages | while read -r package why; do
    echo "Debian package $package${why:+: $why}"
  done
  for package in "${npm_packages[@]}"; do
    echo "npm package $package, in a temporary folder"
  done
}

# prepare installs what is missing, and with --needs only says what that is.
prepare() {
  if [ "$*" = --needs ]; then
    needs
    exit
  fi
  install_missing packages
  [ "${#npm_packages[@]}" -gt 0 ] || return 0
  tools=$(mktemp -d)
  trap 'rm -rf "$tools"' EXIT
  install_npm "$tools" "${npm_packages[@]}"
}

# install_packages installs Debian packages, one script at a time: apt-get update
# fails where another one runs.
install_packages() (
  exec 9>"${TMPDIR:-/tmp}/tribunal-apt-get.lock"
  ! command -v flock >/dev/null || flock 9
  local sudo=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || die "neither root nor sudo: install these yourself: $*"
    sudo=(sudo)
    [ -t 0 ] || sudo+=(-n) # nobody is there to type a password
  fi
  command -v apt-get >/dev/null || die "no apt-get: install these yourself: $*"
  echo "installing $*"
  "${sudo[@]}" apt-get update -qq || die "apt-get update failed; wanted: $*"
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=600 "$@" >/dev/null ||
    die "could not install: $*"
)

# install_missing installs what a function names that prints the packages still
# missing, the first word of each line, and holds it to that.
install_missing() {
  local missing
  mapfile -t missing < <("$1" | cut -d ' ' -f 1)
  [ "${#missing[@]}" -gt 0 ] || return 0
  install_packages "${missing[@]}"
  mapfile -t missing < <("$1" | cut -d ' ' -f 1)
  [ "${#missing[@]}" -eq 0 ] || die "installed and still missing: ${missing[*]}"
}

# install_npm installs npm packages into the folder $1. All have their versions, so what
# is in the cache of npm already is not asked for again.
install_npm() {
  local folder=$1
  shift
  npm install --prefix "$folder" --prefer-offline --no-audit --no-fund --ignore-scripts --loglevel=error "$@" >/dev/null ||
    die "could not install $*"
}
