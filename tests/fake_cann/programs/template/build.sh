#!/bin/bash
# The template's driver script: CMake's phases in order, and the package.
cd "$(dirname "$0")" || exit 1
exec python3 cmake/drive
