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

# Runs apt-get with its talk kept in a log; the log's end is shown only where it fails.
quiet_apt_get() {
    local log status=0
    log=$(mktemp)
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 \
        "$@" </dev/null >"$log" 2>&1 || status=$?
    (( status == 0 )) || tail -n 15 "$log" >&2
    rm -f "$log"
    return "$status"
}

update_lists() {
    echo "Fetching apt's package lists ..."
    quiet_apt_get update && return 0
    echo "setup: apt-get update failed (its last lines are above). Is this machine online?" >&2
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
        echo "setup: apt could not install them; the package lists may be old." >&2
        update_lists || return 1
        quiet_apt_get install --no-install-recommends "$@" && return 0
    fi
    echo "setup: apt could not install $* (its last lines are above)." >&2
    return 1
}
