// What every binding sees first; compiled once per machine and PyTorch.
#pragma once
#include <torch/extension.h>

#include <ATen/ATen.h>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>
