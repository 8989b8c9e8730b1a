// The host side reads a kernel template's parameters and combinations; to the kernel they say nothing.
#pragma once
#define ASCENDC_TPL_ARGS_DECL(...) static_assert(true)
#define ASCENDC_TPL_SEL(...) static_assert(true)
// A type of kernel as an argument of the template: the host side's numbers.
#define ASCENDC_TPL_AIV_ONLY 0
#define ASCENDC_TPL_AIC_ONLY 1
#define ASCENDC_TPL_MIX_AIV_1_0 2
#define ASCENDC_TPL_MIX_AIC_1_0 3
#define ASCENDC_TPL_MIX_AIC_1_1 4
#define ASCENDC_TPL_MIX_AIC_1_2 5
