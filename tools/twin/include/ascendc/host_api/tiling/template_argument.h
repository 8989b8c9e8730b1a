// The host side reads a kernel template's parameters and combinations; to the kernel they say nothing.
#pragma once
#define ASCENDC_TPL_ARGS_DECL(...) static_assert(true)
#define ASCENDC_TPL_SEL(...) static_assert(true)
