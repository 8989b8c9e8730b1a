// What bindings use of PyTorch, without networks, optimisers and the rest, so that one compiles in seconds.
#pragma once
#ifdef AKGEN_WHOLE_TORCH // a binding that needs more gets all of it
#include_next <torch/extension.h>
#else
#include <torch/csrc/autograd/generated/variable_factories.h>
#include <torch/csrc/utils/pybind.h>
#include <torch/library.h>
#include <torch/types.h>
#endif
