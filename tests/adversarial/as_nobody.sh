#!/bin/sh
# as_nobody.sh PYTHON ARGUMENTS…: run the interpreter as the user nobody, without any capability. Needs root.
# An interpreter below a folder that only its owner may enter, such as /root, is shown through a folder of the same
# name, in a mount namespace of its own.
set -eu
[ "$(id -u)" = 0 ] || { echo "as_nobody.sh needs root" >&2; exit 2; }
python=$1
shift
installed=$(dirname "$(dirname "$(readlink -f "$python")")")
work=$(mktemp -d /tmp/akgen-nobody.XXXXXX)
trap 'rm -rf "$work"' EXIT
mkdir "$work/cache" "$work/installed"
chmod 711 "$work"
chown nobody "$work/cache"
export installed work python
unshare --mount sh -eu -c '
    if ! setpriv --reuid=nobody --clear-groups test -x "$installed"; then
        mount --bind "$installed" "$work/installed"
        mount -t tmpfs -o mode=755 tmpfs "/$(echo "$installed" | cut -d/ -f2)"
        mkdir -p "$installed"
        mount --bind "$work/installed" "$installed"
    fi
    exec setpriv --reuid=nobody --regid=nogroup --clear-groups --bounding-set=-all --inh-caps=-all \
        env HOME="$work" XDG_CACHE_HOME="$work/cache" PYTHONDONTWRITEBYTECODE=1 "$python" "$@"
' sh "$@"
