#include "register/tilingdata_base.h"

#include "node.h"

namespace optiling {

namespace {
constexpr uint32_t struct_alignment = 8;

size_t align_up(size_t value, size_t alignment) { return (value + alignment - 1) / alignment * alignment; }
} // namespace

TilingDef::TilingDef(const char *class_name) : class_name_(class_name) {}
TilingDef::~TilingDef() = default;

// A copy has the same fields at the same places of its own object; it does not share the bound buffer.
TilingDef::TilingDef(const TilingDef &other) : class_name_(other.class_name_), data_bytes_(other.data_bytes_)
{
    fields_ = other.fields_;
}

TilingDef &TilingDef::operator=(const TilingDef &other)
{
    // The derived class copies the values; layout is the class's, and a bound buffer stays bound.
    (void)other;
    return *this;
}

uint32_t TilingDef::AddField(const char *type, const char *name, uint32_t count, uint32_t element_bytes, void *object)
{
    data_bytes_ = align_up(data_bytes_, element_bytes > struct_alignment ? struct_alignment : element_bytes);
    const auto offset = static_cast<uint32_t>(data_bytes_);
    const auto object_offset = static_cast<uint8_t *>(object) - reinterpret_cast<uint8_t *>(this);
    fields_.push_back({type, name, count, element_bytes, offset, object_offset});
    data_bytes_ += static_cast<size_t>(element_bytes) * (count == 0 ? 1 : count);
    return offset;
}

uint32_t TilingDef::AddStruct(const char *type, const char *name, TilingDef *object)
{
    data_bytes_ = align_up(data_bytes_, struct_alignment);
    const auto offset = static_cast<uint32_t>(data_bytes_);
    const auto object_offset = reinterpret_cast<uint8_t *>(object) - reinterpret_cast<uint8_t *>(this);
    fields_.push_back({type, name, 0, 0, offset, object_offset});
    data_bytes_ += object->GetDataSize();
    return offset;
}

const TilingDef &TilingDef::nested(const TilingField &field) const
{
    return *reinterpret_cast<const TilingDef *>(reinterpret_cast<const uint8_t *>(this) + field.object_offset);
}

void TilingDef::SaveToBuffer(void *buffer, size_t capacity_bytes) const
{
    if (buffer == nullptr || capacity_bytes < GetDataSize()) {
        akgen::host::complain("SaveToBuffer: " + std::string(class_name_) + " takes " + std::to_string(GetDataSize()) +
                              " bytes, the buffer holds " + std::to_string(buffer == nullptr ? 0 : capacity_bytes));
        return;
    }
    auto *out = static_cast<uint8_t *>(buffer);
    std::memset(out, 0, GetDataSize());
    for (const TilingField &field : fields_) {
        if (field.element_bytes == 0) {
            const TilingDef &inner = nested(field);
            inner.SaveToBuffer(out + field.data_offset, inner.GetDataSize());
            continue;
        }
        const auto *from = reinterpret_cast<const uint8_t *>(this) + field.object_offset;
        std::memcpy(out + field.data_offset, from,
                    static_cast<size_t>(field.element_bytes) * std::max(field.count, 1U));
    }
}

void TilingDef::LoadFromBuffer(const void *buffer, size_t bytes)
{
    if (buffer == nullptr || bytes < GetDataSize()) {
        return;
    }
    const auto *in = static_cast<const uint8_t *>(buffer);
    for (const TilingField &field : fields_) {
        if (field.element_bytes == 0) {
            auto &inner = const_cast<TilingDef &>(nested(field));
            inner.LoadFromBuffer(in + field.data_offset, inner.GetDataSize());
            continue;
        }
        std::memcpy(reinterpret_cast<uint8_t *>(this) + field.object_offset, in + field.data_offset,
                    static_cast<size_t>(field.element_bytes) * std::max(field.count, 1U));
    }
}

void TilingDef::SetDataPtr(void *buffer)
{
    buffer_ = static_cast<uint8_t *>(buffer);
    for (const TilingField &field : fields_) {
        if (field.element_bytes == 0) {
            const_cast<TilingDef &>(nested(field)).SetDataPtr(buffer_ + field.data_offset);
        }
    }
}

} // namespace optiling
