// What the device's half of a file with its main has otherwise than a kernel of an operator project.
#pragma once
// Names of element types are the file's own: nothing asks for ORIG_DTYPE_X here.
#undef DT_UNDEFINED
#undef DT_FLOAT
#undef DT_FLOAT16
#undef DT_INT8
#undef DT_INT16
#undef DT_INT32
#undef DT_INT64
#undef DT_UINT8
#undef DT_UINT16
#undef DT_UINT32
#undef DT_UINT64
#undef DT_DOUBLE
#undef DT_BOOL
#undef DT_BF16
#undef DT_INT4
// A tiling structure that the host fills lies in memory as a plain one.
#define BEGIN_TILING_DATA_DEF(name) struct name {
#define TILING_DATA_FIELD_DEF(type, field) type field
#define TILING_DATA_FIELD_DEF_ARR(type, count, field) type field[count]
#define TILING_DATA_FIELD_DEF_STRUCT(type, field) type field
#define END_TILING_DATA_DEF }
#define REGISTER_TILING_DATA_CLASS(name, structure)
