#!/bin/bash
# The package's installer: --install-path=FOLDER, --quiet.
to=$ASCEND_OPP_PATH
for a in "$@"; do case $a in --install-path=*) to=${a#*=};; esac; done
if grep -q '^installer denied' "$AKGEN_REHEARSAL/build_faults" 2>/dev/null || ! mkdir -p "$to" 2>/dev/null; then
    echo "[ops_custom] [$(date +%F)] [ERROR] create $to/vendors failed: Permission denied"
    exit 1
fi
if grep -q '^installer full' "$AKGEN_REHEARSAL/build_faults" 2>/dev/null; then
    echo "cp: error writing '$to/vendors/customize': No space left on device" >&2
    exit 1
fi
sed '1,/^__ARCHIVE__$/d' "$0" | base64 -d | tar -xz -C "$to" || exit 1
echo "load_priority=customize" > "$to/vendors/config.ini"
mkdir -p "$to/vendors/customize/bin"
echo "export ASCEND_CUSTOM_OPP_PATH=$to/vendors/customize:\${ASCEND_CUSTOM_OPP_PATH}" > "$to/vendors/customize/bin/set_env.bash"
echo "SUCCESS"
exit 0
__ARCHIVE__
