// How a hand-written entry point looks: it needs headers of the operator library and is no part of the operator.
#include "opdev/op_log.h"
#include "no/such/header.h"
