# Sourced by the scripts that need programs beside Go: installs Debian packages
# as root or by sudo, and npm packages into a temporary folder. A program that
# cannot be had is a failure, never a skip.

die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# install_packages installs Debian packages.
install_packages() {
  local sudo=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || die "neither root nor sudo: install these yourself: $*"
    sudo=(sudo -n)
  fi
  command -v apt-get >/dev/null || die "no apt-get: install these yourself: $*"
  echo "installing $*"
  "${sudo[@]}" apt-get update -qq || die "apt-get update failed; wanted: $*"
  DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "$@" >/dev/null ||
    die "could not install: $*"
}

# install_missing installs what a function names that prints the packages still
# missing, and holds it to that.
install_missing() {
  local missing
  mapfile -t missing < <("$1")
  [ "${#missing[@]}" -gt 0 ] || return 0
  install_packages "${missing[@]}"
  mapfile -t missing < <("$1")
  [ "${#missing[@]}" -eq 0 ] || die "installed and still missing: ${missing[*]}"
}

# install_npm installs npm packages into the folder $1.
install_npm() {
  local folder=$1
  shift
  npm install --prefix "$folder" --no-audit --no-fund --ignore-scripts --loglevel=error "$@" >/dev/null ||
    die "could not install $*"
}
