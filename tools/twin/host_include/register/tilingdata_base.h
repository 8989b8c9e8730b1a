// Tiling data: a class on the host whose fields, laid out in order, become a plain struct on the device.
// Layout: each field at its natural alignment, nested structs and the total padded to 8 bytes.
#ifndef AKGEN_REGISTER_TILINGDATA_BASE_H
#define AKGEN_REGISTER_TILINGDATA_BASE_H
#include "graph/types.h"
#include "securec.h" // as the vendor's own header does

namespace optiling {

class TilingDef;

// One field: where it lies in the object and in the buffer that the kernel reads.
struct TilingField {
    const char *type;
    const char *name;
    uint32_t count;         // elements of an array; 0: not an array
    uint32_t element_bytes; // 0: a nested struct
    uint32_t data_offset;
    int64_t object_offset;
};

class AKGEN_HOST_API TilingDef {
public:
    explicit TilingDef(const char *class_name);
    TilingDef(const TilingDef &other);
    TilingDef &operator=(const TilingDef &other);
    virtual ~TilingDef();
    size_t GetDataSize() const { return (data_bytes_ + 7U) / 8U * 8U; }
    const char *GetTilingClassName() const { return class_name_; }
    // Write all fields; too small a buffer is reported and nothing is written.
    void SaveToBuffer(void *buffer, size_t capacity_bytes) const;
    // Take all fields from what SaveToBuffer wrote; of too small a buffer none.
    void LoadFromBuffer(const void *buffer, size_t bytes);
    // From now on every set_ also writes into this buffer.
    void SetDataPtr(void *buffer);
    const std::vector<TilingField> &fields() const { return fields_; }
    const TilingDef &nested(const TilingField &field) const;

protected:
    // Append a field and return its offset in the buffer.
    uint32_t AddField(const char *type, const char *name, uint32_t count, uint32_t element_bytes, void *object);
    uint32_t AddStruct(const char *type, const char *name, TilingDef *object);
    void Store(uint32_t data_offset, const void *value, size_t bytes)
    {
        if (buffer_ != nullptr) {
            std::memcpy(buffer_ + data_offset, value, bytes);
        }
    }

private:
    const char *class_name_;
    size_t data_bytes_ = 0;
    uint8_t *buffer_ = nullptr;
    std::vector<TilingField> fields_;
};

} // namespace optiling

namespace akgen::host {
using TilingClassMaker = optiling::TilingDef *(*)(); // the caller deletes
AKGEN_HOST_API int register_tiling_class(const char *op_type, const char *class_name, TilingClassMaker maker);
} // namespace akgen::host

#define BEGIN_TILING_DATA_DEF(class_name)                                                                              \
    class class_name : public ::optiling::TilingDef {                                                                  \
    public:                                                                                                            \
        class_name() : ::optiling::TilingDef(#class_name) {}

#define TILING_DATA_FIELD_DEF(data_type, field_name)                                                                   \
public:                                                                                                                \
    static_assert(!std::is_class<data_type>::value,                                                                    \
                  "AKGEN:TILING_STRUCT: TILING_DATA_FIELD_DEF takes numbers; " #data_type " is a tiling struct");      \
    void set_##field_name(data_type value)                                                                             \
    {                                                                                                                  \
        field_name##_ = value;                                                                                         \
        Store(akgen_at_##field_name, &field_name##_, sizeof(data_type));                                               \
    }                                                                                                                  \
    data_type get_##field_name() const { return field_name##_; }                                                       \
                                                                                                                       \
private:                                                                                                               \
    data_type field_name##_ = {};                                                                                      \
    uint32_t akgen_at_##field_name = AddField(#data_type, #field_name, 0, sizeof(data_type), &field_name##_);          \
                                                                                                                       \
public:

#define TILING_DATA_FIELD_DEF_ARR(arr_type, arr_size, field_name)                                                      \
public:                                                                                                                \
    void set_##field_name(const arr_type *values)                                                                      \
    {                                                                                                                  \
        std::memcpy(field_name##_, values, sizeof(field_name##_));                                                     \
        Store(akgen_at_##field_name, field_name##_, sizeof(field_name##_));                                            \
    }                                                                                                                  \
    arr_type *get_##field_name() { return field_name##_; }                                                             \
                                                                                                                       \
private:                                                                                                               \
    arr_type field_name##_[arr_size] = {};                                                                             \
    uint32_t akgen_at_##field_name = AddField(#arr_type, #field_name, arr_size, sizeof(arr_type), field_name##_);      \
                                                                                                                       \
public:

#define TILING_DATA_FIELD_DEF_STRUCT(struct_type, field_name)                                                          \
public:                                                                                                                \
    struct_type field_name;                                                                                            \
                                                                                                                       \
private:                                                                                                               \
    uint32_t akgen_at_##field_name = AddStruct(#struct_type, #field_name, &field_name);                                \
                                                                                                                       \
public:

#define END_TILING_DATA_DEF                                                                                            \
    }                                                                                                                  \
    ;

#define REGISTER_TILING_DATA_CLASS(op_type, class_name)                                                                \
    [[maybe_unused]] static const int akgen_tiling_##op_type##_##class_name = ::akgen::host::register_tiling_class(    \
        #op_type, #class_name, []() -> ::optiling::TilingDef * { return new class_name(); });

#endif
