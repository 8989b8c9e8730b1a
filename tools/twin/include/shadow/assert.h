// Host header <assert.h>: nothing of it exists on the device, so its names stay unknown to a kernel.
