# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the scripts in tools/ share about apt: is this Debian, can we become root, install and update
# with one sentence where it fails. Sourced, not run.

on_debian() {
    [[ -r /etc/os-release ]] || return 1
    [[ $(. /etc/os-release && echo "${ID:-}") == debian ]] && command -v apt-get >/dev/null
}

can_be_root() {
    [[ $(id -u) == 0 ]] || command -v sudo >/dev/null
}

as_root() {
    if [[ $(id -u) == 0 ]]; then
        "$@"
    else
        sudo -- "$@"
    fi
}

# Runs apt-get with its talk kept in a file of which $apt_said holds the last lines.
quiet_apt_get() {
    local log status=0
    log=$(mktemp)
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 \
        "$@" </dev/null >"$log" 2>&1 || status=$?
    apt_said=$(tail -n 4 "$log")
    rm -f "$log"
    return "$status"
}

update_lists() {
    echo "Fetching apt's package lists ..."
    quiet_apt_get update && return 0
    printf '%s\n' "$apt_said" "setup: apt-get update failed. Is this machine online?" >&2
    return 1
}

# Whether apt's lists know every one of these packages.
lists_know() {
    local package
    for package in "$@"; do
        apt-cache show --no-all-versions "$package" >/dev/null 2>&1 || return 1
    done
}

# install_packages NAME...: installs them, with fresh lists only where the present ones do not do.
install_packages() {
    local updated=no
    if ! lists_know "$@"; then
        update_lists || return 1
        updated=yes
    fi
    echo "Installing ..."
    quiet_apt_get install --no-install-recommends "$@" && return 0
    if [[ $updated == no ]]; then
        # Old lists name files that the mirror no longer has.
        update_lists || return 1
        quiet_apt_get install --no-install-recommends "$@" && return 0
    fi
    printf '%s\n' "$apt_said" "setup: apt could not install $*. Is this machine online?" >&2
    return 1
}
