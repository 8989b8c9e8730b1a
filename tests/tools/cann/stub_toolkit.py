"""A toolkit of shell scripts that answer as the vendor's programs do, for what AKGen makes of the answers.

msopgen writes a project with the template's build files; its build.sh looks for words in the sources and fails as
g++, bisheng, ld or opc would, or makes a package whose installer unpacks an operator of ours.
"""

import shutil
from pathlib import Path

from tests.tools.cann.conftest import STUBS

MSOPGEN = r"""#!/bin/bash
[ "$(umask)" = 0022 ] || { echo "ERROR: files can be written by others"; exit 1; }
while [ $# -gt 0 ]; do case $1 in -i) json=$2;; -out) out=$2;; esac; shift; done
case "$out$json" in *[!A-Za-z0-9_./-]*) echo "ERROR: the path has characters that are not allowed"; exit 1;; esac
[ -L "$out" ] || [ -L "$json" ] && { echo "ERROR: a path is a link"; exit 1; }
[ -d "$out" ] && [ -n "$(ls -A "$out")" ] && { echo "ERROR: the folder is not empty"; exit 1; }
mkdir -p "$out"/op_host "$out"/op_kernel "$out"/cmake
cp "$json" "$out"/interface.json
echo "set(TEMPLATE 1)" > "$out"/CMakeLists.txt
echo "set(TEMPLATE 1)" > "$out"/op_kernel/CMakeLists.txt
echo 'target_compile_options(intf_pub INTERFACE -std=c++11)' > "$out"/cmake/intf.cmake
echo '{"configurePresets": [{"cacheVariables": {"ASCEND_CANN_PACKAGE_PATH": {"type": "PATH", "value": "/x"}}}]}' \
    > "$out"/CMakePresets.json
cp "$(dirname "$0")"/../template/build.sh "$out"/build.sh
"""

BUILD = r"""#!/bin/bash
cd "$(dirname "$0")" || exit 1
echo "-- configuring with python3 $(command -v python3), HOME $HOME"
grep -q TEMPLATE CMakeLists.txt op_kernel/CMakeLists.txt && grep -q 'c++17' cmake/intf.cmake || {
    echo "CMake Error at CMakeLists.txt:1 (project):"; exit 1; }
source=$(ls op_kernel/*.cpp); host=$(ls op_host/*.cpp)
say() { grep -n "$1" "$2" | head -1 | cut -d: -f1; }
grep -q STUB_FULL "$source" && { echo "fatal: No space left on device"; exit 1; }
grep -q STUB_NUMPY "$source" && { echo "ModuleNotFoundError: No module named 'numpy'" >&2; exit 1; }
grep -q set_tyle "$host" && {
    echo "$PWD/$host:$(say set_tyle $host):12: error: 'class T' has no member named 'set_tyle'"; exit 1; }
grep -q STUB_OPBUILD "$host" && {
    echo "build.sh: line 9: 77 Segmentation fault (core dumped) opbuild lib.so" >&2; exit 1; }
grep -q missing_function "$host" && {
    echo "/usr/bin/ld: $host.o: in function \`TilingFunc':"
    echo "$PWD/$host:$(say missing_function $host): undefined reference to \`missing_function()'"; exit 1; }
type=$(sed -n 's/.*"op": "\([A-Za-z0-9]*\)".*/\1/p' interface.json)
kernel=$(basename "$source" .cpp)
grep -q "Multiply(" "$source" && {
    echo "/w/op_kernel/$type.cpp:$(say 'Multiply(' $source):9: error: use of undeclared identifier 'Multiply'" >&2
    exit 1; }
cat "$EVIL" 2>/dev/null && { echo "BUILD CODE READ A FILE OUTSIDE"; }
mkdir -p build_out
cat > build_out/custom_opp_test_x86_64.run <<END
#!/bin/bash
for a in "\$@"; do case \$a in --install-path=*) to=\${a#*=};; esac; done
mkdir -p \$to/vendors/customize/op_api/lib || exit 1
binaries=\$to/vendors/customize/op_impl/ai_core/tbe/kernel/ascend910b/$kernel
mkdir -p \$binaries
cp $PWD/$source \$binaries/$type.o
g++ -std=c++17 -O0 -w -fPIC -shared -I$STUBS -DOP=$type $STUBS/scale_add.cpp \
    -o \$to/vendors/customize/op_api/lib/libcust_opapi.so
END
"""

MSPROF = r"""#!/bin/bash
if [ "$1" = op ]; then
    shift
    app=()
    for a in "$@"; do case $a in --output=*) out=${a#*=};; --*) ;; *) app+=("$a");; esac; done
    "${app[@]}" || exit 1
    number=0
    while read -r name us; do # the launches of one call, in a file that a test leaves
        for call in 1 2 3; do
            at="$out/OPPROF_1/$name/$((number++))"
            mkdir -p "$at"
            echo "Op Name,Op Type,Task Duration(us),Block Dim,Current Freq,Rated Freq
$name,vector,$us,8,1800,1850" > "$at/OpBasicInfo.csv"
            echo "block_id,sub_block_id,aiv_time(us),aiv_vec_time(us),aiv_mte2_time(us)
0,vector0,$us,1.0,2.0" > "$at/PipeUtilization.csv"
        done
    done < "$(dirname "$0")/launched"
    exit 0
fi
app=()
for a in "$@"; do case $a in --output=*) out=${a#*=};; --*) ;; *) app+=("$a");; esac; done
mkdir -p "$out"/PROF_1/mindstudio_profiler_output
"${app[@]}" || exit 1
type=$(sed -n 's/.*"op_type":"\([A-Za-z0-9]*\)".*/\1/p' "${@: -1}")
echo "Op Name,OP Type,Task Type,Task Duration(us),Task Wait Time(us),Block Dim,aiv_vec_time(us)
a,$type,AI_VECTOR_CORE,12.5,0.0,4,2.0" > "$out"/PROF_1/mindstudio_profiler_output/op_summary_1.csv
echo '[]' > "$out"/PROF_1/mindstudio_profiler_output/msprof_1.json
"""

# -x c++ for the file's suffix, which g++ does not know; what is launched with <<<>>> is left out of these tests
BISHENG = r"""#!/bin/bash
args=()
for a in "$@"; do
    case $a in --npu-arch=dav-2201) seen=1;; --cce-enable-sanitizer) args+=("$STUBS/sanitizer.cpp");;
    *.asc) args+=(-x c++ "$a" -x none);; *) args+=("$a");; esac
done
[ "$seen" ] || { echo "error: no architecture"; exit 1; }
exec g++ -w -I"$STUBS" "${args[@]}"
"""


# what the tool says of a kernel whose source has the word; each line of the application's comes before
MSSANITIZER = r"""#!/bin/bash
for a in "$@"; do case $a in --log-file=*) log=${a#*=};; esac; done
while [ "$1" != -- ]; do shift; done
shift
"$@" || exit $?
library=$(sed -n 's/.*"library":"\([^"]*\)".*/\1/p' "${@: -1}")
grep -q __sanitizer_report_store "$library" || { echo "no kernel with instrumentation was launched"; exit 0; }
grep -q STUB_OVERRUN "$library" && cat > "$log" <<END
====== ERROR: illegal write of size 32
======    at 0x12c0c002ef00 on GM in axpy
======    #0 /w/area/sources/op_kernel/axpy.asc:12:9
END
exit 0
"""


def make_toolkit(home: Path, libraries: Path) -> Path:
    """Write the toolkit below `home`, with the stub libraries."""
    scripts = {
        "python/site-packages/bin/msopgen": MSOPGEN,
        "python/site-packages/template/build.sh": BUILD,
        "bin/msprof": MSPROF,
        "bin/bisheng": BISHENG,
        "bin/mssanitizer": MSSANITIZER,
        "set_env.sh": f"export STUBS={home}/stubs\nexport LD_LIBRARY_PATH={home}/lib64:$LD_LIBRARY_PATH\n"
        f"export PLUGIN_OF_SET_ENV=1 PATH={home}/bin:$PATH\n",
        "version.cfg": "# version: 1.0\nruntime_running_version=[7.7.0.1.238:8.1.RC1]\n",
    }
    for name, text in scripts.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    shutil.copytree(STUBS, home / "stubs")
    (home / "lib64").mkdir()
    for library in libraries.glob("lib*.so"):
        shutil.copy(library, home / "lib64")
    return home
