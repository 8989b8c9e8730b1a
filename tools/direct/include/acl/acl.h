#pragma once
#include "acl/acl_base.h"
#include "acl/acl_rt.h"
