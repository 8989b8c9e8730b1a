// The few names of the vendor's header that a host function of a direct file needs.
#pragma once
typedef void *aclrtStream;
typedef enum { ACL_DT_UNDEFINED = -1, ACL_FLOAT = 0 } aclDataType;
