// Bindings of mixed kernels include this; what it declares belongs to direct launches, which bindings do not make.
#pragma once
